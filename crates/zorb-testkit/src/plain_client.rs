//! Clients and servers without an ORB: their address, a message that they send, and those that they get.

use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr, TcpStream};

use socket2::{Domain, Socket, Type};
use zorb_giop::{HEADER_SIZE, MessageHeader};

/// A LocateRequest of GIOP 1.0 for an object that no server has: the request id is 7, and the key `none`.
pub const LOCATE_REQUEST: &[u8] = b"GIOP\x01\x00\x01\x03\x0c\0\0\0\x07\0\0\0\x04\0\0\0none";
/// The message type of LocateReply, octet 7 of the message.
pub const LOCATE_REPLY: u8 = 4;
/// The message type of CloseConnection, octet 7 of the message.
pub const CLOSE_CONNECTION: u8 = 5;

/// Connects to a server from this address of the machine: every address `127.…` is one of its own.
///
/// # Errors
/// Those of the system; `InvalidInput` for what is no address.
pub fn connect_from(address: &str, server: &str) -> io::Result<TcpStream> {
    let invalid = |_| io::ErrorKind::InvalidInput;
    let address: IpAddr = address.parse().map_err(invalid)?;
    let server: SocketAddr = server.parse().map_err(invalid)?;
    let client = Socket::new(Domain::for_address(server), Type::STREAM, None)?;
    client.bind(&SocketAddr::new(address, 0).into())?;
    client.connect(&server.into())?;
    Ok(client.into())
}

/// Reads a message of GIOP: its header, and all of its octets.
///
/// # Errors
/// Those of the stream; `UnexpectedEof` at its end.
pub fn read_message(stream: &mut impl Read) -> io::Result<(MessageHeader, Vec<u8>)> {
    let mut message = vec![0; HEADER_SIZE];
    stream.read_exact(&mut message)?;
    let header = MessageHeader::parse_prefix(&message).unwrap().unwrap();
    message.resize(header.total_size(), 0);
    stream.read_exact(&mut message[HEADER_SIZE..])?;
    Ok((header, message))
}
