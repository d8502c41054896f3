//! How the server hands the memory to the client.
//!
//! ```text
//! server to client, over the socket, with the descriptor of the memory
//! +------------+------------------------+-----------------------+
//! | "ZORBSHM1" | size of requests' ring | size of replies' ring |
//! |  8 octets  | 4 octets, little end   | 4 octets, little end  |
//! +------------+------------------------+-----------------------+
//! ```
//!
//! The server sends it and goes on, so a client that never looks keeps nobody waiting.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use socket2::Socket;
use zorb_os::memory::SharedMemory;
use zorb_os::socket::{recv_descriptor, send_descriptor};

use crate::ring::Layout;

const MAGIC: [u8; 8] = *b"ZORBSHM1";
const LEN: usize = 16;

/// Makes the memory and hands it to the client.
pub(crate) fn offer(socket: &Socket, layout: Layout) -> io::Result<Arc<SharedMemory>> {
    let memory = SharedMemory::create("zorb-shm", layout.memory_len())?;
    let mut hello = MAGIC.to_vec();
    for size in layout.sizes() {
        let size = u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
        hello.extend(size.to_le_bytes());
    }
    send_descriptor(socket.as_fd(), &hello, memory.as_fd())?;
    Ok(Arc::new(memory))
}

/// Waits no longer than `limit` for the memory that the server hands over.
pub(crate) fn take(socket: &Socket, limit: Duration) -> io::Result<(Layout, Arc<SharedMemory>)> {
    socket.set_read_timeout(Some(limit.max(Duration::from_micros(1))))?;
    let mut hello = [0; LEN];
    let (count, descriptor) = match recv_descriptor(socket.as_fd(), &mut hello) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let what = "the server has a backlog, and did not come to this connection";
            return Err(io::Error::new(io::ErrorKind::TimedOut, what));
        }
        received => received?,
    };
    if count == 0 {
        let what = "the server closed the connection at once";
        return Err(io::Error::new(io::ErrorKind::ConnectionRefused, what));
    }
    let [m0, m1, m2, m3, m4, m5, m6, m7, requests @ .., r0, r1, r2, r3] = hello;
    let size = |octets| usize::try_from(u32::from_le_bytes(octets)).unwrap_or_default();
    let layout = Layout::new(size(requests), size([r0, r1, r2, r3]));
    let (Some(descriptor), Some(layout), LEN, MAGIC) =
        (descriptor, layout, count, [m0, m1, m2, m3, m4, m5, m6, m7])
    else {
        return Err(foreign("what listens there is no SHMIOP server of Zorb"));
    };
    let memory = SharedMemory::open(descriptor)?;
    if memory.len() != layout.memory_len() {
        return Err(foreign("the memory has another size than the server says"));
    }
    Ok((layout, Arc::new(memory)))
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

    fn taken(socket: &Socket) -> io::Result<(Layout, Arc<SharedMemory>)> {
        take(socket, Duration::from_millis(1))
    }

    #[test]
    fn what_is_offered_is_taken() {
        let (server, client) = pair();
        let layout = Layout::new(8192, 1 << 16).unwrap();
        let made = offer(&server, layout).unwrap();
        let (found, memory) = taken(&client).unwrap();
        assert_eq!((found, memory.len()), (layout, made.len()));
        made.write(9000, b"same");
        let mut octets = [0; 4];
        memory.read(9000, &mut octets);
        assert_eq!(&octets, b"same");
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
            [&MAGIC[..], &sizes[0].to_le_bytes(), &sizes[1].to_le_bytes()].concat()
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
        assert_eq!(offered(&good([4096; 2])[..15], Some(&fitting)), refused);
        assert_eq!(offered(b"GIOP\x01\x02\x01\x06\0\0\0\0\0\0\0\0", Some(&fitting)), refused);
        for sizes in [[4096, 8192], [0, 8192], [4096, 0], [4095, 4097], [1 << 31, 1 << 31]] {
            assert_eq!(offered(&good(sizes), Some(&fitting)), refused, "{sizes:?}");
        }
        for len in [1, 3 * 4096 - 1, 3 * 4096 + 1] {
            assert_eq!(offered(&good([4096; 2]), Some(&memory(len))), refused, "{len}");
        }
    }
}
