//! What adapter operations raise: the exceptions of the `PortableServer` module.

use std::fmt;

use zorb_base::error::{Error, ErrorContext, Phase};
use zorb_types::{CompletionStatus, SystemException, minor};

/// A failed operation of a `Poa` or [`PoaManager`](super::PoaManager).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoaError {
    /// `AdapterAlreadyExists`: the parent has a child of that name.
    AdapterAlreadyExists,
    /// `AdapterNonExistent`: no child of that name.
    AdapterNonExistent,
    /// `AdapterInactive`: the manager has been deactivated, which is final.
    AdapterInactive,
    /// `InvalidPolicy`: policies that cannot hold together.
    InvalidPolicy {
        /// Which rule they break.
        reason: &'static str,
    },
    /// `ObjectAlreadyActive`: the id has a servant.
    ObjectAlreadyActive,
    /// `ObjectNotActive`: the id has no servant.
    ObjectNotActive,
    /// `ServantAlreadyActive`: the servant has an id, and ids are unique here.
    ServantAlreadyActive,
    /// `ServantNotActive`: the servant has no id here, and activation is explicit.
    ServantNotActive,
    /// `NotAGroupObject`: the reference is for no group that a protocol of the ORB knows.
    NotAGroupObject,
    /// `WrongAdapter`: the reference is of another adapter.
    WrongAdapter,
    /// `WrongPolicy`: the adapter's policies rule the operation out.
    WrongPolicy,
    /// A system exception.
    System(SystemException),
}

impl fmt::Display for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AdapterAlreadyExists => "an adapter of that name exists",
            Self::AdapterNonExistent => "there is no adapter of that name",
            Self::AdapterInactive => "the adapter's manager is inactive",
            Self::InvalidPolicy { reason } => reason,
            Self::ObjectAlreadyActive => "the object id has a servant already",
            Self::ObjectNotActive => "the object id has no servant",
            Self::ServantAlreadyActive => "the servant has an object id already",
            Self::ServantNotActive => "the servant has no object id",
            Self::NotAGroupObject => "the reference is for no group of objects",
            Self::WrongAdapter => "the reference belongs to another adapter",
            Self::WrongPolicy => "the adapter's policies do not allow it",
            Self::System(exception) => return exception.fmt(f),
        })
    }
}

impl std::error::Error for PoaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(exception) => exception.source(),
            _ => None,
        }
    }
}

impl From<SystemException> for PoaError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// So that `?` works in servants that activate objects: what the adapter refuses is `OBJ_ADAPTER`.
impl From<PoaError> for SystemException {
    #[cold]
    fn from(error: PoaError) -> Self {
        match error {
            PoaError::System(exception) => exception,
            refused => Self::obj_adapter(minor::obj_adapter::REFUSED, CompletionStatus::Maybe)
                .with_context(ErrorContext::new(Phase::Adapter).with_source(refused)),
        }
    }
}

impl From<PoaError> for Error {
    #[cold]
    fn from(error: PoaError) -> Self {
        SystemException::from(error).into()
    }
}
