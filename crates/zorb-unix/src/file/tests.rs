use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::os::unix::process::parent_id;

use socket2::{Domain, Type};
use zorb_os::process::run_in_forked_child;
use zorb_testkit::{in_own_process, short_folder};

use super::*;
use crate::name::{MAX_NAME_LEN, next_number};
use crate::stale::{rename_and_remove, sweep};

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("zorb-unix-{}-{}", std::process::id(), next_number());
        let folder = Self(short_folder().join(name));
        fs::create_dir(&folder.0).unwrap();
        folder
    }

    fn path(&self) -> PathBuf {
        self.0.join("x.sock")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn listen(path: &Path, mode: u32) -> io::Result<(Socket, SocketFile)> {
    listen_at(path, mode, &ListenOptions::default())
}

/// Leaves a socket file behind like a process that was killed while it listened.
fn leave_stale(path: &Path) {
    drop(UnixListener::bind(path).unwrap());
    // A process that another test is starting has all sockets of this one until it executes its program.
    while UnixStream::connect(path).is_ok() {
        std::thread::yield_now();
    }
    assert!(path.exists());
}

#[test]
fn the_file_has_the_requested_mode_and_is_removed_on_drop() {
    let folder = Folder::new();
    for mode in [0o600, 0o660, 0o777, 0o200] {
        let (_socket, file) = listen(&folder.path(), mode).unwrap();
        let found = fs::metadata(folder.path()).unwrap();
        assert!(found.file_type().is_socket());
        assert_eq!(found.mode() & 0o7777, mode, "{mode:o}");
        drop(file);
        assert!(folder.names().is_empty());
    }
}

#[test]
fn a_file_never_has_more_permissions_than_requested() {
    let folder = Folder::new();
    for mode in [0o600, 0o200, 0o000] {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        let _file = bind(&socket, &folder.path(), mode).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777 & !mode, 0, "{mode:o}");
    }
}

#[test]
fn a_normal_exit_leaves_no_file() {
    let path = |parent| short_folder().join(format!("zorb-unix-forgotten-{parent}.sock"));
    let mut is_child = false;
    in_own_process("file::tests::a_normal_exit_leaves_no_file", || {
        std::mem::forget(listen(&path(parent_id()), 0o600).unwrap());
        is_child = true;
    });
    let parent = if is_child { parent_id() } else { std::process::id() };
    assert_eq!(path(parent).exists(), is_child);
}

#[test]
fn a_forked_child_leaves_the_files_of_its_parent() {
    in_own_process("file::tests::a_forked_child_leaves_the_files_of_its_parent", || {
        let folder = Folder::new();
        let (_socket, file) = listen(&folder.path(), 0o600).unwrap();
        let mut childs = Some(file);
        let drop_it = || {
            drop(childs.take());
            0
        };
        assert_eq!(run_in_forked_child(drop_it).unwrap(), 0);
        assert!(folder.path().exists());
        drop(childs);
        assert!(!folder.path().exists());
    });
}

#[test]
fn sockets_of_dead_processes_are_swept() {
    let folder = Folder::new();
    let at = |name: &str| folder.0.join(name);
    // Beyond the maximum process id.
    let dead = [5, 6].map(|number| at(&format!("zorb-4294967295-{number}.sock")));
    dead.iter().for_each(|path| leave_stale(path));
    let kept = ["zorb-4294967295-0.sock", "zorb-4294967295-1.sock", "zorb-4294967295-2.sock"];
    let _listener = UnixListener::bind(at(kept[0])).unwrap();
    fs::write(at(kept[1]), "precious").unwrap();
    symlink(at("named.sock"), at(kept[2])).unwrap();
    let living = format!("zorb-{}-0.sock", parent_id());
    for name in ["named.sock", "zorb-1-x.sock", &living] {
        leave_stale(&at(name));
    }
    let mut expected = folder.names();
    expected.retain(|name| !dead.contains(&at(name)));
    sweep(&folder.0, is_open);
    assert_eq!(folder.names().len(), 6);
    assert_eq!(
        {
            let mut names = folder.names();
            names.sort();
            names
        },
        {
            expected.sort();
            expected
        }
    );
}

