//! Clients without an ORB: a message that they send, and the types of those that they get.

/// A LocateRequest of GIOP 1.0 for an object that no server has: the request id is 7, and the key `none`.
pub const LOCATE_REQUEST: &[u8] = b"GIOP\x01\x00\x01\x03\x0c\0\0\0\x07\0\0\0\x04\0\0\0none";
/// The message type of LocateReply, octet 7 of the message.
pub const LOCATE_REPLY: u8 = 4;
/// The message type of CloseConnection, octet 7 of the message.
pub const CLOSE_CONNECTION: u8 = 5;
