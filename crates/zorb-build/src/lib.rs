//! Compiles OMG IDL to Rust: from `build.rs`, or from a tool.
//!
//! ```no_run
//! // The whole `main` of build.rs:
//! zorb_build::compile("idl/hello.idl");
//! ```
//!
//! This writes `hello.rs` to Cargo's `OUT_DIR`, for `zorb::include_idl!("hello")`, and has Cargo
//! run the script again when the file or one it includes changes. [`Config`] has the options.
#![forbid(unsafe_code)]

mod cargo;
mod config;
mod error;

use std::path::Path;

pub use config::{Config, Output};
pub use error::Error;

/// Compiles one IDL file with default options, in a build script.
///
/// On errors in the IDL it prints them as they are and ends the build script with status 1.
pub fn compile(file: impl AsRef<Path>) {
    Config::new().compile(&[file]);
}
