//! Signals and children in separate processes: the test program starts itself again, with a role in
//! the environment.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use zorb_os::process::{ProcessId, bind_to_this_process, die_with_parent, unblock_signals};
use zorb_os::signal::{AllSignalsBlocked, Signal, TerminationSignal, is_blocked};

const ROLE: &str = "ZORB_OS_TEST_ROLE";

fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// This program again, to run the test `name` in the given role.
fn again(name: &str, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(ROLE, role);
    command
}

/// A child in which all threads block signals, including those of the test harness: it inherits
/// this from the thread that starts it. (A real program calls `block` first in `main`.)
fn start_blocked(name: &str, role: &str) -> (Child, BufReader<ChildStdout>) {
    let mut command = again(name, role);
    command.stdout(Stdio::piped()).stderr(Stdio::inherit());
    let held_back = TerminationSignal::block().unwrap();
    let mut child = command.spawn().unwrap();
    held_back.unblock().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// The text after `start` in the first line of the child's output that contains it.
fn line_after(output: &mut impl BufRead, start: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "no line with {start}");
        if let Some((_, rest)) = line.split_once(start) {
            return rest.trim().to_owned();
        }
    }
}

fn send(signal: &str, process: u32) {
    let kill = format!("kill -{signal} {process}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

#[test]
fn signals_reach_the_waiting_thread_and_after_release_end_the_process() {
    const NAME: &str = "signals_reach_the_waiting_thread_and_after_release_end_the_process";
    if role().is_some() {
        die_with_parent().unwrap();
        let termination = TerminationSignal::block().unwrap();
        // Under nohup, SIGHUP is ignored.
        let signals = if format!("{termination:?}").contains("SIGHUP") { 3 } else { 2 };
        println!("READY {signals}");
        for _ in 0..signals {
            println!("GOT {}", termination.wait().unwrap().unwrap());
        }
        termination.unblock().unwrap();
        println!("RELEASED.");
        loop {
            std::thread::park();
        }
    }
    let (mut child, mut output) = start_blocked(NAME, "waiter");
    let signals: usize = line_after(&mut output, "READY ").parse().unwrap();
    let all = [("INT", "SIGINT"), ("TERM", "SIGTERM"), ("HUP", "SIGHUP")];
    for (signal, name) in all.into_iter().take(signals) {
        send(signal, child.id());
        assert_eq!(line_after(&mut output, "GOT "), name);
    }
    line_after(&mut output, "RELEASED");
    send("TERM", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERMINATE.number()));
}

#[test]
fn blocking_holds_for_the_thread_and_those_it_starts() {
    assert!(!is_blocked(Signal::INTERRUPT).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let termination = TerminationSignal::block().unwrap();
            assert!(format!("{termination:?}").contains("SIGINT, SIGTERM"));
            let in_child = std::thread::spawn(|| is_blocked(Signal::TERMINATE).unwrap());
            assert!(in_child.join().unwrap());
            termination.unblock().unwrap();
            assert!(!is_blocked(Signal::TERMINATE).unwrap());
        });
    });
}

#[test]
fn helpers_take_no_signals_and_others_do() {
    let blocked = || std::thread::spawn(|| is_blocked(Signal::TERMINATE).unwrap()).join().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let held = AllSignalsBlocked::new().unwrap();
            assert!(blocked());
            drop(held);
            assert!(!blocked() && !is_blocked(Signal::TERMINATE).unwrap());
        });
    });
}

#[test]
fn stopping_ends_every_wait() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let termination = TerminationSignal::block().unwrap();
            std::thread::scope(|inner| {
                let waiters: Vec<_> =
                    (0..2).map(|_| inner.spawn(|| termination.wait().unwrap())).collect();
                termination.stop();
                for waiter in waiters {
                    assert_eq!(waiter.join().unwrap(), None);
                }
            });
            assert_eq!(termination.wait().unwrap(), None, "later waits too");
        });
    });
}

#[test]
fn bound_children_end_with_their_parent_and_take_signals() {
    const NAME: &str = "bound_children_end_with_their_parent_and_take_signals";
    match role().as_deref() {
        None => {
            let (mut parent, mut output) = start_blocked(NAME, "parent");
            let taking_signals = line_after(&mut output, "TAKES SIGNALS ");
            line_after(&mut output, "BOTH UP");
            parent.kill().unwrap();
            parent.wait().unwrap();
            // The grandchildren hold the output open, so it ends when both have ended.
            let (sender, ended) = mpsc::channel();
            std::thread::spawn(move || sender.send(output.read_to_end(&mut Vec::new()).is_ok()));
            assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(true), "left behind");
            assert_eq!(taking_signals, "true");
        }
        Some("parent") => {
            die_with_parent().unwrap();
            let mut bound = again(NAME, "bound");
            let mut bound =
                bind_to_this_process(&mut bound).stdout(Stdio::piped()).spawn().unwrap();
            let mut output = BufReader::new(bound.stdout.take().unwrap());
            println!("TAKES SIGNALS {}", line_after(&mut output, "TAKES SIGNALS "));
            let mut willing = again(NAME, "willing");
            let mut willing = willing.stdout(Stdio::piped()).spawn().unwrap();
            let mut output = BufReader::new(willing.stdout.take().unwrap());
            assert_eq!(line_after(&mut output, "PARENT "), std::process::id().to_string());
            println!("BOTH UP.");
            // Neither ends before this process.
            bound.wait().unwrap();
            willing.wait().unwrap();
        }
        Some("bound") => {
            println!("TAKES SIGNALS {}", !is_blocked(Signal::TERMINATE).unwrap());
            loop {
                std::thread::park();
            }
        }
        Some(_) => {
            println!("PARENT {}", die_with_parent().unwrap());
            loop {
                std::thread::park();
            }
        }
    }
}

#[test]
fn children_without_blocked_signals_can_be_terminated() {
    let held_back = TerminationSignal::block().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "kill -TERM $$"]);
    assert_eq!(command.status().unwrap().signal(), None, "they are inherited");
    let ended = unblock_signals(&mut command).status().unwrap();
    held_back.unblock().unwrap();
    assert_eq!(ended.signal(), Some(Signal::TERMINATE.number()));
}

#[test]
fn a_process_has_not_ended_because_there_are_no_descriptors() {
    use rustix::process::{Resource, getrlimit, setrlimit};

    const NAME: &str = "a_process_has_not_ended_because_there_are_no_descriptors";
    if role().is_none() {
        assert!(again(NAME, "without descriptors").status().unwrap().success());
        return;
    }
    let this = ProcessId::of(std::process::id()).unwrap();
    let mut child = Command::new("true").spawn().unwrap();
    let other = ProcessId::from_parts(child.id(), 1);
    child.wait().unwrap();
    let before = getrlimit(Resource::Nofile);
    let mut none = getrlimit(Resource::Nofile);
    none.current = Some(0);
    setrlimit(Resource::Nofile, none).unwrap();
    let (is_alive, is_found) = (this.is_alive(), ProcessId::of(this.id()).is_some());
    setrlimit(Resource::Nofile, before).unwrap();
    assert!(is_alive && !is_found);
    assert!(this.is_alive());
    assert!(!other.is_alive());
    assert!(!ProcessId::from_parts(this.id(), this.started() + 1).is_alive());
}
