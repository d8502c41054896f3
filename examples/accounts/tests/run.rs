//! Runs the program as a user would, with fewer accounts.
#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn one_servant_serves_all_accounts() {
    let output = Command::new(env!("CARGO_BIN_EXE_accounts")).args(["--ids", "500"]).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let value = |of: &str| {
        let line = text.lines().find(|line| line.starts_with(of));
        line.unwrap().split_whitespace().nth(if of.contains(' ') { 2 } else { 1 }).unwrap()
    };
    assert_eq!(value("ids"), "500");
    assert_eq!(value("calls"), "500,");
    assert_eq!(value("active objects"), "0");
    assert_eq!(value("beyond"), "ObjectNotExist");
}
