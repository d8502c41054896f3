//! The Zorb test client, to be run by hand: `zorb-interop-client REF [GIOP MINOR] [-ORB...]`.
//!
//! Prints one line for each check, as the peers' clients do.
#![allow(clippy::print_stdout)]
#![forbid(unsafe_code)]

use std::process::ExitCode;

use zorb::{Error, Orb, Phase};
use zorb_interop_tests::{checks, interop::Suite};

fn main() -> Result<ExitCode, Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").arguments(&mut arguments);
    let reference = arguments
        .first()
        .ok_or_else(|| Error::new(Phase::Configure, "give the reference of the test object"))?;
    let minor = arguments.get(1).and_then(|word| word.parse().ok()).unwrap_or(2);
    let orb = orb.build()?;
    let suite: Suite = orb.resolve(reference)?;
    let outcomes = checks::run(&orb, &suite, minor);
    let mut failed = 0;
    for outcome in &outcomes {
        match &outcome.result {
            Ok(()) => println!("ok {}", outcome.name),
            Err(reason) => {
                println!("FAIL {}: {reason}", outcome.name);
                failed += 1;
            }
        }
    }
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    orb.shutdown(true)?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
