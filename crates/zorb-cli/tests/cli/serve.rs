//! `zorb serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use zorb::giop::Ior;
use zorb::{Interface as _, ObjectRef, Orb, SystemException, SystemExceptionKind};
use zorb_naming::cos_naming::NamingContext;
use zorb_naming::name;
use zorb_testkit::until;

use crate::program::{command, folder, line_of, run, signal};

/// Services in a process of their own.
pub(crate) struct Served {
    child: Child,
    /// The references, in the order of the services.
    pub(crate) references: Vec<String>,
    /// The line about the services.
    pub(crate) status: String,
    _output: (BufReader<ChildStdout>, BufReader<ChildStderr>),
}

impl Served {
    pub(crate) fn start(arguments: &[&str], count: usize) -> Self {
        let mut command = command(&["serve"]);
        command.args(arguments).args(["--listen", "iiop://127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let errors = child.stderr.take().unwrap();
        let (status, errors) = line_of(errors, |line| line.starts_with("serving "));
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut references = Vec::new();
        for _ in 0..count {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            references.push(line.trim().to_owned());
        }
        Self { child, references, status, _output: (output, errors) }
    }

    /// Where the metrics are, if they are served.
    pub(crate) fn metrics(&mut self) -> String {
        let mut line = String::new();
        self._output.1.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("metrics at http://").unwrap();
        address.strip_suffix("/metrics").unwrap().to_owned()
    }

    /// Where the console is, if it is served, and metrics are not.
    fn console(&mut self) -> String {
        let mut line = String::new();
        self._output.1.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("console at http://").unwrap();
        address.strip_suffix('/').unwrap().to_owned()
    }

    /// Ends the process as a crash does.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn end(mut self) {
        signal(&self.child, "TERM");
        assert!(self.child.wait().unwrap().success());
    }

    /// What it prints as errors from now on, until it ends.
    fn end_with_errors(mut self) -> String {
        signal(&self.child, "TERM");
        let mut errors = String::new();
        self._output.1.read_to_string(&mut errors).unwrap();
        assert!(self.child.wait().unwrap().success());
        errors
    }
}

/// The response to a request of a browser.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn services_find_each_other_in_the_naming_service() {
    let ior = folder("serve").join("names.ior");
    let served = Served::start(&["ifr,naming", "--ior", ior.to_str().unwrap()], 2);
    assert!(served.status.contains("naming (1 context, 0 bindings), ifr (0 definitions)"));
    assert_eq!(std::fs::read_to_string(&ior).unwrap(), served.references[0]);
    let orb = Orb::builder().without_environment().build().unwrap();
    let root: NamingContext = orb.resolve(&served.references[0]).unwrap();
    let repository = root.resolve(&name("InterfaceRepository").unwrap()).unwrap().unwrap();
    assert!(repository.is_a("IDL:omg.org/CORBA/Repository:1.0").unwrap());
    root.bind(&name("x").unwrap(), Some(root.as_object())).unwrap();
    orb.shutdown(true).unwrap();
    served.end();
}

#[test]
fn all_services_answer_at_their_standard_names_and_are_bound() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(&["--all", "--store", folder.path().to_str().unwrap()], 4);
    let root = Ior::from_stringified(&served.references[0]).unwrap();
    let profile = root.iiop_profiles().next().unwrap();
    let prefix = format!("corbaloc::{}:{}", profile.host, profile.port);
    let mut arguments = ["-ORBDefaultInitRef".to_owned(), prefix.clone()].to_vec();
    let orb = Orb::builder().without_environment().arguments(&mut arguments).build().unwrap();
    let names: NamingContext = orb.initial_reference("NameService").unwrap();
    for (key, repository_id) in [
        ("NameService", "IDL:omg.org/CosNaming/NamingContextExt:1.0"),
        ("InterfaceRepository", "IDL:omg.org/CORBA/Repository:1.0"),
        ("ImplRepoService", "IDL:ImplementationRepository/Administration:1.0"),
        ("ScheduleService", "IDL:RtecScheduler/Scheduler:1.0"),
    ] {
        let mut found: Vec<ObjectRef> = vec![
            orb.initial_reference(key).unwrap(),
            orb.resolve(&format!("{prefix}/{key}")).unwrap(),
        ];
        if key != "NameService" {
            // What cannot be bound at once is tried again.
            let name = name(key).unwrap();
            until(|| names.resolve(&name).is_ok());
            found.extend(names.resolve(&name).unwrap());
        }
        assert!(found.iter().all(|it| it.is_a(repository_id).unwrap()), "{key}");
    }
    orb.shutdown(true).unwrap();
    served.end();
}

