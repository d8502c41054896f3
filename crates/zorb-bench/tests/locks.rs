//! Locks that hand priorities down, between upcalls of three priorities.
//!
//! Priorities decide. Where they cannot be set, the tests are shown as ignored, with the reason.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use zorb_bench::realtime::{TRANSPORTS, denial, overtakes};

fn main() -> ExitCode {
    let denial = denial();
    let trials = TRANSPORTS.map(|transport| {
        let name = format!("a_high_upcall_gets_the_lock_past_a_hog/{transport}");
        match &denial {
            None => Trial::test(name, move || {
                assert!(matches!(overtakes(transport, true), Ok(true)), "inherited");
                assert!(matches!(overtakes(transport, false), Ok(false)), "the control");
                Ok(())
            }),
            Some(reason) => {
                Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
            }
        }
    });
    let mut arguments = Arguments::from_args();
    // They have the same processors.
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}
