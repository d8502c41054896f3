//! Runs the program as a user would.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::process::Command;

/// What the program says, and its numbers in the line that begins with `frame`.
fn run(words: &[&str]) -> (String, Vec<u64>) {
    let output = Command::new(env!("CARGO_BIN_EXE_avstream")).args(words).output().unwrap();
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

#[test]
fn what_it_does_not_know_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_avstream")).arg("--loose").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
