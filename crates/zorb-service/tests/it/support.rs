//! What the tests share.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use zorb::{Orb, OrbBuilder};

/// A builder that listens on a free port.
pub(crate) fn builder() -> OrbBuilder {
    Orb::builder().without_environment().listen("iiop://127.0.0.1:0")
}

/// The status and the body of the response to these octets.
pub(crate) fn ask(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
    if !request.starts_with("HEAD") {
        assert_eq!(length.parse(), Ok(body.len()));
    }
    (status, body.to_owned())
}

pub(crate) fn get(address: SocketAddr, path: &str) -> (u16, String) {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}