#[test]
fn systemd_is_told_when_the_services_are_ready() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    let listen = ["serve", "naming", "--listen", "iiop://127.0.0.1:0"];
    let mut command = command(&listen);
    command.env("NOTIFY_SOCKET", &socket).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let errors = child.stderr.take().unwrap();
    let (_, _errors) = line_of(errors, |line| line.starts_with("serving "));
    // It has been told before that line.
    manager.set_nonblocking(true).unwrap();
    let mut told = [0; 16];
    let length = manager.recv(&mut told).unwrap();
    assert_eq!(&told[..length], b"READY=1");
    signal(&child, "TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn names_survive_a_killed_service() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names");
    let arguments = ["naming", "--store", path.to_str().unwrap()];
    let orb = Orb::builder().without_environment().build().unwrap();
    let served = Served::start(&arguments, 1);
    let root: NamingContext = orb.resolve(&served.references[0]).unwrap();
    root.bind_new_context(&name("ctx").unwrap()).unwrap();
    let object = orb.string_to_object("corbaloc::127.0.0.1:1/x").unwrap();
    root.bind(&name("ctx/x").unwrap(), object.as_ref()).unwrap();
    let second = run(&[
        "serve",
        "naming",
        "--listen",
        "iiop://127.0.0.1:0",
        "--store",
        path.to_str().unwrap(),
    ]);
    assert_eq!(second.status, Some(1), "two processes on one store");
    assert!(second.stderr.contains("hint"), "{}", second.stderr);
    served.kill();

    let served = Served::start(&arguments, 1);
    assert!(served.status.contains("naming (2 contexts, 2 bindings)"), "{}", served.status);
    let root: NamingContext = orb.resolve(&served.references[0]).unwrap();
    assert_eq!(root.resolve(&name("ctx/x").unwrap()).unwrap(), object);
    root.unbind(&name("ctx/x").unwrap()).unwrap();
    served.end();
    let served =
        Served::start(&["--all", "--store", path.to_str().unwrap(), "--durability", "os"], 4);
    assert!(served.status.contains("naming (2 contexts, 1 binding), ifr"), "{}", served.status);
    served.end();
    orb.shutdown(true).unwrap();
}

#[test]
fn the_log_says_why_a_name_is_not_stored() {
    for (level, says) in [("error", true), ("off", false)] {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().to_str().unwrap();
        let served = Served::start(&["naming", "--store", store, "--log", level], 1);
        let orb = Orb::builder().without_environment().build().unwrap();
        let root: NamingContext = orb.resolve(&served.references[0]).unwrap();
        root.bind(&name("x").unwrap(), None).unwrap();
        std::fs::remove_file(folder.path().join("store.redb")).unwrap();
        let refused = root.bind(&name("y").unwrap(), None).unwrap_err();
        let refused = SystemException::from(refused);
        assert_eq!(refused.kind, SystemExceptionKind::PersistStore);
        orb.shutdown(true).unwrap();
        let errors = served.end_with_errors();
        assert_eq!(errors.contains("cannot store a name"), says, "{errors}");
        assert_eq!(errors.contains("store.redb"), says, "{errors}");
    }
}

#[test]
fn services_that_drain_serve_but_are_not_ready_until_a_second_signal() {
    let arguments = ["naming", "--metrics", "0", "-ORBShutdownDrain", "3600000"];
    let mut served = Served::start(&arguments, 1);
    let address = served.metrics();
    assert!(get(&address, "/ready").starts_with("HTTP/1.1 200 "));
    signal(&served.child, "TERM");
    until(|| get(&address, "/ready").starts_with("HTTP/1.1 503 "));
    assert!(get(&address, "/ready").contains("draining"));
    assert!(get(&address, "/live").starts_with("HTTP/1.1 200 "));
    let orb = Orb::builder().without_environment().build().unwrap();
    let root: NamingContext = orb.resolve(&served.references[0]).unwrap();
    root.bind(&name("x").unwrap(), None).unwrap();
    orb.shutdown(true).unwrap();
    signal(&served.child, "TERM");
    assert_eq!(served.child.wait().unwrap().signal(), Some(15));
}

#[test]
fn services_end_after_their_time_to_drain() {
    Served::start(&["naming", "-ORBShutdownDrain", "1"], 1).end();
}

#[test]
fn the_console_shows_what_is_served() {
    let mut served = Served::start(&["naming,imr", "--console", "0"], 2);
    let address = served.console();
    let get = |path: &str| {
        let text = get(&address, path);
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        text
    };
    let page = get("/");
    let policy = page.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: "));
    assert!(policy.is_some_and(|it| it.starts_with("default-src 'none'; script-src 'nonce-")));
    assert!(!policy.unwrap().contains("unsafe"));
    until(|| get("/names?context=0").contains("\"ImplRepoService\""));
    assert!(get("/servers").ends_with("{\"rows\":[],\"has_more\":false,\"next\":null}"));
    served.end();
}

#[test]
fn a_service_that_cannot_be_watched_does_not_start() {
    for address in ["99999", "localhost"] {
        let listen = ["--listen", "iiop://127.0.0.1:0", "--metrics", address];
        let failed = run(&[&["serve", "naming"][..], &listen].concat());
        assert_eq!(failed.status, Some(1));
        assert!(failed.stdout.is_empty(), "nobody takes it for a service that runs");
        assert!(failed.stderr.contains("hint: give HOST:PORT"), "{}", failed.stderr);
    }
}

#[test]
fn unknown_services_are_usage_errors() {
    let done = run(&["serve", "naming,nothing"]);
    assert_eq!(done.status, Some(2));
    assert!(done.stderr.contains("there is no service `nothing`"), "{}", done.stderr);
    assert!(done.stderr.contains("naming, ifr, imr, scheduling"), "{}", done.stderr);
    assert_eq!(run(&["serve"]).status, Some(2));
    assert_eq!(run(&["serve", "naming", "--all"]).status, Some(2));
}
