//! Runs the program as a user would, for a moment.

use std::process::Command;

#[test]
fn three_tasks_run_and_are_counted() {
    let output = Command::new(env!("CARGO_BIN_EXE_upcalls")).args(["--millis", "30"]).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut tasks = rows[1..4].to_vec();
    tasks.sort_unstable();
    assert_eq!(tasks, ["sample", "show", "steer"], "{text}");
}
