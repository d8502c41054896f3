//! Tells the system's service manager that the services are ready, as systemd's `Type=notify` expects.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The variable with the manager's socket: a path, or `@` and an abstract name.
const SOCKET: &str = "NOTIFY_SOCKET";

/// How long the manager's queue may be full.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Reports that the services are ready if a manager waits for it.
pub(crate) fn report_ready() {
    if let Some(socket) = env::var_os(SOCKET).filter(|socket| !socket.is_empty())
        && let Err(error) = send(&socket, b"READY=1")
    {
        tracing::warn!(?socket, %error, "cannot tell the service manager that the services are ready");
    }
}

fn send(socket: &OsStr, state: &[u8]) -> io::Result<()> {
    let address = match socket.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(socket),
    }?;
    let sender = UnixDatagram::unbound()?;
    sender.set_write_timeout(Some(TIMEOUT))?;
    sender.send_to_addr(state, &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        send(path.as_os_str(), b"READY=1").unwrap();
        let name = format!("zorb-service-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let other = UnixDatagram::bind_addr(&address).unwrap();
        send(OsStr::new(&format!("@{name}")), b"READY=1").unwrap();
        for manager in [manager, other] {
            let mut told = [0; 16];
            assert_eq!(manager.recv(&mut told).unwrap(), 7);
            assert_eq!(&told[..7], b"READY=1");
        }
        send(folder.path().join("missing").as_os_str(), b"READY=1").unwrap_err();
    }
}
