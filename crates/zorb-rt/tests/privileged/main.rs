//! Tests that need a privilege: to set priorities, or to create a network namespace.
#![allow(clippy::unwrap_used, clippy::use_self)]

mod births;
mod classes;
mod inversion;
#[path = "../it/probe.rs"]
mod probe;
mod shared;
mod stage;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let Some(classes) = classes::trial() else { return ExitCode::SUCCESS };
    let trials = inversion::trials().chain([classes]).collect();
    let mut arguments = Arguments::from_args();
    // Two of them at a time would take turns on the one processor.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials).exit_code()
}
