//! What an idle socket has pending.

use std::io;
use std::os::fd::BorrowedFd;

use crate::sys;

/// What a look at an idle socket found.
#[derive(Debug)]
pub enum Pending {
    /// Nothing: the connection stands and is quiet.
    Nothing,
    /// Bytes that nobody has read.
    Data,
    /// The peer has ended the stream.
    End,
    /// The connection is in error.
    Error(io::Error),
}

/// Looks at what `socket` has pending, without waiting and without taking anything. One system
/// call. An error that the socket holds is reported once and cleared, as the system does it.
#[must_use]
pub fn peek(socket: BorrowedFd<'_>) -> Pending {
    loop {
        return match sys::fd::peek(socket) {
            Ok(0) => Pending::End,
            Ok(_) => Pending::Data,
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => Pending::Nothing,
                io::ErrorKind::Interrupted => continue,
                _ => Pending::Error(error),
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn quiet_then_data_then_end() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        assert!(matches!(peek(here.as_fd()), Pending::Nothing));
        there.write_all(b"x").unwrap();
        drop(there);
        assert!(matches!(peek(here.as_fd()), Pending::Data));
        assert!(matches!(peek(here.as_fd()), Pending::Data), "looking takes nothing");
        here.read_exact(&mut [0]).unwrap();
        assert!(matches!(peek(here.as_fd()), Pending::End));
    }

    #[test]
    fn what_is_no_socket_is_an_error() {
        let file = File::open("/proc/self/status").unwrap();
        assert!(matches!(peek(file.as_fd()), Pending::Error(_)));
    }
}
