//! How the server hands the memory to the client.
//!
//! ```text
//! server to client, over the socket, with the descriptor of the memory
//! +------------+------------------------+-----------------------+---------+--------------+
//! | "ZORBSHM2" | size of requests' ring | size of replies' ring | buffers | size of each |
//! |  8 octets  | 4 octets, little end   | 4 octets, little end  |   same  |     same     |
//! +------------+------------------------+-----------------------+---------+--------------+
//!
//! the same, with the descriptor of the memory of the buffers, if there are any
//! +------------+
//! | "BUFFERS!" |
//! |  8 octets  |
//! +------------+
//! ```
//!
//! The buffers are those that the client fills.
//!
//! The server sends it and goes on, so a client that never looks keeps nobody waiting.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use socket2::Socket;
use zorb_os::buffers::Shape;
#[cfg(feature = "buffers")]
use zorb_os::buffers::{ReceiveBuffers, SendBuffers};
use zorb_os::memory::SharedMemory;
#[cfg(feature = "buffers")]
use zorb_os::socket::same_user;
use zorb_os::socket::{recv_descriptor, send_descriptor};

use crate::BUFFERS;
use crate::ring::{Incoming, Layout, Outgoing};

const MAGIC: [u8; 8] = *b"ZORBSHM2";
const LEN: usize = 24;
#[cfg(feature = "buffers")]
const FOLLOW_UP: [u8; 8] = *b"BUFFERS!";

/// The memory, and the buffers that clients fill, with their shape.
pub(crate) type Offered = (Arc<SharedMemory>, Option<Incoming>);

/// What a client was handed.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) layout: Layout,
    pub(crate) memory: Arc<SharedMemory>,
    pub(crate) buffers: Option<Outgoing>,
}

/// Makes the memory and hands it to the client.
pub(crate) fn offer(socket: &Socket, layout: Layout, shape: Option<Shape>) -> io::Result<Offered> {
    let memory = SharedMemory::create("zorb-shm", layout.memory_len())?;
    let shape = shape.filter(|_| BUFFERS);
    let mut hello = MAGIC.to_vec();
    let [requests, replies] = layout.sizes();
    let [count, size] = shape.map_or([0; 2], |shape| [shape.count(), shape.size()]);
    for size in [requests, replies, count, size] {
        let size = u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
        hello.extend(size.to_le_bytes());
    }
    send_descriptor(socket.as_fd(), &hello, memory.as_fd())?;
    #[cfg(feature = "buffers")]
    let buffers = match shape {
        Some(shape) => Some(offer_buffers(socket, shape)?),
        None => None,
    };
    #[cfg(not(feature = "buffers"))]
    let buffers = None;
    Ok((Arc::new(memory), buffers))
}

#[cfg(feature = "buffers")]
fn offer_buffers(socket: &Socket, shape: Shape) -> io::Result<Incoming> {
    let memory = SharedMemory::create("zorb-shm-buffers", shape.memory_len())?;
    let buffers = ReceiveBuffers::new(memory, shape)?;
    send_descriptor(socket.as_fd(), &FOLLOW_UP, buffers.memory())?;
    Ok(Incoming::new(buffers, same_user(socket.as_fd())?))
}

/// Waits no longer than `limit` for the memory that the server hands over.
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
        return Err(foreign("what listens there is no SHMIOP server of this version of Zorb"));
    };
    let memory = SharedMemory::open(descriptor)?;
    if memory.len() != layout.memory_len() {
        return Err(foreign("the memory has another size than the server says"));
    }
    // Where this build has no use for them, they stay in the socket.
    #[cfg(feature = "buffers")]
    let buffers = match (size(), size()) {
        (0, _) => None,
        (count, size) => {
            let shape = Shape::new(count, size);
            let shape = shape.ok_or_else(|| foreign("buffers of a shape that none have"))?;
            take_buffers(socket, limit, shape)?
        }
    };
    #[cfg(not(feature = "buffers"))]
    let buffers = None;
    Ok(Taken { layout, memory: Arc::new(memory), buffers })
}

#[cfg(feature = "buffers")]
fn take_buffers(socket: &Socket, limit: Duration, shape: Shape) -> io::Result<Option<Outgoing>> {
    let mut hello = [0; FOLLOW_UP.len()];
    let memory = match received(socket, &mut hello, limit)? {
        (_, Some(descriptor)) if hello == FOLLOW_UP => SharedMemory::open(descriptor)?,
        _ => return Err(foreign("the server announced buffers and did not hand them over")),
    };
    let trust = same_user(socket.as_fd())?;
    trust.map(|trust| SendBuffers::new(memory, shape, trust)).transpose()
}

