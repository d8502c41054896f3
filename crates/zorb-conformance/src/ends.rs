//! Calls and connections that fail or end early.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use zorb::{CompletionStatus, Interface, SystemExceptionKind};

use crate::Subject;
use crate::idl::suite::{self, ListenerServant};

/// A reply after the timeout of its call is discarded.
pub fn a_call_times_out(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    assert_eq!(there.add(1, 2).unwrap(), 3);
    let impatient = there.as_object().with_timeout(Duration::from_millis(50));
    let impatient: suite::Subject = impatient.unchecked_narrow();
    let exception = impatient.wait_at_gate().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Timeout);
    // The late reply does not disturb later calls.
    there.open_gate().unwrap();
    there.wait_at_gate().unwrap();
    assert_eq!(there.add(3, 4).unwrap(), 7);
}

/// Orderly shutdown: the client knows that its request was not processed.
pub fn a_server_shuts_down_orderly(on: &Subject, _: &'static str) {
    let (server, client) = (on.at_an_address_of_its_own().server(), on.client());
    let there = server.seen_by(&client);
    assert_eq!(there.add(1, 2).unwrap(), 3);
    server.orb.shutdown(true).unwrap();
    let exception = there.add(1, 2).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Transient, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
}

/// A server that restarts at the same endpoint is called again.
pub fn a_client_finds_a_server_again(on: &Subject, _: &'static str) {
    let first = on.at_an_address_of_its_own().server();
    first.orb.publish("subject", &first.subject).unwrap();
    let url = first.orb.endpoints().first().expect("an endpoint").clone();
    let (scheme, address) = url.split_once("://").expect("a URL");
    // A path contains slashes.
    let end = if address.starts_with(['/', '@']) { '|' } else { '/' };
    let client = on.client();
    let corbaloc = format!("corbaloc:{scheme}:1.2@{address}{end}subject");
    let way = on.way_to(&corbaloc);
    let there = way.seen_by(&client);
    assert_eq!(there.add(1, 2).unwrap(), 3);
    first.orb.shutdown(true).unwrap();
    there.add(1, 2).unwrap_err();

    let orb = on.builder().listen(&url).build().unwrap();
    let subject: suite::Subject =
        orb.root_poa().activate(crate::servant::Servant::default()).unwrap();
    orb.publish("subject", &subject).unwrap();
    assert_eq!(there.add(3, 4).unwrap(), 7);
    orb.shutdown(true).unwrap();
}

/// Kills the other process when it is called.
struct Killer(Mutex<Child>);

impl ListenerServant for Killer {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        let mut child = self.0.lock().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        Ok(value)
    }
}

/// A call fails if the server's process is killed during it.
pub fn a_killed_server_is_detected(on: &Subject, module: &'static str) {
    // The first segment is the crate's name.
    let test = match module.split_once("::") {
        Some((_, module)) => format!("{module}::the_other_process"),
        None => "the_other_process".to_owned(),
    };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--ignored", "--nocapture"]).env(OTHER_PROCESS, "1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = output.lines().map_while(Result::ok);
    let ior = lines.find(|line| line.starts_with("IOR:")).expect("a reference");

    let caller = on.server();
    let way = on.way_to(&ior);
    let there = way.seen_by(&caller.orb);
    assert_eq!(there.add(1, 2).unwrap(), 3);
    let killer = caller.orb.root_poa().activate(Killer(Mutex::new(child))).unwrap();
    // The server dies during the call.
    let exception = there.call_back(Some(&killer), 1).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::CommFailure, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::Maybe);
    // It leaves nothing behind except perhaps the file of its socket.
    there.add(1, 2).unwrap_err();
    let left = path_in(on, &ior);
    if let Some(path) = left {
        let _ = std::fs::remove_file(path);
    }
}

/// The path of the Unix-domain socket at which the object is, if it is at one.
fn path_in(on: &Subject, ior: &str) -> Option<String> {
    let client = on.client();
    let object = client.string_to_object(ior).ok()??;
    let profile = object.ior().profiles.first()?;
    let (_, resolved) = client.protocols().resolve(object.ior(), profile)?.ok()?;
    let address = resolved.endpoints.first()?.address().to_owned();
    address.starts_with('/').then_some(address)
}

/// The main function of a process that a test kills: it serves, and writes its reference to its
/// standard output. It ends when its standard input ends. Called by
/// [`protocol_suite!`](crate::protocol_suite) in a separate process.
pub fn serve_until_the_end(subject: Subject) {
    if std::env::var_os(OTHER_PROCESS).is_none() {
        return;
    }
    let server = subject.server();
    let mut output = std::io::stdout();
    // The test harness has written a line before it.
    writeln!(output, "\n{}", server.subject.as_object().to_ior_string()).expect("an output");
    output.flush().expect("an output");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// The environment variable that distinguishes the other process.
const OTHER_PROCESS: &str = "ZORB_CONFORMANCE_OTHER";
