//! When messages leave: what sends them notes it when the small ORB has encoded them.

use zorb_nano::{Os, OsError, Socket, forward_os};

/// What a client needs of the system, with a note of when it first sends.
#[derive(Debug)]
pub(super) struct Departing<O> {
    os: O,
    /// None if no segments are timed.
    clock: Option<fn() -> u64>,
    first: Option<u64>,
}

impl<O> Departing<O> {
    pub(super) fn new(os: O, clock: Option<fn() -> u64>) -> Self {
        Self { os, clock, first: None }
    }

    /// When the client has begun to send since this was last asked, by the clock of segments; 0 if it has not, or without a
    /// clock.
    pub(super) fn take(&mut self) -> u64 {
        self.first.take().unwrap_or_default()
    }
}

impl<O: Os> Os for Departing<O> {
    forward_os!(os: now, priority, connect, listen, port, accept, read, read_within, close, poll);

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        self.first = self.first.or_else(|| self.clock.map(|clock| clock()));
        self.os.write(connection, octets)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicU64, Ordering};

    use zorb_nano::{Client, Limits, Linux, Reference};

    use super::*;

    /// Counts how often it is read.
    fn clock() -> u64 {
        static READ: AtomicU64 = AtomicU64::new(1);
        READ.fetch_add(1, Ordering::Relaxed)
    }

    #[test]
    fn messages_leave_when_their_arguments_are_encoded() {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let targets = listeners.each_ref().map(|listener| {
            let url = format!("corbaloc:iiop:1.2@{}/node", listener.local_addr().unwrap());
            Reference::parse(&url).unwrap()
        });
        let os = Departing::new(Linux::new(2), Some(clock));
        let mut client = Client::new(os, Limits::DEFAULT);
        assert_eq!(client.os().take(), 0, "nothing has been sent");
        let mut encoded = 0;
        let sent = client.send_to_all(&targets, "value", &mut |it| {
            encoded = clock();
            it.write::<u32>(&1)
        });
        // The second message is a copy, and its time is not noted.
        assert_eq!((sent, encoded, client.os().take(), clock()), (Ok(1), 1, 2, 3));
        assert_eq!(client.os().take(), 0);
    }
}
