//! `zorb bench rt` and `zorb bench upcalls`: the real-time experiments.

use std::fs;
use std::time::Duration;

use zorb_bench::Result;
use zorb_bench::realtime::{self, RtPlan, RtReport};

use super::args::{RtArgs, RtOutput, UpcallsArgs};
use super::is_standard;
use super::progress::Progress;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen;

pub(super) fn run(args: &RtArgs) -> Outcome {
    let RtArgs { quick, only, transport, output } = args;
    let plan = RtPlan { only: only.clone(), transports: transport.clone(), quick: *quick };
    plan.experiments().map_err(|reason| Failure::new(reason).into_usage())?;
    found("rt", output, |progress| realtime::run(&plan, progress))
}

pub(super) fn run_upcalls(args: &UpcallsArgs) -> Outcome {
    let time = Duration::from_secs(args.seconds);
    found("upcalls", &args.output, |progress| realtime::upcalls(time, progress))
}

/// Runs a measurement and writes its outputs; files in the output directory have this name.
fn found(
    name: &str,
    output: &RtOutput,
    find: impl FnOnce(&mut Progress<'_>) -> Result<RtReport>,
) -> Outcome {
    let RtOutput { json, html, out } = output;
    let (json, html) = (json.as_deref(), html.as_deref());
    if is_standard(json) && is_standard(html) {
        let both = "`--json -` and `--html -` cannot both write to standard output";
        return Err(Failure::new(both).into_usage());
    }
    // Before any thread is started.
    let interrupt = Interrupt::watch()?;
    let mut progress = Progress::new(&interrupt);
    let outcome = find(&mut progress);
    progress.finish();
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
        screen::write(&folder.join(format!("{name}.json")), &text)?;
        screen::write(&folder.join(format!("{name}.html")), &found.page()?)?;
    }
    if !is_standard(json) && !is_standard(html) {
        screen::print(&found.table())?;
    }
    Ok(OK)
}
