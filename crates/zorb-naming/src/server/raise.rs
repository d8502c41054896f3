//! Refusals as exceptions of CosNaming.

use zorb::{CompletionStatus, MinorCode, Report, SystemException, minor};
use zorb_store::{StoreError, StoreErrorKind};

use super::names::NotMade;
use super::path::Path;
use super::tree::Refusal;
use crate::cos_naming::naming_context::{AlreadyBound, BindError, InvalidName, NotFound};

/// What operations with a name raise. `BindError` has the exceptions of all of them.
pub(crate) type Raised = BindError;

/// The exception for a refusal that concerns `name`. A name that leads elsewhere is for the
/// [federation](super::federation).
#[cold]
pub(crate) fn raised(refusal: Refusal, name: &Path) -> Raised {
    match refusal {
        Refusal::NotFound(why, at) => NotFound { why, rest_of_name: name.name_from(at) }.into(),
        Refusal::InvalidName => InvalidName.into(),
        Refusal::AlreadyBound => AlreadyBound.into(),
        Refusal::NoContext => Raised::System(no_context()),
        Refusal::Full => Raised::System(full()),
        Refusal::Elsewhere(..) | Refusal::NotEmpty => {
            let code = minor::internal::BROKEN_INVARIANT;
            Raised::System(SystemException::internal(code, CompletionStatus::No))
        }
    }
}

/// The exception of a context that does not exist.
#[cold]
pub(crate) fn no_context() -> SystemException {
    SystemException::object_not_exist(minor::object_not_exist::NO_MATCH, CompletionStatus::No)
}

/// The exception of a limit.
#[cold]
pub(crate) fn full() -> SystemException {
    SystemException::imp_limit(MinorCode::NONE, CompletionStatus::No)
}

/// The exception of a refusal without a name, or of the store.
#[cold]
pub(crate) fn system(not_made: NotMade) -> SystemException {
    match not_made {
        NotMade::Refused(Refusal::Full) => full(),
        NotMade::Refused(_) => no_context(),
        NotMade::NotStored(error) => not_stored(&error),
    }
}

/// The exception of a store that refuses a change or fails. After a failure that may have come too late, nobody knows
/// whether the change has been stored.
#[cold]
fn not_stored(error: &StoreError) -> SystemException {
    use StoreErrorKind::{Failed, Full, Limit};
    let completed = match error.kind() {
        Limit => return full(),
        Full | Failed => CompletionStatus::No,
        _ => CompletionStatus::Maybe,
    };
    tracing::error!(error = %Report(error), hint = error.hint(), "cannot store a name");
    SystemException::persist_store(MinorCode::NONE, completed)
}
