//! `zorb`: the tools of the ORB in one program.
//!
//! Each command is a module under `commands`; `cli` defines the command line, `screen` the
//! output. Exit status 0 means success, 1 that the command failed, 2 that the command line is
//! wrong.
//!
//! A library, so that Cargo compiles it while zorb-bench is still being optimized: 0.6 seconds of 7 are
//! left to be done after it.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod definitions;
mod failure;
mod interrupt;
mod log;
mod orb;
mod screen;
mod service;

pub use cli::run;
