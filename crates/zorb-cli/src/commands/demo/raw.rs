//! Bare TCP between the two processes: the reference for calls.
//!
//! A connection starts with five big-endian `unsigned long`s: the octets of a request and of a
//! reply, a port of the client (0 for none), and the octets of a request and of a reply there. Then
//! requests and replies alternate. If a port is given, the server makes a round trip to it between
//! each request and its reply, as a servant with a callback does.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread::Builder;

use super::exchange::{CALL_TIMEOUT, Exchange, Sizes};

/// The largest message, in octets.
const MAX_SIZE: u32 = 1 << 20;

/// A ping-pong connection.
#[derive(Debug)]
pub(super) struct RawConnection {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

impl RawConnection {
    /// Connects to the raw server for exchanges of these sizes.
    pub(super) fn open(server: SocketAddr, sizes: &Sizes) -> io::Result<Self> {
        let back_port = match &sizes.callback {
            Some(callback) => answer_one(*callback)?,
            None => 0,
        };
        let back = sizes.callback.unwrap_or_default();
        let mut header = Vec::new();
        let port = u32::from(back_port);
        let Exchange { request, reply } = sizes.call;
        for number in [request, reply, port, back.request, back.reply] {
            header.extend(number.to_be_bytes());
        }
        let mut stream = prepared(TcpStream::connect(server)?)?;
        stream.write_all(&header)?;
        Ok(Self { stream, request: octets(request)?, reply: octets(reply)? })
    }

    /// One round trip.
    pub(super) fn exchange(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.request)?;
        self.stream.read_exact(&mut self.reply)
    }
}

/// Serves connections on a port of its own until the process ends.
pub(super) fn serve() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    Builder::new().name("raw-accept".to_owned()).spawn(move || {
        for stream in listener.incoming() {
            // The client notices a broken connection.
            let serve = move || stream.map(serve_connection);
            let _ = Builder::new().name("raw-connection".to_owned()).spawn(serve);
        }
    })?;
    Ok(address)
}

fn serve_connection(stream: TcpStream) -> io::Result<()> {
    let mut stream = prepared(stream)?;
    let mut numbers = [0; 5];
    for number in &mut numbers {
        let mut octets = [0; 4];
        stream.read_exact(&mut octets)?;
        *number = u32::from_be_bytes(octets);
    }
    let [request, reply, port, back_request, back_reply] = numbers;
    let (mut request, reply) = (octets(request)?, octets(reply)?);
    let mut back = match u16::try_from(port) {
        Ok(0) => None,
        Ok(port) => {
            let stream = prepared(TcpStream::connect((Ipv4Addr::LOCALHOST, port))?)?;
            Some(RawConnection {
                stream,
                request: octets(back_request)?,
                reply: octets(back_reply)?,
            })
        }
        Err(_) => return Err(io::ErrorKind::InvalidData.into()),
    };
    // The connection is idle while the client measures something else.
    stream.set_read_timeout(None)?;
    loop {
        stream.read_exact(&mut request)?;
        if let Some(back) = &mut back {
            back.exchange()?;
        }
        stream.write_all(&reply)?;
    }
}

/// Answers the requests of one connection; returns the port to connect to.
fn answer_one(sizes: Exchange) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    let (mut request, reply) = (octets(sizes.request)?, octets(sizes.reply)?);
    Builder::new().name("raw-callback".to_owned()).spawn(move || -> io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        loop {
            stream.read_exact(&mut request)?;
            stream.write_all(&reply)?;
        }
    })?;
    Ok(port)
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(CALL_TIMEOUT))?;
    Ok(stream)
}

fn octets(count: u32) -> io::Result<Vec<u8>> {
    if count > MAX_SIZE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(vec![0x5a; count as usize])
}
