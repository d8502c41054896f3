//! `zorb bench rt`: the real-time experiments.

use std::fs;

use zorb_bench::realtime::{self, RtPlan};

use super::args::RtArgs;
use super::is_standard;
use super::watching::Watching;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

pub(super) fn run(args: &RtArgs) -> Outcome {
    let RtArgs { quick, only, transport, json, html, out } = args;
    let (json, html) = (json.as_deref(), html.as_deref());
    if is_standard(json) && is_standard(html) {
        let both = "`--json -` and `--html -` cannot both have standard output";
        return Err(Failure::new(both).into_usage());
    }
    let plan = RtPlan { only: only.clone(), transports: transport.clone(), quick: *quick };
    plan.experiments().map_err(|reason| Failure::new(reason).into_usage())?;
    // Before any thread is started.
    let interrupt = Interrupt::watch()?;
    let mut watching = Watching::new(&interrupt);
    let outcome = realtime::run(&plan, &mut watching);
    watching.finish();
    if let Some(signal) = interrupt.arrived() {
        return Err(Failure::interrupted(signal));
    }
    let found = outcome?;
    let text = serde_json::to_string_pretty(&found)
        .map_err(|error| Failure::new(format!("writing JSON: {error}")))?
        + "\n";
    if let Some(file) = json {
        screen::write(file, &text)?;
    }
    if let Some(file) = html {
        screen::write(file, &found.page()?)?;
    }
    if let Some(folder) = out {
        let failed = |error| Failure::new(format!("{}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        screen::write(&folder.join("rt.json"), &text)?;
        screen::write(&folder.join("rt.html"), &found.page()?)?;
    }
    if !is_standard(json) && !is_standard(html) {
        screen::print(&found.table())?;
    }
    Ok(OK)
}
