//! The program as its users run it.

mod config;
mod demo;
mod idl;
mod ior;
mod ping;
mod program;
mod usage;

mod stubs {
    zorb::include_idl!("demo");
}
