//! What is specific to Unix-domain sockets: files, modes, peers, and errors.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use zorb_testkit::short_folder;
use zorb_transport::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, ConnectPhase, ListenError, ListenOptions,
    Stream, StreamOptions, Transport,
};
use zorb_unix::{MAX_NAME_LEN, UnixTransport};

fn listen(url: &str) -> Result<Arc<dyn Acceptor>, ListenError> {
    UnixTransport::new().listen(url, &ListenOptions::default())
}

fn connect(acceptor: &dyn Acceptor) -> Result<Arc<dyn Stream>, ConnectError> {
    UnixTransport::new().connect(acceptor.endpoint(), &ConnectOptions::default())
}

/// A path for one test.
fn path(name: &str) -> PathBuf {
    short_folder().join(format!("zorb-sockets-{name}-{}.sock", std::process::id()))
}

fn url(path: &Path) -> String {
    format!("uiop://{}", path.display())
}

fn mode(acceptor: &dyn Acceptor) -> u32 {
    fs::metadata(acceptor.endpoint().address()).unwrap().permissions().mode() & 0o7777
}

#[test]
fn the_file_is_there_while_it_is_listened_on() {
    let path = path("file");
    let acceptor = listen(&url(&path)).unwrap();
    assert_eq!(acceptor.endpoint().as_str(), url(&path));
    assert_eq!(acceptor.published(), [acceptor.endpoint().clone()]);
    assert!(path.exists());
    acceptor.close();
    assert!(!path.exists());
    // The next server can use the path, and the first one no longer touches it.
    let next = listen(&url(&path)).unwrap();
    drop(acceptor);
    assert!(path.exists());
    drop(next);
    assert!(!path.exists());
}

