//! `zorb sched`: the scheduling service.

mod analyze;
mod json;
mod serve;
mod text;

use clap::{Args, Subcommand};

use crate::failure::Outcome;

/// Analyze schedules and serve the scheduling service
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb sched analyze flight.toml
  zorb sched analyze flight.toml --strategy edf --svg flight.svg
  zorb sched analyze flight.toml --write priorities.toml --json
  zorb sched serve flight.toml --listen iiop://localhost:2820")]
pub(crate) struct SchedArgs {
    #[command(subcommand)]
    command: SchedCommand,
}

#[derive(Debug, Subcommand)]
enum SchedCommand {
    Analyze(analyze::AnalyzeArgs),
    Serve(serve::ServeArgs),
}

pub(crate) fn run(args: &SchedArgs, arguments: &[String]) -> Outcome {
    match &args.command {
        SchedCommand::Analyze(args) => analyze::run(args),
        SchedCommand::Serve(args) => serve::run(args, arguments),
    }
}
