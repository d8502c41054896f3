//! The server passes the memory to the client.
//!
//! ```text
//! server to client, over the socket, with the descriptor of the memory
//! +------------+------------------------+-----------------------+---------+--------------+
//! | "ZORBSHM2" | size of requests' ring | size of replies' ring | buffers | size of each |
//! |  8 octets  | 4 octets, little end   | 4 octets, little end  |   same  |     same     |
//! +------------+------------------------+-----------------------+---------+--------------+
//!
//! the same, with the descriptor of the memory of the buffers that the client fills, if there are any
//! +------------+------------------------------+----------------------+
//! | "BUFFERS!" | buffers that the server fills | size of each         |
//! |  8 octets  | 4 octets, little end         | 4 octets, little end |
//! +------------+------------------------------+----------------------+
//!
//! the same, with the descriptor of the memory of the buffers that the server fills
//! +------------+
//! | "REPLIES!" |
//! |  8 octets  |
//! +------------+
//! ```
//!
//! The server makes all memory before it sends the first message, so that a client for which it lacks
//! descriptors can wait until it has some.
//!
//! The server sends the messages without waiting, so a client that does not read delays nobody. The
//! last one is newer than the others: old clients leave it in the socket, and old servers send 8
//! octets of the second message and nothing after it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use socket2::Socket;
use zorb_os::buffers::BufferLayout;
#[cfg(feature = "buffers")]
use zorb_os::buffers::{ReceiveBuffers, SameUser, SendBuffers};
use zorb_os::memory::SharedMemory;
#[cfg(feature = "buffers")]
use zorb_os::socket::same_user;
use zorb_os::socket::{recv_descriptor, send_descriptor};

use crate::BUFFERS;
use crate::ring::{Buffers, Layout};
#[cfg(feature = "buffers")]
use crate::ring::{Incoming, Outgoing};

const MAGIC: [u8; 8] = *b"ZORBSHM2";
const LEN: usize = 24;
#[cfg(feature = "buffers")]
const FOLLOW_UP: [u8; 8] = *b"BUFFERS!";
#[cfg(feature = "buffers")]
const FOLLOW_UP_LEN: usize = 16;
#[cfg(feature = "buffers")]
const REPLIES: [u8; 8] = *b"REPLIES!";

/// What the client received.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) layout: Layout,
    pub(crate) memory: Arc<SharedMemory>,
    pub(crate) buffers: Buffers,
}

/// The memory, and the server's buffers.
pub(crate) type Offered = (Arc<SharedMemory>, Buffers);

/// The memory of a connection, made but not offered yet.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) layout: Layout,
    memory: SharedMemory,
    buffers_layout: Option<BufferLayout>,
    #[cfg(feature = "buffers")]
    buffers: Option<MadeBuffers>,
}

impl Made {
    /// Makes the memory for the client at the other end of `socket`.
    pub(crate) fn new(
        socket: &Socket,
        layout: Layout,
        buffers_layout: Option<BufferLayout>,
    ) -> io::Result<Self> {
        let memory = SharedMemory::create("zorb-shm", layout.memory_len())?;
        let buffers_layout = buffers_layout.filter(|_| BUFFERS);
        #[cfg(feature = "buffers")]
        let buffers = buffers_layout.map(|layout| MadeBuffers::new(socket, layout)).transpose()?;
        #[cfg(not(feature = "buffers"))]
        let _ = socket;
        Ok(Self {
            layout,
            memory,
            buffers_layout,
            #[cfg(feature = "buffers")]
            buffers,
        })
    }

    /// Passes the memory to the client.
    pub(crate) fn offer(self, socket: &Socket) -> io::Result<Offered> {
        let mut hello = MAGIC.to_vec();
        let [requests, replies] = self.layout.sizes();
        let [count, size] = self
            .buffers_layout
            .map_or([0; 2], |buffers_layout| [buffers_layout.count(), buffers_layout.size()]);
        for size in [requests, replies, count, size] {
            let size = u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
            hello.extend(size.to_le_bytes());
        }
        send_descriptor(socket.as_fd(), &hello, self.memory.as_fd())?;
        #[cfg(feature = "buffers")]
        let buffers = match self.buffers {
            Some(made) => made.offer(socket)?,
            None => Buffers::default(),
        };
        #[cfg(not(feature = "buffers"))]
        let buffers = Buffers::default();
        Ok((Arc::new(self.memory), buffers))
    }
}

/// The memory of the buffers of both directions, made but not offered yet. The octets of a client of another user are
/// copied, and it gets no buffers of the server.
#[cfg(feature = "buffers")]
#[derive(Debug)]
struct MadeBuffers {
    layout: BufferLayout,
    incoming: Arc<ReceiveBuffers>,
    /// That which the server fills.
    outgoing: Option<(SharedMemory, SameUser)>,
}

#[cfg(feature = "buffers")]
impl MadeBuffers {
    fn new(socket: &Socket, layout: BufferLayout) -> io::Result<Self> {
        let trust = same_user(socket.as_fd())?;
        let memory = |name| SharedMemory::create(name, layout.memory_len());
        let incoming = ReceiveBuffers::new(memory("zorb-shm-buffers")?, layout)?;
        let outgoing = match trust {
            Some(trust) => Some((memory("zorb-shm-replies")?, trust)),
            None => None,
        };
        Ok(Self { layout, incoming, outgoing })
    }

