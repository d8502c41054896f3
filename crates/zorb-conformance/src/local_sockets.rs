//! References in messages that lead to local sockets.

use std::os::unix::net::UnixListener;
use std::path::Path;

use zorb::giop::Ior;
use zorb::{SystemExceptionKind, minor};

use crate::idl;
use crate::subject::Subject;

/// A server whose client passes a reference with the socket of another program for a callback does not connect to it,
/// unless it permits the socket's folder or its program has named the socket.
///
/// # Panics
/// When the test fails.
pub fn check_local_sockets(on: &Subject, folder: &Path) {
    let scheme = on.url.split_once("://").expect("a URL").0;
    let socket = folder.join("other.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    listener.set_nonblocking(true).expect("without waiting");
    let url = format!("corbaloc:{scheme}:1.2@{}|key", socket.display());
    let folder = folder.to_str().expect("a path");
    // The permitted folders, and whether the program names the socket.
    for (number, (folders, is_named)) in
        [("", false), ("", true), (folder, false)].into_iter().enumerate()
    {
        let builder = on.builder().option("LocalSocketFolders", folders);
        let server = on.server_of(builder);
        if is_named {
            server.orb.string_to_object(&url).expect("a reference");
        }
        let client = on.client();
        let named = client.string_to_object(&url).expect("a reference").expect("an object");
        let ior: &Ior = named.ior();
        let whom: idl::suite::Listener = client.object(ior.clone()).unchecked_narrow();
        let outcome = std::thread::scope(|scope| {
            let call = scope.spawn(|| server.seen_by(&client).call_back(Some(&whom), 1));
            if number > 0 {
                // The connection ends, and so does the call.
                while listener.accept().is_err() {
                    std::thread::yield_now();
                }
            }
            call.join().expect("no panic")
        });
        let exception = outcome.expect_err("no such object");
        let is_refused = exception.kind == SystemExceptionKind::NoPermission
            && exception.minor == minor::no_permission::REFUSED;
        assert_eq!(is_refused, number == 0, "{number}: {exception}");
        assert!(listener.accept().is_err() || number > 0, "a connection");
    }
}
