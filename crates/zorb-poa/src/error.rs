//! The errors of adapter operations: the exceptions of the `PortableServer` module.

use std::collections::TryReserveError;
use std::fmt;

use zorb_base::error::{Error, ErrorContext, Phase};
use zorb_types::{CompletionStatus, SystemException, minor};

/// A failed operation of a `Poa` or [`PoaManager`](super::PoaManager).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoaError {
    /// `AdapterAlreadyExists`: the parent has a child of this name.
    AdapterAlreadyExists,
    /// `AdapterNonExistent`: the parent has no child of this name.
    AdapterNonExistent,
    /// `AdapterInactive`: the manager has been deactivated, which is final.
    AdapterInactive,
    /// `InvalidPolicy`: the policies are invalid or contradict each other.
    InvalidPolicy {
        /// The index of the policy in the order in which the program set them, as the standard's `index`; `None` if
        /// it did not set the policy for this adapter.
        index: Option<u16>,
        /// The rule that they violate.
        reason: &'static str,
    },
    /// `ManagerAlreadyExists`: the ORB has a POA manager with this id.
    ManagerAlreadyExists,
    /// `NoContext`: the thread makes no upcall of the ORB.
    NoContext,
    /// `NoServant`: the adapter has no default servant.
    NoServant,
    /// `ObjectAlreadyActive`: the id has a servant.
    ObjectAlreadyActive,
    /// `ObjectNotActive`: the id has no servant.
    ObjectNotActive,
    /// `PolicyError`, for the reason `UNSUPPORTED_POLICY`: a POA manager cannot have one of the policies.
    PolicyError {
        /// The rule that it violates.
        reason: &'static str,
    },
    /// `ServantAlreadyActive`: the servant already has an id, and the adapter's ids are unique.
    ServantAlreadyActive,
    /// `ServantNotActive`: the servant has no id, and activation is explicit.
    ServantNotActive,
    /// `NotAGroupObject`: the reference is not a group reference of a protocol of the ORB.
    NotAGroupObject,
    /// `WrongAdapter`: the reference belongs to another adapter.
    WrongAdapter,
    /// `WrongPolicy`: the adapter's policies do not allow the operation.
    WrongPolicy,
    /// A system exception.
    System(SystemException),
}

impl PoaError {
    /// `InvalidPolicy` for a rule that does not concern one of the policies that the program set.
    #[doc(hidden)]
    #[cold]
    pub fn invalid_policy(reason: &'static str) -> Self {
        Self::InvalidPolicy { index: None, reason }
    }
}

impl fmt::Display for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AdapterAlreadyExists => "an adapter of this name already exists",
            Self::AdapterNonExistent => "no adapter of this name exists",
            Self::AdapterInactive => "the adapter's manager is inactive",
            Self::InvalidPolicy { reason, .. } | Self::PolicyError { reason } => reason,
            Self::ManagerAlreadyExists => "a POA manager with this id already exists",
            Self::NoContext => "the thread makes no upcall of this ORB",
            Self::NoServant => "the adapter has no default servant",
            Self::ObjectAlreadyActive => "the object id already has a servant",
            Self::ObjectNotActive => "the object id has no servant",
            Self::ServantAlreadyActive => "the servant already has an object id",
            Self::ServantNotActive => "the servant has no object id",
            Self::NotAGroupObject => "the reference is not a group reference",
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

/// Makes `?` work in servants that activate objects: errors of the adapter become `OBJ_ADAPTER`, completed MAYBE.
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

/// `NO_MEMORY`, completed NO.
#[cold]
pub(crate) fn no_memory(_: TryReserveError) -> SystemException {
    SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, CompletionStatus::No)
}

/// `OBJECT_NOT_EXIST`, completed NO.
#[cold]
pub(crate) fn not_there(minor: zorb_types::MinorCode) -> SystemException {
    SystemException::object_not_exist(minor, CompletionStatus::No)
}
