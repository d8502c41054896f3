//! Runs the program over a link that carries 100 Mbit/s.
//!
//! It needs a network namespace. Without the privilege or the tools for one, the tests are shown as ignored,
//! with the reason.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod program;

use std::process::{Command, ExitCode};
use std::time::Instant;

use libtest_mimic::{Arguments, Trial};

use program::{PROGRAM, finish};

/// A network of its own whose only link carries 100 Mbit/s, in frames as Ethernet has them.
const SLOW_LINK: &str = "ip link set lo mtu 1500 up && \
    tc qdisc add dev lo root tbf rate 100mbit burst 32kb latency 50ms";

fn main() -> ExitCode {
    let tests: [(&str, fn()); 2] = [
        (
            "a_link_of_100_mbit_carries_60_frames_of_60000_octets_in_a_second",
            a_link_of_100_mbit_carries_60_frames_of_60000_octets_in_a_second,
        ),
        ("a_link_carries_no_more_than_it_can", a_link_carries_no_more_than_it_can),
    ];
    let missing = missing();
    let trials = tests.map(|(name, test)| match &missing {
        None => Trial::test(name, move || {
            test();
            Ok(())
        }),
        Some(reason) => {
            Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

fn behind_slow_link(then: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "sh", "-c", &format!("{SLOW_LINK} && {then}"), "sh"]);
    command
}

/// Why there is no such link.
fn missing() -> Option<String> {
    match behind_slow_link("true").output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("no network of its own: {}", said.lines().next().unwrap_or_default()))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

fn run_over_slow_link(words: &[&str]) -> (String, Vec<u64>) {
    finish(behind_slow_link("exec \"$@\"").arg(PROGRAM).args(words))
}

/// 29 Mbit/s.
fn a_link_of_100_mbit_carries_60_frames_of_60000_octets_in_a_second() {
    let (said, report) = run_over_slow_link(&["--frames", "60"]);
    let &[highest, received, ..] = report.as_slice() else { panic!("{said}") };
    assert!(highest < 60 && received > 0, "{said}");
    assert!(said.contains("of the intervals between frames deviated by at most"), "{said}");
}

/// 240 Mbit/s. Whether the queue of the link drops frames or the sender waits for it is up to
/// the system; in either case the link carries at most 208 Mbit/s.
fn a_link_carries_no_more_than_it_can() {
    let begin = Instant::now();
    let (said, report) = run_over_slow_link(&["--frames", "500", "--rate", "500"]);
    let most = begin.elapsed().as_millis() * 209 / 1000 + 1;
    let &[_, received, lost, ..] = report.as_slice() else { panic!("{said}") };
    assert!(received > 0 && received + lost <= 500, "{said}");
    assert!(u128::from(received) <= most, "{most}: {said}");
}
