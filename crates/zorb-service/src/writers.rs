//! Who may change what services have.

use std::net::SocketAddr;

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
    let names = permitted(orb);
    move || {
        let Some(caller) = Caller::current().filter(|_| !names.is_empty()) else { return Ok(()) };
        let identity = caller.identity();
        match identity.is_some_and(|it| names.iter().any(|name| it.has_name(name))) {
            true => Ok(()),
            false => Err(refused(&caller)),
        }
    }
}

/// As [`check_writer`], but if `ServiceWriters` is empty, only clients on this machine are permitted: for services whose
/// changes start programs.
///
/// # Errors
/// The function returns `NO_PERMISSION` for other clients.
pub fn check_local_writer(
    orb: &Orb,
) -> impl Fn() -> Result<(), SystemException> + Send + Sync + 'static + use<> {
    let names = permitted(orb);
    let check = check_writer(orb);
    move || match Caller::current() {
        Some(caller) if names.is_empty() && !is_local(caller.address()) => Err(refused(&caller)),
        _ => check(),
    }
}

/// Whether an address of a client is one of this machine: of the loopback interface, or the process that the system reports
/// for Unix-domain sockets and shared memory. Nobody knows who has sent a datagram (DIOP).
fn is_local(address: &str) -> bool {
    match address.parse::<SocketAddr>() {
        Ok(address) => address.ip().to_canonical().is_loopback(),
        Err(_) => address.starts_with("pid "),
    }
}

/// The names that an ORB's option has.
fn permitted(orb: &Orb) -> Vec<String> {
    let options = orb.options().get::<ServiceOptions>();
    options.map(|options| options.service_writers.names().to_vec()).unwrap_or_default()
}

#[cold]
fn refused(caller: &Caller) -> SystemException {
    tracing::warn!(
        client = caller.address(),
        "refused a change: ServiceWriters does not permit the client"
    );
    SystemException::no_permission(minor::no_permission::REFUSED, CompletionStatus::No)
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn clients_of_this_machine_are_local() {
        for address in ["127.0.0.1:5", "[::1]:5", "[::ffff:127.0.0.1]:5", "pid 7, uid 0, gid 0"] {
            assert!(is_local(address), "{address}");
        }
        // The last but one is that of the clients of a server over UDP.
        let others = ["192.0.2.7:5", "[2001:db8::7]:5", "[::ffff:192.0.2.7]:5", "all clients", ""];
        for address in others {
            assert!(!is_local(address), "{address}");
        }
    }
}
