//! An operating system for tests: a clock and a network in memory, in one thread.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use zorb_nano::{Address, Endpoint, Interest, Os, OsError, Socket};

/// An address by its URL.
pub(crate) fn at(url: &str) -> Address {
    url.parse::<Endpoint>().unwrap().address()
}

/// Connection refused, broken pipe, bad descriptor.
const REFUSED: OsError = OsError::Other(111);
const BROKEN_PIPE: OsError = OsError::Other(32);
const BAD_SOCKET: OsError = OsError::Other(9);
/// Octets that a stream holds in each direction.
const CAPACITY: usize = 600;
const ROUNDS: usize = 10_000;

/// What is connected by one network. Clones are the same network.
#[derive(Clone, Default)]
pub(crate) struct Network(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    now: Duration,
    listeners: Vec<(Address, VecDeque<usize>)>,
    /// Where datagrams are received, and those that wait.
    mailboxes: Vec<(Address, VecDeque<Vec<u8>>)>,
    streams: Vec<Stream>,
    next_port: u16,
}

#[derive(Default)]
struct Stream {
    /// Octets to the client, and to the server.
    queues: [VecDeque<u8>; 2],
    /// Whether the client and the server have closed it.
    closed: [bool; 2],
}

/// One machine of the network.
pub(crate) struct Simulated {
    network: Network,
    sockets: Vec<Option<End>>,
    /// Octets that one call moves at most.
    piece: usize,
    pub(crate) priority: Option<i16>,
    /// How often the ORB has waited, read, written or accepted.
    pub(crate) calls: usize,
    /// What the other machines do while this one waits.
    others: Option<Box<dyn FnMut()>>,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Listener(Address),
    /// Over UDP: of a server, and of a client.
    Mailbox(Address),
    Sender(Address),
    /// The stream, and the side: 0 for the client, 1 for the server.
    Stream(usize, usize),
}

impl Network {
    /// A machine whose calls move at most `piece` octets, and which has this number of sockets.
    pub(crate) fn machine(&self, piece: usize, sockets: usize) -> Simulated {
        Simulated {
            network: self.clone(),
            sockets: vec![None; sockets],
            piece,
            priority: None,
            calls: 0,
            others: None,
        }
    }

    /// Sends a datagram, which is lost if nobody receives there.
    pub(crate) fn post(&self, address: Address, octets: &[u8]) -> usize {
        let mut state = self.0.borrow_mut();
        let mailbox = state.mailboxes.iter_mut().find(|(at, _)| *at == address);
        if let Some((_, waiting)) = mailbox {
            waiting.push_back(octets.to_vec());
        }
        octets.len()
    }

    /// Receives a datagram, as far as there is space.
    fn take(&self, address: Address, space: &mut [u8]) -> Result<usize, OsError> {
        let mut state = self.0.borrow_mut();
        let mailbox = state.mailboxes.iter_mut().find(|(at, _)| *at == address);
        let datagram = mailbox.and_then(|(_, waiting)| waiting.pop_front());
        let datagram = datagram.ok_or(OsError::WouldBlock)?;
        let count = datagram.len().min(space.len());
        space[..count].copy_from_slice(&datagram[..count]);
        Ok(count)
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.borrow().now
    }

    /// Lets time pass.
    pub(crate) fn advance(&self, time: Duration) {
        self.0.borrow_mut().now += time;
    }
}

impl Simulated {
    /// The same machine, with what the others do while it waits.
    pub(crate) fn with_others(self, others: impl FnMut() + 'static) -> Self {
        Self { others: Some(Box::new(others)), ..self }
    }

    /// The address of a listener.
    pub(crate) fn bound(&self, listener: Socket) -> Result<Address, OsError> {
        match self.end(listener)? {
            End::Listener(address) | End::Mailbox(address) => Ok(address),
            End::Stream(..) | End::Sender(_) => Err(BAD_SOCKET),
        }
    }

    /// Lets the others do something.
    #[cfg(all(feature = "lite", feature = "udp", feature = "unix"))]
    pub(crate) fn wait(&mut self) {
        if let Some(others) = &mut self.others {
            others();
        }
    }

    /// Sockets that are open.
    pub(crate) fn open(&self) -> usize {
        self.sockets.iter().flatten().count()
    }

    fn free(&self) -> Result<Socket, OsError> {
        let free = self.sockets.iter().position(Option::is_none).ok_or(OsError::NoSocket)?;
        Ok(Socket(free as u16))
    }

    fn put(&mut self, at: Socket, end: End) -> Socket {
        self.sockets[usize::from(at.0)] = Some(end);
        at
    }

    fn end(&self, socket: Socket) -> Result<End, OsError> {
        self.sockets.get(usize::from(socket.0)).copied().flatten().ok_or(BAD_SOCKET)
    }

    fn is_ready(&self, interest: &Interest) -> bool {
        let state = self.network.0.borrow();
        match self.end(interest.socket) {
            Ok(End::Listener(address)) => {
                state.listeners.iter().any(|(at, waiting)| *at == address && !waiting.is_empty())
            }
            Ok(End::Mailbox(address)) => {
                interest.read
                    && state.mailboxes.iter().any(|(at, all)| *at == address && !all.is_empty())
            }
            Ok(End::Sender(_)) => interest.write,
            Ok(End::Stream(stream, side)) => {
                let stream = &state.streams[stream];
                let is_over = stream.closed[1 - side];
                interest.read && (is_over || !stream.queues[side].is_empty())
                    || interest.write && (is_over || stream.queues[1 - side].len() < CAPACITY)
            }
            Err(_) => true,
        }
    }

