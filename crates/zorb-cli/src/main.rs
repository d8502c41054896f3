//! `zorb`: the tools of the ORB in one program.
//!
//! One module a command, under `commands`; [`cli`] has the command line, [`screen`] what is printed
//! where. Exit status 0 means that all went well, 1 that what was asked about failed, 2 that the
//! question was wrong.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod definitions;
mod failure;
mod interrupt;
mod log;
mod screen;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect())
}
