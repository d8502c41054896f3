//! `zorb bench dba`: graph coloring.

use zorb_bench::dba::{self, DbaPlan};

use super::args::DbaArgs;
use super::output::{Output, Results};
use crate::failure::Outcome;
use crate::screen;

pub(super) fn run(args: &DbaArgs) -> Outcome {
    let output = Output::new(args.json.as_deref(), None, None)?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("dba"),
    };
    let plan = DbaPlan { program, quick: args.quick };
    let found = Output::measure(|progress| dba::run(&plan, progress))?;
    let json = screen::json(&found)?;
    let (table, failures) = (found.table(), found.failures());
    output.write(&Results { json, html: String::new(), table, failures })
}
