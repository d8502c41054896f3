//! `zorb bridge`, with a server in this process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use zorb::{Interface, Orb};
use zorb_bench::demo::{Listener, ListenerServant};

use crate::program::{command, folder, line_of, run, signal};

struct Ear;

impl ListenerServant for Ear {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        Ok(value + 1)
    }
}

fn server(url: &str) -> (Orb, String) {
    let orb = Orb::builder().without_environment().listen(url).build().unwrap();
    let listener: Listener = orb.root_poa().activate(Ear).unwrap();
    orb.publish("ear", &listener).unwrap();
    let ior = listener.as_object().to_ior_string();
    (orb, ior)
}

fn client() -> Orb {
    Orb::builder().without_environment().build().unwrap()
}

/// A running bridge, killed at the end of the test.
struct Bridge(Child);

impl Bridge {
    fn start(words: &[&str]) -> Self {
        let mut command = command(&[&["bridge"], words].concat());
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// The reference that it prints.
    fn reference(&mut self) -> String {
        let (line, _) = line_of(self.0.stdout.take().unwrap(), |line| line.starts_with("IOR:"));
        line.trim().to_owned()
    }

    /// Stops it with a signal; returns its standard error.
    fn end(mut self) -> String {
        signal(&self.0, "TERM");
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(self.0.wait().unwrap().code(), Some(0), "{said}");
        said
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn calls_are_forwarded_and_counted() {
    let (orb, ior) = server("uiop://");
    let file = folder("bridge-counted").join("bridged.ior");
    let words = ["--listen", "iiop://127.0.0.1:0", "--to", &ior, "--ior", file.to_str().unwrap()];
    let mut bridge = Bridge::start(&words);
    let reference = bridge.reference();
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), reference);

    let client = client();
    let ear: Listener = client.resolve(&reference).unwrap();
    assert_eq!(ear.as_object().ior().type_id, Listener::REPOSITORY_ID);
    for value in 0..20 {
        assert_eq!(ear.heard(value).unwrap(), value + 1);
    }
    client.shutdown(true).unwrap();
    let said = bridge.end();
    assert!(said.contains("also known as corbaloc:iiop:1.2@127.0.0.1:"), "{said}");
    assert!(said.contains("1 connection: 20 requests, 0 refused, 20 answered"), "{said}");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_name_is_resolved_to_its_object() {
    let (orb, _) = server("iiop://127.0.0.1:0");
    let url = orb.endpoints()[0].replace("iiop://", "corbaloc::1.2@") + "/ear";
    let mut bridge = Bridge::start(&["--listen", "shmiop://", "--to", &url, "--json"]);
    let mut output = BufReader::new(bridge.0.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("\n}\n") {
        assert_ne!(output.read_line(&mut text).unwrap(), 0, "{text}");
    }
    let facts: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(facts["type_id"], Listener::REPOSITORY_ID);
    assert!(facts["endpoints"][0].as_str().unwrap().starts_with("shmiop://"), "{text}");

    let client = client();
    let ear: Listener = client.resolve(facts["reference"].as_str().unwrap()).unwrap();
    assert_eq!(ear.heard(1).unwrap(), 2);
    // The printed corbaloc URL refers to the same object.
    let other: Listener = client.resolve(facts["corbaloc"].as_str().unwrap()).unwrap();
    assert_eq!(other.heard(2).unwrap(), 3);
    client.shutdown(true).unwrap();
    bridge.end();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let statistics: serde_json::Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(
        (statistics["requests"].as_u64(), statistics["refused"].as_u64()),
        (Some(3), Some(0))
    );
    orb.shutdown(true).unwrap();
}

#[test]
fn the_server_may_start_later() {
    let socket = folder("bridge-later").join("socket");
    let _ = std::fs::remove_file(&socket);
    let target = format!("corbaloc:uiop:1.2@{}|ear", socket.display());
    let mut bridge = Bridge::start(&["--listen", "iiop://127.0.0.1:0", "--to", &target]);
    let reference = bridge.reference();
    let (orb, _) = server(&format!("uiop://{}", socket.display()));
    let client = client();
    // The server forwards to an object of its own, so the client is forwarded to the bridge.
    let ear: Listener = client.resolve(&reference).unwrap();
    assert_eq!(ear.heard(1).unwrap(), 2);
    client.shutdown(true).unwrap();
    let said = bridge.end();
    assert!(said.contains("warning: the target does not respond yet"), "{said}");
    orb.shutdown(true).unwrap();
}

#[test]
fn failures_of_forwarding_are_logged() {
    let socket = folder("bridge-log").join("nobody");
    let target = format!("corbaloc:uiop:1.2@{}|ear", socket.display());
    for (options, logged) in [(&[][..], true), (&["--log", "off"], false)] {
        let words = [&["--listen", "iiop://127.0.0.1:0", "--to", &target], options].concat();
        let mut bridge = Bridge::start(&words);
        let reference = bridge.reference();
        let client = client();
        // The client asks for the type of the object.
        assert!(client.resolve::<Listener>(&reference).is_err());
        client.shutdown(true).unwrap();
        let said = bridge.end();
        assert_eq!(said.contains(" WARN "), logged, "{said}");
        assert_eq!(said.contains("cannot connect to the target"), logged, "{said}");
    }
}

#[test]
fn failures_to_open_a_bridge_are_reported() {
    let (orb, ior) = server("iiop://127.0.0.1:0");
    let nowhere = run(&["bridge", "--listen", "nowhere://x", "--to", &ior]);
    assert_eq!((nowhere.status, nowhere.stdout.as_str()), (Some(1), ""));
    assert!(nowhere.stderr.contains("no protocol for"), "{}", nowhere.stderr);
    let datagrams = run(&["bridge", "--listen", "diop://127.0.0.1:0", "--to", &ior]);
    assert_eq!(datagrams.status, Some(1));
    assert!(datagrams.stderr.contains("no replies"), "{}", datagrams.stderr);
    let nil =
        run(&["bridge", "--listen", "uiop://", "--to", "IOR:00000000000000010000000000000000"]);
    assert_eq!(nil.status, Some(1));
    assert!(nil.stderr.contains("nil"), "{}", nil.stderr);
    assert_eq!(run(&["bridge", "--to", &ior]).status, Some(2));
    orb.shutdown(true).unwrap();
}
