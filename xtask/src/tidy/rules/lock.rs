//! Locks that threads of different priorities meet at hand the priority down.

use super::super::{Finding, Rule, Tree};
use super::crate_of;

/// The crates that calls go through.
const ON_THE_PATH: &[&str] = &[
    "zorb-os",
    "zorb-cdr",
    "zorb-interp",
    "zorb-types",
    "zorb-giop",
    "zorb-transport",
    "zorb-short",
    "zorb-tcp",
    "zorb-unix",
    "zorb-shm",
    "zorb-udp",
    "zorb-arq",
    "zorb-av",
    "zorb-tls",
    "zorb-core",
    "zorb-rt",
    "zorb-dsrt",
    "zorb-sched",
    "zorb-sctp",
];

/// What of `std::sync` knows nothing of priorities.
const WITHOUT: &[&str] = &["Mutex", "RwLock", "Condvar"];

pub(super) const RULE: Rule = Rule {
    name: "lock",
    why: "on the path of calls, who waits for a lock lends its priority to who has it: zorb_os::lock",
    excusable: true,
    check,
};

/// One finding a file, where the first of them is named: so one reason speaks for the file.
fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        let on_the_path = crate_of(source.path()).is_some_and(|name| ON_THE_PATH.contains(&name));
        if !on_the_path || !source.path().contains("/src/") {
            continue;
        }
        let lines = WITHOUT.iter().flat_map(|word| source.words(word));
        let lines = lines.map(|offset| source.line_of(offset));
        if let Some(line) = lines.filter(|line| !source.is_test_line(*line)).min() {
            let advice =
                "take `Lock` and `Condition` of zorb_os::lock, or say who never waits here";
            findings.push(Finding::new(source.path(), line, advice));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const MUTEX: &str = "use std::sync::{Arc, Mutex};\nstatic A: Mutex<()> = Mutex::new(());\n";

    #[test]
    fn a_file_on_the_path_is_named_once() {
        for path in ["crates/zorb-core/src/client/pool.rs", "crates/zorb-tls/src/stream.rs"] {
            assert_eq!(places(&RULE, &[(path, MUTEX)]), [format!("{path}:1")]);
        }
        let condition = "use std::sync::Arc;\nuse std::sync::Condvar;\n";
        let path = "crates/zorb-os/src/a.rs";
        assert_eq!(places(&RULE, &[(path, condition)]), [format!("{path}:2")]);
    }

    #[test]
    fn tests_other_crates_and_other_locks_pass() {
        for path in [
            "crates/zorb-core/tests/a.rs",
            "crates/zorb-core/src/a/tests.rs",
            "crates/zorb-bench/src/a.rs",
        ] {
            assert!(places(&RULE, &[(path, MUTEX)]).is_empty(), "{path}");
        }
        let other = "use zorb_os::mutex::PiMutex; // not a Mutex\n";
        assert!(places(&RULE, &[("crates/zorb-core/src/a.rs", other)]).is_empty());
    }
}
