//! Opens pages of stored results in a headless Chromium and looks at them as their readers do: where marks and bars
//! lie, which colors they have, whether everything fits a phone. Does the same with the console of services.
//!
//! Without a browser the tests are ignored; with `REQUIRE_PEERS` set, that is a failure.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

mod browser;
#[macro_use]
mod checks;
mod console;
mod sight;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use browser::Browser;
use checks::{CHECKS, Check};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // They share a browser, which lives no longer than the thread that has started it.
    arguments.test_threads = Some(1);
    // Started by the first test that needs it, ended with the last.
    let shared = Arc::new(Mutex::new(None));
    let trials = CHECKS
        .iter()
        .chain(console::CHECKS)
        .map(|(name, check)| trial(name, *check, &shared))
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(shared.lock().map(|mut browser| browser.take()));
    conclusion.exit_code()
}

fn trial(name: &str, check: Check, shared: &Arc<Mutex<Option<Browser>>>) -> Trial {
    let required = std::env::var_os("REQUIRE_PEERS").is_some_and(|value| value != "0");
    let Some(program) = browser::find() else {
        let missing = "chromium is missing";
        let message = format!("{missing}, and REQUIRE_PEERS is set");
        let trial = Trial::test(format!("{name} ({missing})"), move || Err(Failed::from(message)));
        return trial.with_ignored_flag(!required);
    };
    let shared = Arc::clone(shared);
    Trial::test(name, move || {
        let mut shared = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut browser = match shared.take() {
            Some(browser) => browser,
            None => Browser::start(&program)?,
        };
        check(&mut browser)?;
        // One that has seen a failure is not asked again.
        *shared = Some(browser);
        Ok(())
    })
}
