//! Messages over sockets, without an ORB.

mod threads;

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd as _;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use dba_algorithm::{Driver, Links, Message, NodeId, Outcome, Segments};
use zorb_os::clock::MonotonicTime;
use zorb_os::poll::{ReadySet, Trigger};

use crate::Failure;
use crate::arguments::Threads;
use crate::dba::Neighbor;
use crate::frame::{Frame, SIZE, decode, encode};
use crate::group::{self, GroupPort};

/// How long a neighbor may not read.
const SEND_LIMIT: Duration = Duration::from_secs(10);
/// The number of connections whose first frame is not there yet.
const MAX_NEW: usize = 128;
/// The key of the listener in the set of descriptors.
const LISTENER: u64 = u64::MAX;
/// The key of the first neighbor's group in the set of descriptors.
const GROUPS: u64 = 1 << 32;

/// A node's socket for neighbors that connect.
pub(crate) fn listen(host: IpAddr) -> Result<(TcpListener, String), Failure> {
    let listener = TcpListener::bind((host, 0))?;
    let address = listener.local_addr()?.to_string();
    listener.set_nonblocking(true)?;
    Ok((listener, address))
}

/// The connections to a node's neighbors, one for each edge.
#[derive(Debug)]
pub(crate) struct RawLinks {
    listener: TcpListener,
    ready: ReadySet,
    /// By their keys in the set of descriptors.
    connections: Vec<Option<Connection>>,
    /// The neighbors that have not connected yet.
    missing: Vec<NodeId>,
    memo: bool,
    /// With `--calls group`, in place of connections.
    group: Option<Group>,
}

/// What sends to the group of a node's neighbors, and what receives from theirs.
#[derive(Debug)]
struct Group {
    sender: UdpSocket,
    receivers: Vec<(NodeId, UdpSocket)>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    /// The neighbor, once it is known.
    peer: Option<NodeId>,
    /// The beginning of a frame.
    octets: [u8; SIZE],
    len: usize,
}

impl RawLinks {
    fn new(listener: TcpListener, memo: bool) -> Result<Self, Failure> {
        let ready = ReadySet::new()?;
        ready.add(listener.as_fd(), LISTENER, Trigger::Level)?;
        let (connections, missing) = (Vec::new(), Vec::new());
        Ok(Self { listener, ready, connections, missing, memo, group: None })
    }

    /// Joins the groups of the neighbors: a node sends each message once, to its own group.
    pub(crate) fn join(
        id: NodeId,
        listener: TcpListener,
        neighbors: &[Neighbor],
        (port, host): (GroupPort, Ipv4Addr),
    ) -> Result<Self, Failure> {
        let mut links = Self::new(listener, true)?;
        let mut receivers = Vec::new();
        for (neighbor, key) in neighbors.iter().zip(GROUPS..) {
            let socket = group::receiver(port.address(neighbor.id), host)?;
            links.ready.add(socket.as_fd(), key, Trigger::Level)?;
            receivers.push((neighbor.id, socket));
        }
        links.group = Some(Group { sender: group::sender(port.address(id), host)?, receivers });
        Ok(links)
    }

    /// Connects to the neighbors with lower ids; those with higher ids connect to the listener.
    pub(crate) fn connect(
        id: NodeId,
        listener: TcpListener,
        neighbors: &[Neighbor],
        memo: bool,
    ) -> Result<Self, Failure> {
        let mut links = Self::new(listener, memo)?;
        for neighbor in neighbors {
            if neighbor.id > id {
                links.missing.push(neighbor.id);
                continue;
            }
            let address: SocketAddr = neighbor.address.parse().map_err(|_| {
                format!("node {} has no address for sockets: run all nodes alike", neighbor.id)
            })?;
            let mut stream = TcpStream::connect_timeout(&address, SEND_LIMIT)?;
            stream.write_all(&encode(Frame::Hello(id)))?;
            links.add(stream, Some(neighbor.id))?;
        }
        Ok(links)
    }

