//! `zorb ping`, with an ORB in this process as the server.

use std::io::Read;
use std::process::Stdio;

use zorb::Interface;
use zorb_bench::demo::{Listener, ListenerServant};

use crate::program::{command, line_of, run, signal};

pub(crate) struct Ear;

impl ListenerServant for Ear {
    fn heard(&self, value: i32) -> zorb::Result<i32> {
        Ok(value)
    }
}

fn server() -> (zorb::Orb, String) {
    let builder = zorb::Orb::builder().without_environment();
    let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
    let listener: Listener = orb.root_poa().activate(Ear).unwrap();
    orb.publish("ear", &listener).unwrap();
    let ior = listener.as_object().to_ior_string();
    (orb, ior)
}

#[test]
fn calls_are_counted_and_timed() {
    let (orb, ior) = server();
    let ping = run(&["ping", "-c", "3", "-i", "0", "--json", &ior]);
    assert_eq!((ping.status, ping.stderr.as_str()), (Some(0), ""));
    let json = ping.json();
    assert_eq!(json["type_id"], "IDL:Demo/Listener:1.0");
    assert_eq!(json["locate"]["answer"], "exists");
    let calls = json["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| call["answer"] == "exists" && call["ms"].as_f64() > Some(0.0)));
    let statistics = &json["statistics"];
    assert_eq!((statistics["sent"].as_u64(), statistics["answered"].as_u64()), (Some(3), Some(3)));
    assert_eq!(statistics["loss_percent"], 0.0);
    let of = |name: &str| statistics[name].as_f64().unwrap();
    assert!(of("min_ms") <= of("p50_ms") && of("p50_ms") <= of("p99_ms"));
    assert!(of("p99_ms") <= of("max_ms") && of("min_ms") <= of("avg_ms"));
    orb.shutdown(true).unwrap();
}

#[test]
fn a_line_for_each_call_and_statistics() {
    let (orb, ior) = server();
    let text = run(&["ping", "-c", "2", "-i", "0", &ior]).stdout;
    for part in [
        "ping IDL:Demo/Listener:1.0 at iiop://127.0.0.1:",
        "locate: exists",
        "call 2: exists",
        "p50/p99",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("2 calls, 2 answered, 0.0 % lost"), "{text}");
    orb.shutdown(true).unwrap();
}

#[test]
fn all_endpoints_of_the_object_are_shown() {
    let builder = zorb::Orb::builder().without_environment();
    let orb = builder.listen("shmiop://").listen("lite+iiop://127.0.0.1:0").build().unwrap();
    let listener: Listener = orb.root_poa().activate(Ear).unwrap();
    let [shared, lite] = orb.endpoints().try_into().unwrap();
    let text = run(&["ping", "-c", "1", &listener.as_object().to_ior_string()]).stdout;
    let told = format!("ping IDL:Demo/Listener:1.0 at {shared}, {lite}\n");
    assert!(text.starts_with(&told), "{told}: {text}");
    orb.shutdown(true).unwrap();
}

#[test]
fn published_names_are_found_and_others_are_gone() {
    let (orb, _) = server();
    orb.serve().unwrap();
    let endpoint = orb.endpoints()[0].replace("iiop://", "corbaloc:iiop:1.2@");
    let found = run(&["ping", "-c", "1", "--json", &format!("{endpoint}/ear")]);
    assert_eq!(found.status, Some(0), "{}", found.stdout);
    let lost = run(&["ping", "-c", "1", "--json", &format!("{endpoint}/eye")]);
    assert_eq!(lost.status, Some(1));
    assert_eq!(lost.json()["locate"]["answer"], "gone");
    assert_eq!(lost.json()["calls"][0]["answer"], "gone");
    orb.shutdown(true).unwrap();
}

#[test]
fn no_server_is_no_answer() {
    // No server listens on this port.
    let ping = run(&["ping", "-c", "2", "-i", "0", "corbaloc::127.0.0.1:1/x"]);
    assert_eq!(ping.status, Some(1));
    assert!(ping.stdout.contains("2 calls, 0 answered, 100.0 % lost"), "{}", ping.stdout);
    assert_eq!(ping.stdout.matches("no answer: ").count(), 3, "{}", ping.stdout);
    assert_eq!(ping.stdout.matches("hint: ").count(), 1, "{}", ping.stdout);
}

#[test]
fn a_nil_reference_cannot_be_called() {
    let ping = run(&["ping", "IOR:00000000000000010000000000000000"]);
    assert_eq!((ping.status, ping.stdout.as_str()), (Some(1), ""));
    assert!(ping.stderr.contains("nil"), "{}", ping.stderr);
}

#[test]
fn an_interrupt_ends_with_statistics() {
    let (orb, ior) = server();
    let mut ping = command(&["ping", "-i", "3600", &ior]).stdout(Stdio::piped()).spawn().unwrap();
    let (_, mut rest) =
        line_of(ping.stdout.take().unwrap(), |line| line.starts_with("call 1: exists"));
    signal(&ping, "INT");
    let mut text = String::new();
    rest.read_to_string(&mut text).unwrap();
    assert_eq!(ping.wait().unwrap().code(), Some(0));
    assert!(text.contains("1 call, 1 answered"), "{text}");
    orb.shutdown(true).unwrap();
}

#[test]
fn it_ends_when_its_output_is_closed() {
    let (orb, ior) = server();
    let mut ping = command(&["ping", "-i", "0", &ior]).stdout(Stdio::piped()).spawn().unwrap();
    let seen = line_of(ping.stdout.take().unwrap(), |line| line.starts_with("call 1: exists"));
    drop(seen);
    assert_eq!(ping.wait().unwrap().code(), Some(0));
    orb.shutdown(true).unwrap();
}

#[test]
fn probes_get_an_exit_status() {
    let (orb, _) = server();
    orb.publish_health("Health", std::time::Duration::from_secs(30)).unwrap();
    let url = orb.endpoints()[0].replace("iiop://", "corbaloc::") + "/Health";
    let probe = |what: &str| run(&["ping", what, &url]);
    let finished = probe("--ready");
    assert_eq!(finished.status, Some(1));
    assert_eq!(finished.stdout, "not ready: the program is starting\n");
    orb.serve().unwrap();
    for (option, answer) in [("--ready", "ready\n"), ("--live", "live\n")] {
        let finished = probe(option);
        assert_eq!((finished.status, finished.stdout.as_str()), (Some(0), answer));
    }
    orb.root_poa().manager().hold_requests().unwrap();
    let finished = probe("--ready");
    assert_eq!(finished.status, Some(1));
    assert_eq!(finished.stdout, "not ready: the POA manager of RootPOA is holding\n");
    assert_eq!(probe("--live").status, Some(0));
    let json = run(&["ping", "--ready", "--json", &url]).json();
    assert_eq!(json["ready"], false);
    orb.shutdown(true).unwrap();
    assert_eq!(probe("--ready").status, Some(1));
}
