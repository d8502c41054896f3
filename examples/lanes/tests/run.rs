//! Runs the program as a user would.

#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn alarms_wait_for_the_inspection_unless_there_are_lanes() {
    // Without lanes the limit always passes; with them it is not to.
    let output = Command::new(env!("CARGO_BIN_EXE_lanes")).arg("60").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let expected = "\
one thread for all
  the inspection begins
  alarm 1 is late
  alarm 2 is late
  the inspection ends
a lane for each priority
  the inspection begins
  alarm 1 is on time
  alarm 2 is on time
  the inspection ends
late alarms: 2 of 2 without lanes, 0 of 2 with them
";
    assert_eq!(said, expected);
}