#[test]
fn an_endpoint_beside_another_is_in_its_folder_with_its_mode() {
    let folder = short_folder().join(format!("zorb-beside-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    for permissions in [0o600, 0o660, 0o606] {
        let first = listen(&format!("{}?mode={permissions:o}", url(&folder.join("x")))).unwrap();
        let second = listen(&UnixTransport::new().beside(&*first)).unwrap();
        assert_eq!(Path::new(second.endpoint().address()).parent(), Some(&*folder));
        assert_eq!(mode(&*second), permissions);
        assert_ne!(first.endpoint(), second.endpoint());
    }
    let first = listen("uiop://@").unwrap();
    assert_eq!(UnixTransport::new().beside(&*first), "uiop://@");
    fs::remove_dir(&folder).unwrap();
}

#[test]
fn only_the_owner_connects_by_default() {
    assert_eq!(mode(&*listen("uiop://").unwrap()), 0o600);
    assert_eq!(mode(&*listen("uiop://?mode=0666").unwrap()), 0o666);
    let open = UnixTransport::new().with_mode(0o660);
    let acceptor = open.listen("uiop://", &ListenOptions::default()).unwrap();
    assert_eq!(mode(&*acceptor), 0o660);
    let acceptor = open.listen("uiop://?mode=0600", &ListenOptions::default()).unwrap();
    assert_eq!(mode(&*acceptor), 0o600);
}

#[test]
fn both_ends_have_the_identity_of_the_peer() {
    for url in ["uiop://", "uiop://@"] {
        let acceptor = listen(url).unwrap();
        let client = connect(&*acceptor).unwrap();
        let server = acceptor.accept().unwrap();
        let uid = fs::metadata("/proc/self").unwrap().uid();
        let myself = format!("pid {}, uid {uid}", std::process::id());
        let address = acceptor.endpoint().address();
        assert_eq!(server.peer(), myself);
        assert_eq!(server.local(), address);
        assert_eq!(client.peer(), format!("{address} ({myself})"));
        assert!(myself.starts_with(client.local()), "{}", client.local());
    }
}

#[test]
fn abstract_names_leave_no_file() {
    let name = format!("zorb-sockets-{}", std::process::id());
    let acceptor = listen(&format!("uiop://@{name}")).unwrap();
    assert_eq!(acceptor.endpoint().address(), format!("@{name}"));
    let client = connect(&*acceptor).unwrap();
    client.send_all(b"x").unwrap();
    assert_eq!(acceptor.accept().unwrap().recv(&mut [0; 4]).unwrap(), 1);
    assert!(!Path::new(&name).exists());
    let error = listen(acceptor.endpoint().as_str()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    drop(acceptor);
    listen(&format!("uiop://@{name}")).unwrap();
}

#[test]
fn buffers_are_set_on_both_sides() {
    let stream = StreamOptions { send_buffer: Some(16 << 10), ..StreamOptions::default() };
    let options = ListenOptions::with_stream(stream.clone());
    let unix = UnixTransport::new();
    let acceptor = unix.listen("uiop://", &options).unwrap();
    let options = ConnectOptions::with_stream(stream);
    let client = unix.connect(acceptor.endpoint(), &options).unwrap();
    let server = acceptor.accept().unwrap();
    for stream in [client, server] {
        let socket = stream.readiness_fd().unwrap();
        // Linux doubles the requested size.
        assert_eq!(SockRef::from(&socket).send_buffer_size().unwrap(), 32 << 10);
    }
}

#[test]
fn closing_ends_connections_in_the_backlog() {
    let acceptor = listen("uiop://").unwrap();
    let waiting = [connect(&*acceptor).unwrap(), connect(&*acceptor).unwrap()];
    acceptor.close();
    for client in waiting {
        assert_eq!(client.recv(&mut [0; 4]).unwrap_or(0), 0);
    }
    assert!(matches!(acceptor.accept(), Err(AcceptError::Closed)));
}

#[test]
fn connecting_waits_for_a_full_backlog_until_the_timeout() {
    let mut options = ListenOptions::default();
    options.backlog = 0;
    let unix = UnixTransport::new();
    let acceptor = unix.listen("uiop://", &options).unwrap();
    let options = ConnectOptions::with_timeout(Some(Duration::from_millis(20)));
    let mut waiting = Vec::new();
    let error = loop {
        match unix.connect(acceptor.endpoint(), &options) {
            Ok(client) => waiting.push(client),
            Err(error) => break error,
        }
    };
    assert!(error.is_timed_out(), "{error}");
    assert!(error.to_string().contains("backlog is full"), "{error}");
    let none = ConnectOptions::with_timeout(Some(Duration::ZERO));
    assert!(unix.connect(acceptor.endpoint(), &none).unwrap_err().is_timed_out());
    // Streams made under the timeout no longer have it.
    let server = acceptor.accept().unwrap();
    server.send_all(b"x").unwrap();
    assert_eq!(waiting[0].recv(&mut [0; 4]).unwrap(), 1);
    let socket = waiting[0].readiness_fd().unwrap();
    assert_eq!(SockRef::from(&socket).write_timeout().unwrap(), None);
}

#[test]
fn a_missing_server_is_reported() {
    let unix = UnixTransport::new();
    let endpoint = unix.parse_endpoint(&url(&path("nobody"))).unwrap();
    let error = unix.connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.phase(), ConnectPhase::Connect);
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    let text = error.to_string();
    assert!(text.contains("there is no such socket"), "{text}");
    assert!(error.hint().is_some_and(|hint| hint.contains("on this machine?")));
}

#[test]
fn a_path_in_use_is_reported() {
    let taken = listen("uiop://").unwrap();
    let url = taken.endpoint().as_str();
    let error = listen(url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    let text = error.to_string();
    assert!(text.contains(url) && text.contains("another server listens on this path"), "{text}");
    assert!(!text.contains("port"), "{text}");
    // The existing server is unaffected.
    connect(&*taken).unwrap();
}

#[test]
fn invalid_addresses_are_reported() {
    let long = format!("uiop:///{}", "x".repeat(MAX_NAME_LEN));
    for (url, failure) in [
        ("uiop://relative", "a path starts at the root"),
        (long.as_str(), "107 octets, this one has 108"),
        ("uiop:///no-such-folder/x", "the folder must exist"),
        ("uiop:///tmp/x?mode=9", "octal"),
        ("iiop:///tmp/x", "scheme is uiop"),
    ] {
        let error = listen(url).unwrap_err();
        let text = format!("{error}; {}", error.hint().unwrap_or_default());
        assert!(text.contains(failure), "{text}");
    }
    let error = UnixTransport::new().parse_endpoint(&long).unwrap_err();
    assert!(error.reason().contains("107 octets"), "{error}");
}

#[test]
fn another_protocol_has_its_own_scheme() {
    let lite = UnixTransport::with_scheme("Lite+UIOP").unwrap();
    assert_eq!(lite.scheme(), "lite+uiop");
    let acceptor = lite.listen("lite+uiop://", &ListenOptions::default()).unwrap();
    assert!(acceptor.endpoint().as_str().starts_with("lite+uiop:///"));
    assert!(lite.parse_endpoint("uiop:///tmp/x").is_err());
    assert!(UnixTransport::with_scheme("no scheme").is_err());
}