    fn add(&mut self, stream: TcpStream, peer: Option<NodeId>) -> Result<(), Failure> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(SEND_LIMIT))?;
        let free = self.connections.iter().position(Option::is_none);
        let index = free.unwrap_or(self.connections.len());
        self.ready.add(stream.as_fd(), index as u64, Trigger::Level)?;
        let connection = Some(Connection { stream, peer, octets: [0; SIZE], len: 0 });
        match self.connections.get_mut(index) {
            Some(place) => *place = connection,
            None => self.connections.push(connection),
        }
        Ok(())
    }

    /// Takes a connection; beyond [`MAX_NEW`] that have not said who they are it closes at once.
    fn accept(&mut self) -> Result<(), Failure> {
        let Ok((stream, _)) = self.listener.accept() else { return Ok(()) };
        let new = self.connections.iter().flatten().filter(|one| one.peer.is_none()).count();
        if new < MAX_NEW { self.add(stream, None) } else { Ok(()) }
    }

    /// Reads a message to the group of the neighbor with this index.
    fn receive(&self, index: usize) -> Received {
        let receivers = self.group.as_ref().map(|group| &*group.receivers).unwrap_or_default();
        let mut octets = [0; SIZE];
        match receivers.get(index).map(|(from, socket)| (*from, socket.recv(&mut octets))) {
            Some((from, Ok(SIZE))) => match decode(&octets) {
                Some(Frame::Message(message)) => Received::Message(from, message),
                _ => Received::Nothing,
            },
            _ => Received::Nothing,
        }
    }

    /// Reads what has arrived at a connection.
    fn read(&mut self, index: usize) -> Result<Received, Failure> {
        let Some(connection) = self.connections.get_mut(index).and_then(Option::as_mut) else {
            return Ok(Received::Nothing);
        };
        let room = connection.octets.get_mut(connection.len..).unwrap_or_default();
        let count = match connection.stream.read(room) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                return Ok(Received::Nothing);
            }
            Err(_) => 0,
        };
        connection.len += count;
        let frame = (connection.len == SIZE).then(|| decode(&connection.octets));
        match (count, connection.peer, frame) {
            (0, Some(peer), _) => Err(format!("node {peer} has closed its connection").into()),
            (_, _, None) if count > 0 => Ok(Received::Nothing),
            (_, Some(from), Some(Some(Frame::Message(message)))) => {
                connection.len = 0;
                Ok(Received::Message(from, message))
            }
            (_, Some(peer), _) => Err(format!("node {peer} sent what is no message").into()),
            (_, None, Some(Some(Frame::Hello(id)))) if self.missing.contains(&id) => {
                connection.len = 0;
                connection.peer = Some(id);
                self.missing.retain(|&missing| missing != id);
                Ok(Received::Nothing)
            }
            // Not a neighbor.
            (_, None, _) => {
                self.connections.get_mut(index).map(Option::take);
                Ok(Received::Nothing)
            }
        }
    }
}

enum Received {
    Nothing,
    Message(NodeId, Message),
}

impl Links for RawLinks {
    type Error = Failure;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Failure> {
        if let Some(group) = &self.group {
            let octets = encode(Frame::Message(*message));
            segments.end_marshal();
            let sent = group.sender.send(&octets);
            segments.end_send();
            sent.map_err(|error| format!("cannot send to the neighbors: {error}"))?;
            return Ok(());
        }
        let mut frame = None;
        for connection in self.connections.iter_mut().flatten() {
            let Some(peer) = connection.peer else { continue };
            let octets = match frame {
                Some(octets) if self.memo => octets,
                _ => {
                    let octets = encode(Frame::Message(*message));
                    segments.end_marshal();
                    frame = Some(octets);
                    octets
                }
            };
            let sent = connection.stream.write_all(&octets);
            // What is encoded once is sent in one segment.
            if !self.memo {
                segments.end_send();
            }
            match (sent, message) {
                (Ok(()), _) | (_, Message::Solved) => {}
                (Err(error), _) => {
                    return Err(format!("cannot send to node {peer}: {error}").into());
                }
            }
        }
        if self.memo {
            segments.end_send();
        }
        Ok(())
    }
}

/// Runs a node until it ends: starts it when `start` says so and all neighbors are connected. Until they are, one thread
/// reads from all.
pub(crate) fn run(
    driver: &mut Driver<RawLinks>,
    threads: Threads,
    start: &Receiver<()>,
    end: MonotonicTime,
) -> Result<Outcome, Failure> {
    let mut is_started = false;
    loop {
        if !is_started && driver.links_mut().missing.is_empty() {
            if threads == Threads::PerConnection {
                return threads::run(driver, start, end);
            }
            wait_for(start, end)?;
            is_started = true;
            if let Some(outcome) = driver.start()? {
                return Ok(outcome);
            }
        }
        let left = end.time_left();
        let event =
            if left.is_zero() { None } else { driver.links_mut().ready.next(Some(left))? };
        let event = event.ok_or("the time limit is over")?;
        driver.segments_mut().end_wait();
        if event.key == LISTENER {
            driver.links_mut().accept()?;
            continue;
        }
        let received = match event.key.checked_sub(GROUPS) {
            Some(index) => driver.links_mut().receive(index as usize),
            None => driver.links_mut().read(event.key as usize)?,
        };
        if let Received::Message(from, message) = received
            && let Some(outcome) = driver.deliver(from, &message)?
        {
            return Ok(outcome);
        }
    }
}

/// Waits for the start.
pub(crate) fn wait_for(start: &Receiver<()>, end: MonotonicTime) -> Result<(), Failure> {
    start.recv_timeout(end.time_left()).map_err(|_| "no start within the time limit".into())
}
