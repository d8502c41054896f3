//! When messages arrive: what serves a node notes it before the small ORB looks at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use zorb_nano::{Os, OsError, Socket, forward_os};

/// When a server has last received octets, by the clock of segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrival(Arc<AtomicU64>);

impl Arrival {
    pub(super) fn time(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a server needs of the system, with a note of each arrival.
#[derive(Debug)]
pub(crate) struct Noting<O> {
    os: O,
    /// None if no segments are timed.
    clock: Option<fn() -> u64>,
    arrival: Arrival,
}

impl<O> Noting<O> {
    pub(super) fn new(os: O, clock: Option<fn() -> u64>) -> Self {
        Self { os, clock, arrival: Arrival::default() }
    }

    pub(super) fn arrival(&self) -> Arrival {
        self.arrival.clone()
    }

    fn note(&self, received: Result<usize, OsError>) -> Result<usize, OsError> {
        if let (Some(clock), Ok(1..)) = (self.clock, received) {
            self.arrival.0.store(clock(), Ordering::Relaxed);
        }
        received
    }
}

impl<O: Os> Os for Noting<O> {
    forward_os!(os: now, priority, connect, listen, port, accept, write, close, poll);

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        let received = self.os.read(connection, space);
        self.note(received)
    }

    fn read_within(
        &mut self,
        connection: Socket,
        space: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, OsError> {
        let received = self.os.read_within(connection, space, timeout);
        self.note(received)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{SocketAddr, TcpListener};

    use zorb_nano::{Answer, Client, Interface, Limits, Linux, Lookup, Reader, Reference};
    use zorb_nano::{Servant, Server, SystemException, Writer};

    use super::super::connection::Connection;
    use super::*;

    /// Counts how often it is read.
    fn clock() -> u64 {
        static READ: AtomicU64 = AtomicU64::new(1);
        READ.fetch_add(1, Ordering::Relaxed)
    }

    static LOOKED_UP: AtomicU64 = AtomicU64::new(0);

    /// Notes when an operation is looked up.
    struct Noted;

    impl Lookup for Noted {
        fn find(&self, _: &[u8]) -> Option<usize> {
            LOOKED_UP.store(clock(), Ordering::Relaxed);
            Some(0)
        }
    }

    static INTERFACE: Interface = Interface { ids: &["IDL:Test:1.0"], operations: &Noted };

    /// Notes when it is called, and when its request has arrived.
    struct Called {
        arrival: Arrival,
        times: Arc<(AtomicU64, AtomicU64)>,
    }

    impl Servant for Called {
        fn interface(&self) -> &'static Interface {
            &INTERFACE
        }

        fn invoke(
            &mut self,
            _: usize,
            _: &mut Reader<'_>,
            _: &mut Writer<'_>,
        ) -> Result<Answer, SystemException> {
            self.times.0.store(self.arrival.time(), Ordering::Relaxed);
            self.times.1.store(clock(), Ordering::Relaxed);
            Ok(Answer::Results)
        }
    }

    #[test]
    fn messages_arrive_before_their_operations_are_looked_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("corbaloc:iiop:1.2@{}/node", listener.local_addr().unwrap());
        let target = Reference::parse(&url).unwrap();
        let mut client = Client::new(Linux::new(1), Limits::DEFAULT);
        client.send(&target, "value", &mut |it| it.write::<u32>(&1)).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let os =
            Noting::new(Connection::new(stream, Duration::from_secs(60)).unwrap(), Some(clock));
        let (arrival, times) = (os.arrival(), Arc::default());
        let any = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut server = Server::new(os, any.into(), Limits::DEFAULT).unwrap();
        let called = Called { arrival, times: Arc::clone(&times) };
        server.register(b"node", Box::new(called)).unwrap();
        while times.1.load(Ordering::Relaxed) == 0 {
            server.perform_work(None).unwrap();
        }
        let arrived = times.0.load(Ordering::Relaxed);
        let all = [arrived, LOOKED_UP.load(Ordering::Relaxed), times.1.load(Ordering::Relaxed)];
        assert_eq!(all, [1, 2, 3], "nothing has arrived before, and nothing else reads the clock");
    }
}
