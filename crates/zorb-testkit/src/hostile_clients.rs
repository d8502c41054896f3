//! Hostile clients of a server over TCP.

use std::io::Write;
use std::net::TcpStream;

use super::plain_client::LOCATE_REQUEST;

/// The most octets of requests whose replies a client does not read.
const UNREAD: usize = 1 << 20;

/// Clients that connect to a server, and keep their connections open without being served: they say nothing, stop in a
/// header or a body, send an octet at a time, leave their replies unread, or send what is not GIOP. They never wait.
#[derive(Debug)]
pub struct HostileClients {
    server: String,
    open: Vec<TcpStream>,
    /// How many there have been.
    count: usize,
}

impl HostileClients {
    /// None yet, at the server with this address.
    #[must_use]
    pub fn at(server: &str) -> Self {
        Self { server: server.to_owned(), open: Vec::new(), count: 0 }
    }

    /// One more connects and misbehaves, each in another way than the one before; and those before it send one more
    /// octet of their messages.
    ///
    /// # Panics
    /// If the server does not listen.
    pub fn another(&mut self) {
        self.drip();
        let stream = TcpStream::connect(&self.server).expect("a server listens");
        stream.set_nonblocking(true).expect("any socket can be non-blocking");
        let _ = match self.count % 6 {
            0 => Ok(()),
            1 => (&stream).write_all(b"GIOP\x01\x00"),
            // A Request of a megabyte.
            2 => (&stream).write_all(b"GIOP\x01\x02\x01\x00\x00\x00\x10\x00\x02\0\0\0\x03\0\0\0"),
            // A Request of many fragments.
            3 => (&stream).write_all(b"GIOP\x01\x02\x03\x00\x04\0\0\0\x02\0\0\0"),
            4 => write_unread(&stream),
            _ => (&stream).write_all(b"HELO server\r\n\r\n"),
        };
        self.open.push(stream);
        self.count += 1;
    }

    /// Each of them sends an octet.
    pub fn drip(&self) {
        for mut stream in &self.open {
            // It may have been rejected, or does not read.
            let _ = stream.write(&[0]);
        }
    }
}

/// Sends requests as long as the server takes them.
fn write_unread(mut stream: &TcpStream) -> std::io::Result<()> {
    let requests = LOCATE_REQUEST.repeat(100);
    let mut left = UNREAD;
    while left > 0 {
        left = left.saturating_sub(stream.write(&requests)?);
    }
    Ok(())
}
