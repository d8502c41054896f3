//! Runs the program as a user would.
#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn both_servants_answer_later() {
    let output = Command::new(env!("CARGO_BIN_EXE_deferred")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let once = ["Bergen: 11.5 °C", "Atlantis: unknown"];
    assert_eq!(text.lines().collect::<Vec<_>>(), [once, once].concat());
}
