//! `zorb bench rt` and `zorb bench upcalls`: the real-time experiments.

use std::time::Duration;

use zorb_bench::Result;
use zorb_bench::realtime::{self, RtPlan, RtReport};

use super::args::{RtArgs, RtOutput, UpcallsArgs};
use super::output::{Output, Results};
use super::progress::Progress;
use super::report::page_of;
use crate::failure::{Failure, Outcome};
use crate::screen;

pub(super) fn run(args: &RtArgs) -> Outcome {
    let RtArgs { quick, only, transport, output } = args;
    let plan = RtPlan { only: only.clone(), transports: transport.clone(), quick: *quick };
    plan.experiments().map_err(|reason| Failure::new(reason).into_usage())?;
    measure("rt", output, |progress| realtime::run(&plan, progress))
}

pub(super) fn run_upcalls(args: &UpcallsArgs) -> Outcome {
    let time = Duration::from_secs(args.seconds);
    measure("upcalls", &args.output, |progress| realtime::upcalls(time, progress))
}

/// Runs a measurement and writes its outputs; files in the output folder have this name.
fn measure(
    name: &str,
    output: &RtOutput,
    find: impl FnOnce(&mut Progress<'_>) -> Result<RtReport>,
) -> Outcome {
    let RtOutput { json, html, out } = output;
    let folder = out.as_deref().map(|folder| (folder, name));
    let output = Output::new(json.as_deref(), html.as_deref(), folder)?;
    let found = Output::measure(find)?;
    let (json, html) = (screen::json(&found)?, page_of("rt", &found)?);
    output.write(&Results { json, html, table: found.table(), failures: found.failures() })
}
