//! Runs the program as a user would, with fewer accounts or calls.
#![allow(clippy::unwrap_used)]

use std::process::Command;

/// What it prints after each of these words, with these arguments.
fn printed<const N: usize>(arguments: &[&str], of: [&str; N]) -> [String; N] {
    let output = Command::new(env!("CARGO_BIN_EXE_accounts")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    of.map(|of| {
        let line = text.lines().find_map(|line| line.strip_prefix(of));
        line.unwrap().split_whitespace().next().unwrap().to_owned()
    })
}

#[test]
fn one_servant_serves_all_accounts() {
    let values = printed(&["--ids", "500"], ["ids", "calls", "active objects", "beyond"]);
    assert_eq!(values, ["500", "500,", "0", "ObjectNotExist"]);
}

#[test]
fn ten_million_accounts_are_reached_and_need_no_memory_of_the_orb() {
    let of = ["ids", "calls", "active objects", "ORB's memory"];
    let [ids, calls, active, grown] = printed(&["--calls", "1000"], of);
    assert_eq!([ids, calls, active], ["10000000", "1000,", "0"]);
    // Less than an octet for each id.
    assert!(grown.parse::<u64>().unwrap() < 10_000_000, "{grown}");
}
