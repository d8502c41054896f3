//! The vectors that are not to be decoded, or not to be written octet for octet; and why.

use std::fmt;

use serde_json::{Value as Json, json};
use zorb_cdr::CdrErrorKind;
use zorb_giop::{MessageKind, ProtocolErrorKind};

/// What must be wrong with a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The message.
    Protocol(ProtocolErrorKind),
    /// The arguments or results.
    Body(CdrErrorKind),
    /// So many octets behind the arguments.
    Trailing(usize),
}

/// What is wrong with this vector, if anything is.
pub fn expected_fault(id: &str) -> Option<Expected> {
    use Expected::{Body, Protocol, Trailing};
    let name = id.strip_prefix("raw/probe_omni_").or_else(|| id.strip_prefix("raw/probe_jac_"));
    let _ = MessageKind::Request;
    Some(match name.unwrap_or(id) {
        "bad_magic_1_invalid" => Protocol(ProtocolErrorKind::BadMagic(*b"GIOQ")),
        "bad_major_1_request" => Protocol(ProtocolErrorKind::UnsupportedVersion { major: 2, minor: 0 }),
        "bad_minor_1_request" => Protocol(ProtocolErrorKind::UnsupportedVersion { major: 1, minor: 9 }),
        "bad_type_1_invalid" => Protocol(ProtocolErrorKind::UnknownMessageType(9)),
        "bad_bool_1_request" => Body(CdrErrorKind::BadBoolean),
        "bad_bound_1_request" => Body(CdrErrorKind::BoundExceeded),
        "bad_enum_1_request" => Body(CdrErrorKind::BadEnum),
        "bad_string0_1_request" => Body(CdrErrorKind::BadString),
        "huge_seq_1_request" => Body(CdrErrorKind::LengthBeyondEnd),
        "short_body_1_request" => Body(CdrErrorKind::Truncated),
        "long_body_1_request" => Trailing(20),
        _ => return None,
    })
}

/// An encoder's choice that may differ from the recording's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Allowance {
    /// Wide text in UTF-16 with a byte-order mark; ours is big-endian without.
    ByteOrderMark,
    /// An exception in an any without its repository id, which the standard asks for.
    ExceptionIdInAny,
    /// A response_flags octet of 2, which no sender may use; read as "no reply".
    InvalidResponseFlags,
    /// A system exception that no standard knows becomes UNKNOWN.
    UnknownSystemException,
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByteOrderMark => "a byte-order mark in wide text",
            Self::ExceptionIdInAny => "an exception in an any without its id",
            Self::InvalidResponseFlags => "response_flags 2",
            Self::UnknownSystemException => "a system exception of no standard",
        })
    }
}

/// The choice in which this vector may differ, if there is one.
pub fn allowance(id: &str) -> Option<Allowance> {
    let _ = id;
    None
}

/// What the recording leaves out of the body of this reply.
pub fn unrecorded_body(id: &str) -> Option<Json> {
    let _ = id;
    Some(json!({}))
}
