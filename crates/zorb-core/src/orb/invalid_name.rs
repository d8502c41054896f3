//! `CORBA::ORB::InvalidName`.

use std::fmt;

use zorb_base::error::{Error, Phase};

/// The ORB has no initial reference of this name, or, when one is registered, the name is empty or taken
/// (`CORBA::ORB::InvalidName`). [`Error::downcast_ref`] finds it in the errors of these operations.
///
/// ```
/// use zorb_core::{InvalidName, ObjectRef, Orb};
///
/// let orb = Orb::builder().without_environment().build()?;
/// let error = orb.initial_reference::<ObjectRef>("Unknown").unwrap_err();
/// assert!(error.downcast_ref::<InvalidName>().is_some());
/// # Ok::<(), zorb_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidName;

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CORBA::ORB::InvalidName")
    }
}

impl std::error::Error for InvalidName {}

/// The error for the initial reference `name`, which is not registered.
#[cold]
pub(super) fn unknown(name: &str) -> Error {
    Error::new(Phase::Resolve, format!("initial reference {name:?} is not known"))
        .with_source(InvalidName)
}

/// The error for the initial reference `name`, which cannot be registered.
#[cold]
pub(super) fn not_available(name: &str) -> Error {
    let what = format!("initial reference {name:?}: the name is empty or taken");
    Error::new(Phase::Application, what).with_source(InvalidName)
}