    fn mark(&self, interests: &mut [Interest]) -> bool {
        for interest in &mut *interests {
            interest.is_ready = self.is_ready(interest);
        }
        interests.iter().any(|interest| interest.is_ready)
    }
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulated").field("open", &self.open()).finish_non_exhaustive()
    }
}

impl Os for Simulated {
    fn now(&mut self) -> Duration {
        self.network.now()
    }

    fn priority(&mut self) -> Option<i16> {
        self.priority
    }

    fn connect(&mut self, address: Address) -> Result<Socket, OsError> {
        let at = self.free()?;
        if let Address::Udp(_) = address {
            return Ok(self.put(at, End::Sender(address)));
        }
        let mut state = self.network.0.borrow_mut();
        let stream = state.streams.len();
        let listener = state.listeners.iter_mut().find(|(bound, _)| *bound == address);
        listener.ok_or(REFUSED)?.1.push_back(stream);
        state.streams.push(Stream::default());
        drop(state);
        Ok(self.put(at, End::Stream(stream, 0)))
    }

    fn listen(&mut self, mut address: Address) -> Result<Socket, OsError> {
        let at = self.free()?;
        let mut state = self.network.0.borrow_mut();
        if let Address::Tcp(ip) | Address::Udp(ip) = &mut address
            && ip.port() == 0
        {
            state.next_port += 1;
            ip.set_port(state.next_port);
        }
        if let Address::Udp(_) = address {
            state.mailboxes.push((address, VecDeque::new()));
            drop(state);
            return Ok(self.put(at, End::Mailbox(address)));
        }
        state.listeners.push((address, VecDeque::new()));
        drop(state);
        Ok(self.put(at, End::Listener(address)))
    }

    fn port(&mut self, listener: Socket) -> Result<u16, OsError> {
        Ok(self.bound(listener)?.port())
    }

    fn accept(&mut self, listener: Socket) -> Result<Socket, OsError> {
        self.calls += 1;
        let at = self.free()?;
        let address = self.bound(listener)?;
        let mut state = self.network.0.borrow_mut();
        let waiting = state.listeners.iter_mut().find(|(bound, _)| *bound == address);
        let stream = waiting.and_then(|(_, waiting)| waiting.pop_front());
        drop(state);
        let stream = stream.ok_or(OsError::WouldBlock)?;
        Ok(self.put(at, End::Stream(stream, 1)))
    }

    fn read(&mut self, connection: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        assert!(!space.is_empty(), "a read without space");
        self.calls += 1;
        let (stream, side) = match self.end(connection)? {
            End::Stream(stream, side) => (stream, side),
            End::Mailbox(address) => return self.network.take(address, space),
            _ => return Err(OsError::WouldBlock),
        };
        let stream = &mut self.network.0.borrow_mut().streams[stream];
        let queue = &mut stream.queues[side];
        let count = queue.len().min(space.len()).min(self.piece);
        for (octet, read) in space.iter_mut().zip(queue.drain(..count)) {
            *octet = read;
        }
        match count {
            0 if !stream.closed[1 - side] => Err(OsError::WouldBlock),
            count => Ok(count),
        }
    }

    fn read_within(
        &mut self,
        connection: Socket,
        space: &mut [u8],
        timeout: Duration,
    ) -> Result<usize, OsError> {
        let interest = Interest { socket: connection, read: true, write: false, is_ready: false };
        self.poll(&mut [interest], Some(timeout))?;
        self.calls -= 1;
        self.read(connection, space)
    }

    fn write(&mut self, connection: Socket, octets: &[u8]) -> Result<usize, OsError> {
        self.calls += 1;
        let (stream, side) = match self.end(connection)? {
            End::Stream(stream, side) => (stream, side),
            End::Sender(address) => return Ok(self.network.post(address, octets)),
            _ => return Err(BAD_SOCKET),
        };
        let stream = &mut self.network.0.borrow_mut().streams[stream];
        if stream.closed[1 - side] {
            return Err(BROKEN_PIPE);
        }
        let queue = &mut stream.queues[1 - side];
        let count = (CAPACITY - queue.len()).min(octets.len()).min(self.piece);
        queue.extend(&octets[..count]);
        if count == 0 { Err(OsError::WouldBlock) } else { Ok(count) }
    }

    fn close(&mut self, socket: Socket) {
        match self.sockets[usize::from(socket.0)].take() {
            Some(End::Stream(stream, side)) => {
                self.network.0.borrow_mut().streams[stream].closed[side] = true;
            }
            Some(End::Listener(address)) => {
                self.network.0.borrow_mut().listeners.retain(|(at, _)| *at != address);
            }
            Some(End::Mailbox(address)) => {
                self.network.0.borrow_mut().mailboxes.retain(|(at, _)| *at != address);
            }
            Some(End::Sender(_)) | None => {}
        }
    }

    fn poll(
        &mut self,
        interests: &mut [Interest],
        timeout: Option<Duration>,
    ) -> Result<(), OsError> {
        self.calls += 1;
        for _ in 0..ROUNDS {
            if self.mark(interests) {
                return Ok(());
            }
            match &mut self.others {
                Some(others) => others(),
                None => break,
            }
        }
        // Nobody will ever do anything.
        let timeout = timeout.expect("a wait without end");
        self.network.0.borrow_mut().now += timeout;
        Ok(())
    }
}
