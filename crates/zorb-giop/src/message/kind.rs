//! The types of messages.

use core::fmt;

use crate::GiopVersion;

/// The type of a message (CORBA 3.3 part 2, table 9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MessageKind {
    /// Invokes an operation of an object.
    Request = 0,
    /// Answers a Request.
    Reply = 1,
    /// Cancels a request: the client no longer waits for its reply.
    CancelRequest = 2,
    /// Locates an object.
    LocateRequest = 3,
    /// Answers a LocateRequest.
    LocateReply = 4,
    /// Announces an orderly shutdown: requests without a reply were not processed.
    CloseConnection = 5,
    /// Reports that the peer's last message was invalid.
    MessageError = 6,
    /// Continues a message whose header says that more fragments follow.
    Fragment = 7,
}

impl MessageKind {
    /// The kind with this number on the wire.
    #[inline]
    pub const fn from_octet(octet: u8) -> Option<Self> {
        Some(match octet {
            0 => Self::Request,
            1 => Self::Reply,
            2 => Self::CancelRequest,
            3 => Self::LocateRequest,
            4 => Self::LocateReply,
            5 => Self::CloseConnection,
            6 => Self::MessageError,
            7 => Self::Fragment,
            _ => return None,
        })
    }

    /// The standard's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "Request",
            Self::Reply => "Reply",
            Self::CancelRequest => "CancelRequest",
            Self::LocateRequest => "LocateRequest",
            Self::LocateReply => "LocateReply",
            Self::CloseConnection => "CloseConnection",
            Self::MessageError => "MessageError",
            Self::Fragment => "Fragment",
        }
    }

    /// Whether `version` allows fragments of a message of this kind.
    #[inline]
    pub const fn is_fragmentable(self, version: GiopVersion) -> bool {
        match version {
            GiopVersion::V1_0 => false,
            GiopVersion::V1_1 => matches!(self, Self::Request | Self::Reply),
            GiopVersion::V1_2 => {
                matches!(
                    self,
                    Self::Request | Self::Reply | Self::LocateRequest | Self::LocateReply
                )
            }
        }
    }
}

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
