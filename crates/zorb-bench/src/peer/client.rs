//! A client: executes and times the commands of the harness.

mod calls;
mod flood;
mod run;

pub use calls::{Client, ConnectionUse, Flooding, Refusal, Tally, TwoWay};
pub use run::in_parts;

use crate::driver::{Answer, Command};

/// Executes a command line.
pub(super) fn answer(client: &dyn Client, line: &str) -> Answer {
    let command = match line.parse() {
        Ok(command) => command,
        Err(reason) => return Answer::Failed(reason),
    };
    let outcome = match command {
        Command::Run(run) => run::run(client, &run),
        Command::Flood(flood) => flood::flood(client, &flood),
        Command::Find(_) => return Answer::Failed("find is for searches".to_owned()),
    };
    match outcome {
        Ok(done) => Answer::Done(done),
        Err(Refusal::Unsupported(reason)) => Answer::Unsupported(reason),
        Err(Refusal::Failed(error)) => Answer::Failed(error.to_string()),
    }
}
