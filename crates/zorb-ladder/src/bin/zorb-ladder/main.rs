//! Runs the engines for `zorb bench ladder`, under callgrind and over sockets, and the peer of `zorb bench conventional`.
#![forbid(unsafe_code)]

mod conventional;
mod count;
mod flood;
mod way;

use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;

/// Run the marshalling engines of `zorb bench ladder`
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Encode and decode sequences of all types by all engines, for callgrind
    Count(count::Arguments),
    /// Send sequences in messages
    Send(flood::SendArguments),
    /// Listen, print the address, and receive the messages of one sender
    Receive(flood::ReceiveArguments),
    /// Serve as a conventional ORB
    Server(conventional::ServerArguments),
    /// Call such a server
    Client(conventional::ClientArguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Count(arguments) => count::run(&arguments).and_then(print),
        Command::Send(arguments) => flood::send(&arguments).and_then(print),
        Command::Receive(arguments) => flood::receive(&arguments).and_then(print),
        Command::Server(arguments) => conventional::serve(&arguments).map_err(text),
        Command::Client(arguments) => conventional::call(arguments).map_err(text),
    };
    match done {
        Ok(status) => status,
        Err(reason) => {
            let _ = writeln!(std::io::stderr(), "{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a result as a line of JSON.
fn print(result: impl Serialize) -> Result<ExitCode, String> {
    let line = serde_json::to_string(&result).map_err(text)?;
    writeln!(std::io::stdout(), "{line}").map_err(text)?;
    Ok(ExitCode::SUCCESS)
}

/// The text of an error.
fn text(error: impl Display) -> String {
    error.to_string()
}
