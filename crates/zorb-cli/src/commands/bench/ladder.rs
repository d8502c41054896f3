//! `zorb bench ladder`: marshalling engines, step by step.

use zorb_bench::ladder::{self, LadderPlan};

use super::args::LadderArgs;
use super::output::{Output, Results};
use crate::failure::Outcome;
use crate::screen;

pub(super) fn run(args: &LadderArgs) -> Outcome {
    let output = Output::new(args.json.as_deref(), None, None)?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("zorb-ladder"),
    };
    let plan = LadderPlan { program, quick: args.quick };
    let found = Output::measure(|progress| ladder::run(&plan, progress))?;
    let json = screen::json(&found)?;
    let (table, failures) = (found.table(), found.failures());
    output.write(&Results { json, html: String::new(), table, failures })
}