fn received(
    socket: &Socket,
    hello: &mut [u8],
    limit: Duration,
) -> io::Result<(usize, Option<OwnedFd>)> {
    socket.set_read_timeout(Some(limit.max(Duration::from_micros(1))))?;
    match recv_descriptor(socket.as_fd(), hello) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let what = "the server has a backlog, and did not come to this connection";
            Err(io::Error::new(io::ErrorKind::TimedOut, what))
        }
        received => received,
    }
}

fn foreign(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn pair() -> (Socket, Socket) {
        Socket::pair(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap()
    }

    fn taken(socket: &Socket) -> io::Result<Taken> {
        take(socket, Duration::from_millis(1))
    }

    #[test]
    fn what_is_offered_is_taken() {
        let (server, client) = pair();
        let layout = Layout::new(8192, 1 << 16).unwrap();
        let (made, none) = offer(&server, layout, None).unwrap();
        let Taken { layout: found, memory, buffers } = taken(&client).unwrap();
        assert_eq!((found, memory.len()), (layout, made.len()));
        assert!(none.is_none() && buffers.is_none());
        made.write(9000, b"same");
        let mut octets = [0; 4];
        memory.read(9000, &mut octets);
        assert_eq!(&octets, b"same");
    }

    #[cfg(feature = "buffers")]
    #[test]
    fn buffers_come_after_it() {
        let (server, client) = pair();
        let (layout, shape) = (Layout::new(4096, 4096).unwrap(), Shape::new(2, 8192).unwrap());
        let (_, made) = offer(&server, layout, Some(shape)).unwrap();
        let found = taken(&client).unwrap().buffers.unwrap();
        assert!(found.take(8192).is_some() && found.take(8193).is_none());
        assert!(made.is_some());
        // A server that announces them and does not send them.
        let memory = SharedMemory::create("zorb-test", 3 * 4096).unwrap();
        let mut hello = [&MAGIC[..], &4096_u32.to_le_bytes(), &4096_u32.to_le_bytes()].concat();
        hello.extend([2, 0, 0, 0, 0, 16, 0, 0]);
        send_descriptor(server.as_fd(), &hello, memory.as_fd()).unwrap();
        (&server).write_all(b"BUFFERS!").unwrap();
        assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::InvalidData);
        hello[16] = 65;
        send_descriptor(server.as_fd(), &hello, memory.as_fd()).unwrap();
        assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn silence_and_the_end_are_told_apart() {
        let (server, client) = pair();
        assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(server);
        assert_eq!(taken(&client).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn what_is_no_offer_is_refused() {
        let good = |sizes: [u32; 2]| {
            [&MAGIC[..], &sizes[0].to_le_bytes(), &sizes[1].to_le_bytes(), &[0; 8]].concat()
        };
        let memory = |len| SharedMemory::create("zorb-test", len).unwrap();
        let offered = |hello: &[u8], memory: Option<&SharedMemory>| {
            let (server, client) = pair();
            match memory {
                Some(memory) => send_descriptor(server.as_fd(), hello, memory.as_fd()).unwrap(),
                None => (&server).write_all(hello).unwrap(),
            }
            taken(&client).map(drop).map_err(|error| error.kind())
        };
        let fitting = memory(3 * 4096);
        assert_eq!(offered(&good([4096; 2]), Some(&fitting)), Ok(()));
        let refused = Err(io::ErrorKind::InvalidData);
        assert_eq!(offered(&good([4096; 2]), None), refused);
        assert_eq!(offered(&good([4096; 2])[..23], Some(&fitting)), refused);
        assert_eq!(offered(b"GIOP\x01\x02\x01\x06\0\0\0\0\0\0\0\0", Some(&fitting)), refused);
        for sizes in [[4096, 8192], [0, 8192], [4096, 0], [4095, 4097], [1 << 31, 1 << 31]] {
            assert_eq!(offered(&good(sizes), Some(&fitting)), refused, "{sizes:?}");
        }
        for len in [1, 3 * 4096 - 1, 3 * 4096 + 1] {
            assert_eq!(offered(&good([4096; 2]), Some(&memory(len))), refused, "{len}");
        }
    }
}
