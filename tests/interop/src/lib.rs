//! Zorb against real omniORB and JacORB processes.
//!
//! `idl/interop.idl` holds every construct of the IDL that Zorb compiles. This crate serves it
//! ([`server`]) and checks a server of it ([`checks`]); the programs in `peers/` do the same with
//! omniORB and with JacORB, and the test binary `interop` brings each pair together. README.md
//! tells how to run it and what was found.
#![forbid(unsafe_code)]

pub mod asynchronous;
pub mod checks;
mod highest;
pub mod nano;
pub mod samples;
pub mod seeds;
pub mod server;

pub use highest::HighestIiop;

zorb::include_idl!("interop");
zorb::include_idl!("random");