    /// Passes the memory to the client.
    fn offer(self, socket: &Socket) -> io::Result<Buffers> {
        let Self { layout, incoming, outgoing } = self;
        let mut hello = FOLLOW_UP.to_vec();
        if outgoing.is_some() {
            for size in [layout.count(), layout.size()] {
                let size = u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
                hello.extend(size.to_le_bytes());
            }
        }
        send_descriptor(socket.as_fd(), &hello, incoming.memory())?;
        let trust = outgoing.as_ref().map(|(_, trust)| *trust);
        let outgoing = match outgoing {
            Some((memory, trust)) => {
                send_descriptor(socket.as_fd(), &REPLIES, memory.as_fd())?;
                Some(Outgoing::new(SendBuffers::new(memory, layout, trust)?))
            }
            None => None,
        };
        Ok(Buffers { outgoing, incoming: Some(Incoming::new(incoming, trust)) })
    }
}

/// Receives the memory from the server, waiting up to `limit`.
pub(crate) fn take(socket: &Socket, limit: Duration) -> io::Result<Taken> {
    let mut hello = [0; LEN];
    let (count, descriptor) = received(socket, &mut hello, limit)?;
    if count == 0 {
        let what = "the server closed the connection at once";
        return Err(io::Error::new(io::ErrorKind::ConnectionRefused, what));
    }
    let (magic, sizes) = hello.split_at(MAGIC.len());
    let mut sizes = sizes.chunks_exact(4).map(|octets| {
        let octets = octets.try_into().unwrap_or_default();
        usize::try_from(u32::from_le_bytes(octets)).unwrap_or_default()
    });
    let mut size = || sizes.next().unwrap_or_default();
    let layout = Layout::new(size(), size());
    let (Some(descriptor), Some(layout), LEN, true) =
        (descriptor, layout, count, magic == MAGIC.as_slice())
    else {
        return Err(foreign("the listener is not an SHMIOP server of this version of Zorb"));
    };
    let memory = SharedMemory::open(descriptor)?;
    if memory.len() != layout.memory_len() {
        return Err(foreign("the memory does not have the size that the server announced"));
    }
    // In a build without buffers, they stay in the socket.
    #[cfg(feature = "buffers")]
    let buffers = match (size(), size()) {
        (0, _) => Buffers::default(),
        (count, size) => {
            let buffers_layout = BufferLayout::new(count, size);
            let buffers_layout =
                buffers_layout.ok_or_else(|| foreign("an invalid buffer layout"))?;
            take_buffers(socket, limit, buffers_layout)?
        }
    };
    #[cfg(not(feature = "buffers"))]
    let buffers = Buffers::default();
    Ok(Taken { layout, memory: Arc::new(memory), buffers })
}

#[cfg(feature = "buffers")]
fn take_buffers(
    socket: &Socket,
    limit: Duration,
    buffers_layout: BufferLayout,
) -> io::Result<Buffers> {
    let mut hello = [0; FOLLOW_UP_LEN];
    let (count, memory) = received_memory(socket, &mut hello, FOLLOW_UP, limit)?;
    let trust = same_user(socket.as_fd())?;
    let outgoing =
        trust.map(|trust| SendBuffers::new(memory, buffers_layout, trust)).transpose()?;
    let outgoing = outgoing.map(Outgoing::new);
    let incoming = match of_replies(&hello, count)? {
        Some(buffers_layout) => take_replies(socket, limit, buffers_layout, trust)?,
        None => None,
    };
    Ok(Buffers { outgoing, incoming })
}

/// The layout of the server's buffers, in the message of `count` octets that precedes them.
#[cfg(feature = "buffers")]
fn of_replies(hello: &[u8; FOLLOW_UP_LEN], count: usize) -> io::Result<Option<BufferLayout>> {
    let [.., c0, c1, c2, c3, s0, s1, s2, s3] = *hello;
    let size = |octets| usize::try_from(u32::from_le_bytes(octets)).unwrap_or_default();
    match (count, size([c0, c1, c2, c3])) {
        (FOLLOW_UP_LEN, 1..) => {}
        _ => return Ok(None),
    }
    let buffers_layout = BufferLayout::new(size([c0, c1, c2, c3]), size([s0, s1, s2, s3]));
    buffers_layout.map(Some).ok_or_else(|| foreign("an invalid buffer layout"))
}

/// The server's buffers; those of another user's server are not used.
#[cfg(feature = "buffers")]
fn take_replies(
    socket: &Socket,
    limit: Duration,
    buffers_layout: BufferLayout,
    trust: Option<SameUser>,
) -> io::Result<Option<Incoming>> {
    let mut hello = [0; REPLIES.len()];
    let (_, memory) = received_memory(socket, &mut hello, REPLIES, limit)?;
    let Some(trust) = trust else { return Ok(None) };
    Ok(Some(Incoming::new(ReceiveBuffers::new(memory, buffers_layout)?, Some(trust))))
}

/// A message that starts with `wanted`, with the memory sent along.
#[cfg(feature = "buffers")]
fn received_memory(
    socket: &Socket,
    hello: &mut [u8],
    wanted: [u8; 8],
    limit: Duration,
) -> io::Result<(usize, SharedMemory)> {
    match received(socket, hello, limit)? {
        (count, Some(descriptor)) if hello.starts_with(&wanted) => {
            Ok((count, SharedMemory::open(descriptor)?))
        }
        _ => Err(foreign("the server announced buffers but did not send them")),
    }
}

fn received(
    socket: &Socket,
    hello: &mut [u8],
    limit: Duration,
) -> io::Result<(usize, Option<OwnedFd>)> {
    socket.set_read_timeout(Some(limit.max(Duration::from_micros(1))))?;
    match recv_descriptor(socket.as_fd(), hello) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let what = "the server has a backlog and did not accept this connection in time";
            Err(io::Error::new(io::ErrorKind::TimedOut, what))
        }
        received => received,
    }
}

fn foreign(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests;
