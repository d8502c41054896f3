//! The costs of calls that can be counted from outside, with the profile `lto`: system calls (strace), copies and
//! instructions (valgrind), size and memory of a small server.
//!
//! They do not depend on the speed or the load of the machine. If a tool is missing or not permitted its trials show as
//! ignored, with the reason; `REQUIRE_TOOLS=1` makes that a failure. `UPDATE_COSTS=1` writes the instruction
//! counts to `tests/costs/instructions.toml`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may")]

mod adapters;
mod copies;
mod footprint;
mod instructions;
mod lanes;
mod program;
mod system_calls;
mod tool;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use tool::Absent;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [
        system_calls::trials(),
        lanes::trials(),
        copies::trials(),
        instructions::trials(),
        footprint::trials(),
        adapters::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// A trial that needs something from the machine. Without it the trial is ignored, with the reason
/// in its name, or fails where everything is required.
fn trial(
    name: String,
    needs: Result<(), Absent>,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    match needs {
        Ok(()) => Trial::test(name, || run().map_err(Failed::from)),
        Err(Absent(reason)) if tool::required() => {
            let message = format!("{reason}, and REQUIRE_TOOLS is set");
            Trial::test(name, || Err(message.into()))
        }
        Err(Absent(reason)) => {
            Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
        }
    }
}
