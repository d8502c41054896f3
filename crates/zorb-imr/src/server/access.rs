//! Who may administer the repository, and what others get.

use zorb::{CompletionStatus, MinorCode, Report, SystemException, minor};
use zorb_store::{StoreError, StoreErrorKind};

/// Checks that the client whose request the calling thread serves may change servers.
pub(crate) type WriteCheck = dyn Fn() -> Result<(), SystemException> + Send + Sync;

/// Why a change is not made.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There is no such server.
    NotFound,
    /// A limit is reached.
    Full,
    /// The name, or another argument, is invalid.
    Invalid,
    /// The store fails.
    NotStored(StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::NotStored(error)
    }
}

impl Refusal {
    /// The exception, other than `NotFound`.
    #[cold]
    pub(crate) fn exception(&self) -> SystemException {
        let no = CompletionStatus::No;
        match self {
            Self::NotFound => SystemException::bad_param(MinorCode::NONE, no),
            Self::Invalid => SystemException::bad_param(MinorCode::NONE, no),
            Self::Full => SystemException::imp_limit(MinorCode::NONE, no),
            Self::NotStored(error) => {
                tracing::error!(error = %Report(error), hint = error.hint(), "cannot store a server");
                match error.kind() {
                    StoreErrorKind::Limit => SystemException::imp_limit(MinorCode::NONE, no),
                    StoreErrorKind::Full | StoreErrorKind::Failed => {
                        SystemException::persist_store(MinorCode::NONE, no)
                    }
                    _ => {
                        let maybe = CompletionStatus::Maybe;
                        SystemException::persist_store(MinorCode::NONE, maybe)
                    }
                }
            }
        }
    }
}

/// The exception for requests whose server is not started.
#[cold]
pub(crate) fn not_started() -> SystemException {
    SystemException::transient(minor::transient::SERVER_NOT_STARTED, CompletionStatus::No)
}

/// The exception for requests while the repository ends.
#[cold]
pub(crate) fn ending() -> SystemException {
    SystemException::transient(minor::transient::SHUTTING_DOWN, CompletionStatus::No)
}
