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

/// Frames that were sent while the screen was busy are late, and dropped: the screen does not fall behind.
#[test]
fn frames_behind_one_that_stalls_the_screen_are_dropped() {
    // All are sent as fast as can be, and each that is shown takes longer than a frame may be late. Where
    // the sender was kept from sending in just that time, it is done again.
    for _ in 0..20 {
        let (said, report) =
            run(&["--frames", "60", "--rate", "1000000", "--size", "100", "--stall", "1"]);
        let &[highest, received, lost, _, late, _] = report.as_slice() else { panic!("{said}") };
        let shown = said.lines().find(|line| line.contains(" shown, ")).unwrap();
        let shown: u64 = shown.split(' ').next().unwrap().parse().unwrap();
        assert!(highest < 60 && received + lost <= 60 && shown > 0, "{said}");
        // Whatever came is shown or late, and what was dropped is told.
        assert_eq!(shown + late, received, "{said}");
        if late > 0 {
            return;
        }
    }
    panic!("no frame was late");
}

#[test]
fn unknown_arguments_are_rejected() {
    let output = Command::new(program::PROGRAM).arg("--loose").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
