//! Who may change what services have.

use zorb::{Caller, CompletionStatus, Orb, SystemException, minor};

use crate::options::ServiceOptions;

/// A check of the client whose request the calling thread serves, for the operations of services that change something:
/// permits the clients that the ORB's option `ServiceWriters` names, and all if it is empty. Calls within the process are
/// permitted, too.
///
/// # Errors
/// The function returns `NO_PERMISSION` for other clients.
pub fn check_writer(
    orb: &Orb,
) -> impl Fn() -> Result<(), SystemException> + Send + Sync + 'static + use<> {
    let options = orb.options().get::<ServiceOptions>();
    let names: Vec<String> = options.map(permitted).unwrap_or_default();
    move || {
        let Some(caller) = Caller::current().filter(|_| !names.is_empty()) else { return Ok(()) };
        let identity = caller.identity();
        match identity.is_some_and(|it| names.iter().any(|name| it.has_name(name))) {
            true => Ok(()),
            false => Err(refused(&caller)),
        }
    }
}

/// The names of an option.
fn permitted(options: &ServiceOptions) -> Vec<String> {
    let names = options.service_writers.split(';').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cold]
fn refused(caller: &Caller) -> SystemException {
    tracing::warn!(
        client = caller.address(),
        "refused a change: ServiceWriters does not name the client"
    );
    SystemException::no_permission(minor::no_permission::REFUSED, CompletionStatus::No)
}
