//! The program `zorb`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    zorb_cli::run(std::env::args_os().collect())
}
