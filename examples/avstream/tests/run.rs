//! Runs the program as a user would.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::process::Command;
use std::time::Instant;

const PROGRAM: &str = env!("CARGO_BIN_EXE_avstream");

/// What the program says, and its numbers in the line that begins with `frame`.
fn run(words: &[&str]) -> (String, Vec<u64>) {
    finish(Command::new(PROGRAM).args(words))
}

fn finish(command: &mut Command) -> (String, Vec<u64>) {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let last = said.lines().rfind(|line| line.starts_with("frame ")).expect("a report");
    let numbers = last.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let numbers = numbers.collect();
    (said, numbers)
}

#[test]
fn frames_are_shown_and_reported() {
    let (said, report) = run(&["--frames", "100", "--rate", "1000", "--size", "20000"]);
    let &[highest, received, lost, ..] = report.as_slice() else { panic!("{said}") };
    // Datagrams may be lost, and frames late, on a busy machine.
    assert!(highest < 100 && received + lost <= 100 && received > 0, "{said}");
    assert!(said.contains(" shown, "), "{said}");
}

#[test]
fn lost_frames_are_reported() {
    let (said, report) =
        run(&["--frames", "100", "--rate", "1000", "--size", "100", "--lose", "5"]);
    let &[_, received, lost, ..] = report.as_slice() else { panic!("{said}") };
    assert!(lost > 0 && received > 0, "{said}");
}

/// A network of its own whose only link carries 100 Mbit in a second, in frames as Ethernet has them.
const SLOW_LINK: &str = "ip link set lo mtu 1500 up && \
    tc qdisc add dev lo root tbf rate 100mbit burst 32kb latency 50ms";

/// The program behind the slow link, where this machine lets it be made.
fn run_over_slow_link(words: &[&str]) -> Option<(String, Vec<u64>)> {
    let behind = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", &format!("{SLOW_LINK} && {then}"), "sh"]);
        command
    };
    if !behind("true").output().is_ok_and(|output| output.status.success()) {
        eprintln!("no right to make networks, or no unshare, ip and tc: not run");
        return None;
    }
    Some(finish(behind("exec \"$@\"").arg(PROGRAM).args(words)))
}

/// 29 Mbit in a second.
#[test]
fn a_link_of_100_mbit_carries_60_frames_of_60000_octets_in_a_second() {
    let Some((said, report)) = run_over_slow_link(&["--frames", "60"]) else { return };
    let &[highest, received, ..] = report.as_slice() else { panic!("{said}") };
    assert!(highest < 60 && received > 0, "{said}");
    assert!(said.contains("times between frames were off by at most"), "{said}");
}

/// 240 Mbit in a second. Whether the queue of the link drops frames or the sender waits for it is up to
/// the system; in either case the link carries 208 in a second and no more.
#[test]
fn a_link_carries_no_more_than_it_can() {
    let begin = Instant::now();
    let Some((said, report)) = run_over_slow_link(&["--frames", "500", "--rate", "500"]) else {
        return;
    };
    let most = begin.elapsed().as_millis() * 209 / 1000 + 1;
    let &[_, received, lost, ..] = report.as_slice() else { panic!("{said}") };
    assert!(received > 0 && received + lost <= 500, "{said}");
    assert!(u128::from(received) <= most, "{most}: {said}");
}

#[test]
fn what_it_does_not_know_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_avstream")).arg("--loose").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
