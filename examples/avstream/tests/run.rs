//! Runs the program as a user would.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod program;

use std::process::Command;

use program::run;

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
    let output = Command::new(program::PROGRAM).arg("--loose").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
