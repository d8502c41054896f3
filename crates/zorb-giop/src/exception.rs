//! Conversion of this crate's errors to system exceptions.

use zorb_types::{CompletionStatus, MinorCode, SystemException, minor};

use crate::{CodeSetError, IorTextError, ProtocolError, ProtocolErrorKind, UrlError, UrlErrorKind};

impl UrlError {
    /// The minor code of the BAD_PARAM to raise.
    pub const fn minor(&self) -> MinorCode {
        match self.kind {
            UrlErrorKind::BadScheme => minor::bad_param::BAD_SCHEME,
            UrlErrorKind::BadAddress => minor::bad_param::BAD_ADDRESS,
            UrlErrorKind::BadSchemeSpecificPart => minor::bad_param::BAD_SCHEME_SPECIFIC_PART,
            UrlErrorKind::Other => minor::bad_param::BAD_URL,
        }
    }
}

/// `BAD_PARAM`, `COMPLETED_NO`.
impl From<UrlError> for SystemException {
    #[cold]
    fn from(error: UrlError) -> Self {
        Self::bad_param(error.minor(), CompletionStatus::No)
    }
}

/// `BAD_PARAM`, `COMPLETED_NO`.
impl From<IorTextError> for SystemException {
    #[cold]
    fn from(_: IorTextError) -> Self {
        Self::bad_param(minor::bad_param::MALFORMED_IOR, CompletionStatus::No)
    }
}

/// `CODESET_INCOMPATIBLE`, or `MARSHAL` for a context that cannot be read; `COMPLETED_NO`.
impl From<CodeSetError> for SystemException {
    #[cold]
    fn from(error: CodeSetError) -> Self {
        use minor::codeset_incompatible;
        let no = CompletionStatus::No;
        match error {
            CodeSetError::Incompatible { .. } => {
                Self::codeset_incompatible(codeset_incompatible::NO_COMMON_SET, no)
            }
            CodeSetError::NotSupported(_) => {
                Self::codeset_incompatible(codeset_incompatible::NOT_SUPPORTED, no)
            }
            CodeSetError::Malformed(_) => Self::marshal(minor::marshal::BAD_HEADER, no),
        }
    }
}

/// `COMM_FAILURE`, `COMPLETED_MAYBE`: the exception of outstanding requests; `NO_MEMORY` if there was none for
/// a message.
impl From<ProtocolError> for SystemException {
    #[cold]
    fn from(error: ProtocolError) -> Self {
        let maybe = CompletionStatus::Maybe;
        match error.kind {
            ProtocolErrorKind::OutOfMemory(_) => {
                Self::no_memory(minor::no_memory::BUFFER_LIMIT, maybe)
            }
            _ => Self::comm_failure(minor::comm_failure::PROTOCOL_ERROR, maybe),
        }
    }
}
