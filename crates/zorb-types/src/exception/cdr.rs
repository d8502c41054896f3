//! Which system exception a marshalling error becomes.

use zorb_cdr::{CdrError, CdrErrorKind};

use super::{CompletionStatus, MinorCode, SystemException, minor};

/// Which way a body was going when its marshalling failed; the standard's choice of exception
/// depends on it for wide text, and so does whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// A client writes a request's arguments.
    SendRequest,
    /// A server reads a request's arguments.
    ReceiveRequest,
    /// A server writes a reply's results.
    SendReply,
    /// A client reads a reply's results.
    ReceiveReply,
}

impl Transfer {
    /// Whether this side wrote, so that a faulty value is the program's own.
    const fn is_sending(self) -> bool {
        matches!(self, Self::SendRequest | Self::SendReply)
    }

    const fn is_client(self) -> bool {
        matches!(self, Self::SendRequest | Self::ReceiveReply)
    }

    const fn is_request(self) -> bool {
        matches!(self, Self::SendRequest | Self::ReceiveRequest)
    }
}

/// For values that a program encodes itself, such as an [`Any`](crate::Any)'s.
impl From<CdrError> for SystemException {
    fn from(error: CdrError) -> Self {
        Self::from_cdr(error, CompletionStatus::No, Transfer::SendRequest)
    }
}

impl SystemException {
    /// The exception that the standard requires if marshalling fails with `error`.
    ///
    /// Malformed input is `MARSHAL`; a value of our own that has no encoding is `BAD_PARAM`;
    /// characters outside the code set are `DATA_CONVERSION`; limits of our own are `IMP_LIMIT`.
    #[cold]
    pub fn from_cdr(error: CdrError, completed: CompletionStatus, transfer: Transfer) -> Self {
        use minor::{bad_param, bad_typecode, data_conversion, imp_limit, inv_objref, marshal};

        let malformed = |minor| Self::marshal(minor, completed);
        let at_fault = |sent, received| -> Self {
            let ours: Option<MinorCode> = if transfer.is_sending() { Some(sent) } else { None };
            match ours {
                Some(minor) => Self::bad_param(minor, completed),
                None => Self::marshal(received, completed),
            }
        };
        match error.kind {
            CdrErrorKind::ExtraOctets => malformed(marshal::EXTRA_OCTETS),
            CdrErrorKind::OutOfMemory => {
                Self::no_memory(minor::no_memory::OUT_OF_MEMORY, completed)
            }
            CdrErrorKind::TooMuchMemory => malformed(marshal::TOO_MUCH_MEMORY),
            CdrErrorKind::Truncated => malformed(marshal::TRUNCATED),
            CdrErrorKind::LengthBeyondEnd => malformed(marshal::LENGTH_BEYOND_END),
            CdrErrorKind::UnknownValue => malformed(marshal::NO_VALUE_FACTORY),
            CdrErrorKind::BadBoolean => malformed(marshal::BAD_BOOLEAN),
            CdrErrorKind::BoundExceeded => {
                at_fault(bad_param::BOUND_EXCEEDED, marshal::BOUND_EXCEEDED)
            }
            CdrErrorKind::BadString => at_fault(bad_param::NUL_IN_STRING, marshal::BAD_STRING),
            CdrErrorKind::BadDiscriminator => {
                at_fault(bad_param::ILLEGITIMATE_DISCRIMINATOR, marshal::BAD_DISCRIMINATOR)
            }
            CdrErrorKind::BadEnum => Self::bad_param(bad_param::ENUM_OUT_OF_RANGE, completed),
            CdrErrorKind::BadText => {
                Self::data_conversion(data_conversion::CHARACTER_NOT_MAPPED, completed)
            }
            CdrErrorKind::WideNotAllowed if transfer.is_request() => {
                malformed(marshal::WIDE_FROM_GIOP_1_0)
            }
            CdrErrorKind::WideNotAllowed => malformed(marshal::WIDE_TO_GIOP_1_0),
            CdrErrorKind::WideNotNegotiated if transfer.is_client() => {
                Self::inv_objref(inv_objref::WIDE_NOT_SUPPORTED, completed)
            }
            CdrErrorKind::WideNotNegotiated => {
                Self::bad_param(bad_param::WIDE_SET_UNKNOWN, completed)
            }
            // What a peer sent is malformed, whatever the reason.
            CdrErrorKind::TooDeep if !transfer.is_sending() => malformed(marshal::TOO_DEEP),
            CdrErrorKind::BadTypeCode if !transfer.is_sending() => {
                malformed(marshal::BAD_TYPE_CODE)
            }
            CdrErrorKind::TooDeep => Self::imp_limit(imp_limit::TOO_DEEP, completed),
            CdrErrorKind::TooLong => Self::imp_limit(imp_limit::TOO_LONG, completed),
            CdrErrorKind::BadTypeCode => Self::bad_typecode(bad_typecode::MALFORMED, completed),
            CdrErrorKind::BadReference => Self::inv_objref(inv_objref::MALFORMED, completed),
            CdrErrorKind::Unsupported => {
                Self::no_implement(minor::no_implement::UNSUPPORTED_TYPE, completed)
            }
            _ => malformed(marshal::BAD_VALUE),
        }
    }
}
