//! A connection between a client and a server in one thread, which allocates at its start only.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use zorb_nano::{Address, Interest, Os, OsError, Socket};

const LISTENER: Socket = Socket(0);
const CONNECTION: Socket = Socket(1);
/// Octets that are on the way in each direction, at most.
const CAPACITY: usize = 4096;

pub(crate) fn address() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 7], 2809))
}

/// The connection.
pub(crate) struct Wire {
    /// What was sent to the client, and to the server.
    queues: [RefCell<VecDeque<u8>>; 2],
    is_waiting: Cell<bool>,
    now: Cell<Duration>,
}

/// One end of it.
pub(crate) struct Side<'w> {
    wire: &'w Wire,
    /// 0 for the client, 1 for the server.
    number: usize,
    /// What the other side does while this one waits.
    other: Option<&'w dyn Fn()>,
}

impl Wire {
    pub(crate) fn new() -> Self {
        let queue = || RefCell::new(VecDeque::with_capacity(CAPACITY));
        Self { queues: [queue(), queue()], is_waiting: Cell::default(), now: Cell::default() }
    }

    /// Closes the connection.
    pub(crate) fn reset(&self) {
        self.queues.iter().for_each(|queue| queue.borrow_mut().clear());
        self.is_waiting.set(false);
    }
}

impl<'w> Side<'w> {
    pub(crate) fn of_server(wire: &'w Wire) -> Self {
        Self { wire, number: 1, other: None }
    }

    pub(crate) fn of_client(wire: &'w Wire, other: &'w dyn Fn()) -> Self {
        Self { wire, number: 0, other: Some(other) }
    }

    fn mark(&self, interests: &mut [Interest]) -> bool {
        for interest in &mut *interests {
            let can_read = match interest.socket {
                LISTENER => self.wire.is_waiting.get(),
                _ => !self.wire.queues[self.number].borrow().is_empty(),
            };
            interest.is_ready = interest.write || interest.read && can_read;
        }
        interests.iter().any(|interest| interest.is_ready)
    }
}

impl Os for Side<'_> {
    fn now(&mut self) -> Duration {
        self.wire.now.get()
    }

    fn connect(&mut self, _: Address) -> Result<Socket, OsError> {
        self.wire.is_waiting.set(true);
        Ok(CONNECTION)
    }

    fn listen(&mut self, _: Address) -> Result<Socket, OsError> {
        Ok(LISTENER)
    }

    fn port(&mut self, _: Socket) -> Result<u16, OsError> {
        Ok(address().port())
    }

    fn accept(&mut self, _: Socket) -> Result<Socket, OsError> {
        match self.wire.is_waiting.replace(false) {
            true => Ok(CONNECTION),
            false => Err(OsError::WouldBlock),
        }
    }

    fn read(&mut self, _: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        let mut queue = self.wire.queues[self.number].borrow_mut();
        let count = queue.len().min(space.len());
        for (place, octet) in space.iter_mut().zip(queue.drain(..count)) {
            *place = octet;
        }
        if count == 0 { Err(OsError::WouldBlock) } else { Ok(count) }
    }

    fn write(&mut self, _: Socket, octets: &[u8]) -> Result<usize, OsError> {
        let mut queue = self.wire.queues[1 - self.number].borrow_mut();
        let count = octets.len().min(CAPACITY - queue.len());
        queue.extend(&octets[..count]);
        if count == 0 { Err(OsError::WouldBlock) } else { Ok(count) }
    }

    fn close(&mut self, _: Socket) {}

    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError> {
        let other = || {
            if let Some(other) = self.other {
                other();
            }
        };
        // The other side accepts, and serves in the next round.
        let is_ready = (0..3).any(|_| {
            let is_ready = self.mark(interests);
            if !is_ready {
                other();
            }
            is_ready
        });
        if !is_ready && !self.mark(interests) {
            let now = self.wire.now.get();
            self.wire.now.set(now.saturating_add(timeout.unwrap_or_default()));
        }
        Ok(())
    }
}
