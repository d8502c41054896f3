//! Endpoints, listening and connecting.

use std::io::ErrorKind;
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use zorb_transport::{AcceptError, ConnectOptions, ConnectPhase, Endpoint, ListenOptions};

use super::{Subject, echo, recv_exactly, recv_to_end};
use crate::until;

/// Clients can connect to the endpoint that an acceptor reports.
pub fn a_bound_endpoint_can_be_connected_to(subject: &Subject) {
    let acceptor = subject.listen();
    assert_eq!(acceptor.endpoint().scheme(), subject.transport().scheme());
    let other = subject.listen();
    assert_ne!(acceptor.endpoint(), other.endpoint(), "each acceptor has its own");
    let link = subject.link();
    link.client.send_all(b"x").unwrap();
    assert_eq!(recv_exactly(&*link.server, 1), b"x");
}

/// Endpoints that are paths or abstract names are declared as local sockets, with a name of the transport's making, so
/// that clients do not connect to any such socket that a reference names.
pub fn sockets_of_this_machine_are_declared(subject: &Subject) {
    let acceptor = subject.listen();
    for endpoint in [acceptor.endpoint()].into_iter().chain(acceptor.published()) {
        let declared = subject.transport().local_socket(endpoint);
        let is_local = endpoint.address().starts_with(['/', '@']);
        assert_eq!(declared.is_some(), is_local, "{endpoint}: {declared:?}");
        let Some(socket) = declared else { continue };
        assert!(socket.has_generated_name, "{endpoint}: {socket:?}");
        assert!(endpoint.address().starts_with(&socket.folder), "{endpoint}: {socket:?}");
    }
}

/// Bound and published endpoints are in the form that `parse_endpoint` returns.
pub fn published_endpoints_are_canonical(subject: &Subject) {
    let acceptor = subject.listen();
    assert!(!acceptor.published().is_empty());
    for endpoint in acceptor.published().iter().chain([acceptor.endpoint()]) {
        for text in [endpoint.as_str(), endpoint.address()] {
            let parsed = subject.transport().parse_endpoint(text).unwrap();
            assert_eq!(parsed, *endpoint, "from {text}");
        }
        let upper = format!("{}://{}", endpoint.scheme().to_uppercase(), endpoint.address());
        assert_eq!(subject.transport().parse_endpoint(&upper).unwrap(), *endpoint);
    }
}

/// Endpoints and URLs of other transports are refused.
pub fn other_schemes_are_refused(subject: &Subject) {
    let transport = subject.transport();
    let acceptor = subject.listen();
    let foreign = Endpoint::new("x-other", acceptor.endpoint().address()).unwrap();
    assert!(transport.parse_endpoint(foreign.as_str()).is_err());
    let error = transport.connect(&foreign, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.phase(), ConnectPhase::Address);
    assert!(error.to_string().contains("x-other"), "{error}");
    let error = transport.listen("x-other://anything", &ListenOptions::default()).unwrap_err();
    assert!(error.to_string().contains("x-other"), "{error}");
}

/// Malformed text is an error, not a panic.
pub fn malformed_endpoints_are_refused(subject: &Subject) {
    let transport = subject.transport();
    let scheme = transport.scheme();
    for junk in ["\0", "a b", "\n", "\u{7f}", "x\ty", "://", "::::", "[", "]", "[:1", "\u{fffd} "] {
        for text in [junk.to_owned(), format!("{scheme}://{junk}")] {
            assert!(transport.parse_endpoint(&text).is_err(), "connect: {text:?}");
            let listening = transport.listen(&text, &ListenOptions::default());
            assert!(listening.is_err(), "listen: {text:?}");
        }
    }
    let long = format!("{scheme}://{}", "a".repeat(100_000));
    let error = transport.parse_endpoint(&long).unwrap_err();
    assert!(error.to_string().len() < 1000, "messages stay short");
    assert!(transport.listen(&long, &ListenOptions::default()).is_err());
}

/// The error of a refused connection contains the endpoint, the address and the cause.
pub fn a_refused_connection_names_endpoint_and_cause(subject: &Subject) {
    let acceptor = subject.listen();
    let endpoint = acceptor.endpoint().clone();
    acceptor.close(); // not dropped, so that no other test gets the endpoint
    let options = ConnectOptions::with_timeout(Some(Duration::from_secs(300)));
    let error = subject.transport().connect(&endpoint, &options).unwrap_err();
    assert_eq!(*error.endpoint(), endpoint);
    assert_eq!(error.phase(), ConnectPhase::Connect);
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
    assert!(!error.attempts().is_empty());
    assert!(error.to_string().contains(endpoint.as_str()), "{error}");
}

/// A closed acceptor refuses clients even if it is still referenced.
pub fn closing_refuses_new_clients(subject: &Subject) {
    let acceptor = subject.listen();
    acceptor.close();
    acceptor.close();
    let connecting = subject.transport().connect(acceptor.endpoint(), &ConnectOptions::default());
    assert!(connecting.is_err());
    assert!(matches!(acceptor.accept(), Err(AcceptError::Closed)));
}

/// Before it closes, an acceptor hands out the clients that wait. They receive what is sent to them, and then the end, not a
/// reset.
pub fn clients_that_wait_to_be_accepted_are_told_of_the_end(subject: &Subject) {
    let acceptor = subject.listen();
    thread::scope(|scope| {
        let connecting = scope.spawn(|| {
            let options = ConnectOptions::default();
            match subject.transport().connect(acceptor.endpoint(), &options) {
                Ok(client) => assert_eq!(recv_to_end(&*client), b"the end"),
                // It has a handshake.
                Err(error) => assert_ne!(error.kind(), ErrorKind::ConnectionReset, "{error}"),
            }
        });
        let mut waiting = None;
        until(|| {
            waiting = acceptor.accept_waiting();
            waiting.is_some()
        });
        let server = waiting.expect("a client waits");
        match server.is_established() {
            true => server.send_all(b"the end").expect("send"),
            false => until(|| server.is_readable()),
        }
        server.shutdown(Shutdown::Both).expect("shutdown");
        drop(server);
        connecting.join().unwrap();
    });
    assert!(acceptor.accept_waiting().is_none());
    assert!(matches!(acceptor.accept(), Err(AcceptError::Closed)));
    acceptor.close();
}

/// Accepted connections work after their acceptor has closed.
pub fn connections_outlive_their_acceptor(subject: &Subject) {
    let link = subject.link();
    link.acceptor.close();
    drop(link.acceptor);
    link.client.send_all(b"still here").unwrap();
    assert_eq!(recv_exactly(&*link.server, 10), b"still here");
}

/// Fifty concurrent connections, each with its own octets.
pub fn many_connections_are_independent(subject: &Subject) {
    const COUNT: u32 = 50;
    let acceptor = subject.listen();
    thread::scope(|scope| {
        let server = scope.spawn(|| {
            for _ in 0..COUNT {
                let stream = acceptor.accept().expect("accept");
                scope.spawn(move || echo(&*stream));
            }
        });
        let clients: Vec<_> = (0..COUNT).map(|_| subject.connect(&*acceptor)).collect();
        for (number, client) in (0..COUNT).zip(&clients) {
            client.send_all(&number.to_be_bytes()).unwrap();
        }
        for (number, client) in (0..COUNT).zip(&clients).rev() {
            assert_eq!(recv_exactly(&**client, 4), number.to_be_bytes());
        }
        server.join().unwrap();
    });
}
