//! `zorb bench naming`: naming services.

use zorb_bench::naming::{self, NamingPlan};

use super::args::NamingArgs;
use super::output::{Output, Results};
use crate::failure::Outcome;
use crate::screen;

pub(super) fn run(args: &NamingArgs) -> Outcome {
    let output = Output::new(args.json.as_deref(), None, None)?;
    let plan = NamingPlan { program: std::env::current_exe()?, pin: args.pin, quick: args.quick };
    let found = Output::measure(|progress| naming::run(&plan, progress))?;
    let json = screen::json(&found)?;
    let (table, failures) = (found.table(), found.failures());
    output.write(&Results { json, html: String::new(), table, failures })
}
