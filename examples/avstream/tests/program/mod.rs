//! The program, run as a user would.

use std::process::Command;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_avstream");

/// The output of the program, and the numbers of its lines that start with `frame`.
#[allow(dead_code, reason = "one of two test programs does not use it")]
pub(crate) fn run(words: &[&str]) -> (String, Vec<u64>) {
    finish(Command::new(PROGRAM).args(words))
}

pub(crate) fn finish(command: &mut Command) -> (String, Vec<u64>) {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let last = said.lines().rfind(|line| line.starts_with("frame ")).expect("a report");
    let numbers = last.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let numbers = numbers.collect();
    (said, numbers)
}
