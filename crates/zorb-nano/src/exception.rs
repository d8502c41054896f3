//! System exceptions as numbers.

use zorb_cdr::{CdrError, CdrReader, CdrResult, CdrWriter};
use zorb_types::{CompletionStatus, MinorCode, SystemExceptionKind, Transfer, minor};

/// A system exception: three numbers, without the text and the context of the full ORB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemException {
    /// Which of the standard's system exceptions; `as u8` is its number.
    pub kind: SystemExceptionKind,
    /// The reason, as the ORB that raised it numbers it.
    pub minor: MinorCode,
    /// Whether the operation had been carried out.
    pub completed: CompletionStatus,
}

impl SystemException {
    /// A system exception of `kind`.
    pub const fn new(
        kind: SystemExceptionKind,
        minor: MinorCode,
        completed: CompletionStatus,
    ) -> Self {
        Self { kind, minor, completed }
    }

    /// The operation was not begun.
    pub(crate) const fn before(kind: SystemExceptionKind, minor: MinorCode) -> Self {
        Self::new(kind, minor, CompletionStatus::No)
    }

    /// The operation may have been carried out.
    pub(crate) const fn maybe(kind: SystemExceptionKind, minor: MinorCode) -> Self {
        Self::new(kind, minor, CompletionStatus::Maybe)
    }

    /// A request larger than the limit.
    pub(crate) const TOO_LARGE: Self =
        Self::before(SystemExceptionKind::ImpLimit, minor::imp_limit::MESSAGE_TOO_LARGE);

    /// There is no memory for a buffer.
    pub(crate) const NO_MEMORY: Self =
        Self::before(SystemExceptionKind::NoMemory, minor::no_memory::OUT_OF_MEMORY);

    /// The server has raised a user exception that is not in the operation's IDL.
    pub const UNLISTED: Self =
        Self::maybe(SystemExceptionKind::Unknown, minor::unknown::UNLISTED_USER_EXCEPTION);

    /// The interface has no such operation.
    pub const UNKNOWN_OPERATION: Self =
        Self::before(SystemExceptionKind::BadOperation, minor::bad_operation::OPERATION_UNKNOWN);

    /// A message larger than the limit.
    #[cold]
    pub(crate) fn too_large(transfer: Transfer) -> Self {
        Self { completed: completed_at(transfer), ..Self::TOO_LARGE }
    }

    /// The exception that the standard requires if marshalling fails with `error`.
    #[cold]
    pub(crate) fn of_cdr(error: CdrError, transfer: Transfer) -> Self {
        let completed = completed_at(transfer);
        let full = zorb_types::SystemException::from_cdr(error, completed, transfer);
        Self::new(full.kind, full.minor, full.completed)
    }

    /// Appends the body of a `SYSTEM_EXCEPTION` reply.
    pub(crate) fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(self.kind.repository_id())?;
        writer.write_u32(self.minor.0);
        writer.write_u32(self.completed as u32);
        Ok(())
    }

    /// Reads the body of a `SYSTEM_EXCEPTION` reply. An id that the standard does not know becomes `UNKNOWN`.
    pub(crate) fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let id = reader.read_string_octets(u32::MAX, "system exception id")?;
        let minor = MinorCode(reader.read_u32()?);
        let completed = CompletionStatus::try_from(reader.read_u32()?);
        let completed = completed.unwrap_or(CompletionStatus::Maybe);
        let id = core::str::from_utf8(id).unwrap_or_default();
        Ok(match SystemExceptionKind::from_repository_id(id) {
            Some(kind) => Self::new(kind, minor, completed),
            None => {
                let minor = minor::unknown::UNKNOWN_SYSTEM_EXCEPTION;
                Self::new(SystemExceptionKind::Unknown, minor, completed)
            }
        })
    }
}

/// Whether the operation has been carried out by then.
fn completed_at(transfer: Transfer) -> CompletionStatus {
    match transfer {
        Transfer::SendRequest | Transfer::ReceiveRequest => CompletionStatus::No,
        Transfer::SendReply | Transfer::ReceiveReply => CompletionStatus::Yes,
    }
}
