//! Compiles OMG IDL to Rust, from `build.rs` or from a tool.
//!
//! ```no_run
//! // The whole `main` of build.rs:
//! zorb_build::compile("idl/hello.idl");
//! ```
//!
//! This writes `hello.rs` to Cargo's `OUT_DIR`, for `zorb::include_idl!("hello")`, and tells Cargo
//! to rerun the script when the file or one it includes changes. [`Config`] provides the options.
#![forbid(unsafe_code)]

mod cargo;
mod config;
mod error;
mod handlers;
mod usage;

use std::path::Path;

pub use config::{Config, Output};
pub use error::Error;
pub use zorb_idl::Code;
pub use zorb_idl_rust::{Lookup, Marshal, Target};

/// The variable that chooses the marshalling engine of a build script that chooses none: `compiled` or `interpretive`. Its
/// name does not begin as those of the ORB's options do.
pub(crate) const ENGINE: &str = "IDL_MARSHAL";

/// Compiles one IDL file with default options in a build script.
///
/// If the IDL has errors, it prints the diagnostics and exits the build script with status 1.
pub fn compile(file: impl AsRef<Path>) {
    Config::new().compile(&[file]);
}