#[test]
fn a_stale_socket_is_replaced() {
    let folder = Folder::new();
    leave_stale(&folder.path());
    let (_socket, _file) = listen(&folder.path(), 0o600).unwrap();
    UnixStream::connect(folder.path()).unwrap();
    assert_eq!(folder.names(), ["x.sock"], "nothing is left beside it");
}

#[test]
fn a_socket_in_use_is_left_alone() {
    let folder = Folder::new();
    let other = UnixListener::bind(folder.path()).unwrap();
    let error = listen(&folder.path(), 0o600).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert!(error.to_string().contains("another server"), "{error}");
    UnixStream::connect(folder.path()).unwrap();
    drop(other);
    assert_eq!(folder.names(), ["x.sock"]);
}

#[test]
fn a_socket_with_a_full_backlog_is_in_use() {
    let folder = Folder::new();
    let busy = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    busy.bind(&SockAddr::unix(folder.path()).unwrap()).unwrap();
    busy.listen(0).unwrap();
    let mut waiting = Vec::new();
    loop {
        let client = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        client.set_nonblocking(true).unwrap();
        let connected = client.connect(&SockAddr::unix(folder.path()).unwrap());
        waiting.push(client);
        if let Err(error) = connected {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            break;
        }
    }
    assert_eq!(listen(&folder.path(), 0o600).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    assert_eq!(folder.names(), ["x.sock"]);
}

#[test]
fn other_files_are_left_alone() {
    let folder = Folder::new();
    let refused = |what: &str| {
        let error = listen(&folder.path(), 0o600).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(folder.names(), ["x.sock"]);
    };
    fs::write(folder.path(), "precious").unwrap();
    refused("not a socket");
    assert_eq!(fs::read_to_string(folder.path()).unwrap(), "precious");
    fs::remove_file(folder.path()).unwrap();
    std::os::unix::fs::symlink("elsewhere", folder.path()).unwrap();
    refused("not a socket");
    fs::remove_file(folder.path()).unwrap();
    let _datagrams = UnixDatagram::bind(folder.path()).unwrap();
    refused("another server");
}

#[test]
fn anothers_file_is_not_removed() {
    let folder = Folder::new();
    let (_socket, file) = listen(&folder.path(), 0o600).unwrap();
    fs::remove_file(folder.path()).unwrap();
    let _other = UnixListener::bind(folder.path()).unwrap();
    drop(file);
    assert_eq!(folder.names(), ["x.sock"]);
    UnixStream::connect(folder.path()).unwrap();
}

#[test]
fn of_servers_that_start_at_once_one_gets_the_place() {
    for _ in 0..20 {
        let folder = Folder::new();
        leave_stale(&folder.path());
        let path = folder.path();
        let listening: Vec<_> = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..4).map(|_| scope.spawn(|| listen(&path, 0o600))).collect();
            starting.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<_> = listening.iter().filter_map(|it| it.as_ref().ok()).collect();
        let [(socket, _)] = &*winners else { panic!("{listening:?}") };
        UnixStream::connect(&path).unwrap();
        socket.accept().unwrap();
        assert_eq!(folder.names(), ["x.sock"]);
    }
}

#[test]
fn a_server_that_starts_while_its_place_is_cleared_keeps_it() {
    let folder = Folder::new();
    // Another server started to listen after the check.
    let (socket, file) = listen(&folder.path(), 0o600).unwrap();
    let error = rename_and_remove(&folder.path()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert_eq!(folder.names(), ["x.sock"]);
    assert!(file.is_in_place());
    UnixStream::connect(folder.path()).unwrap();
    socket.accept().unwrap();
}

#[test]
fn a_folder_that_is_missing_or_too_deep_is_reported() {
    let folder = Folder::new();
    let error = listen(&folder.0.join("missing/x"), 0o600).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    let room = MAX_NAME_LEN - folder.0.as_os_str().len() - 3;
    let deep = folder.0.join("d".repeat(room));
    fs::create_dir(&deep).unwrap();
    let longest = deep.join("x");
    leave_stale(&longest);
    let error = listen(&longest, 0o600).unwrap_err();
    assert!(error.to_string().contains("by hand"), "{error}");
    assert!(longest.exists());
}
