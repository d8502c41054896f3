//! The fuzz targets: what is done with any octets from outside, and what must hold of it.
//!
//! The programs in `fuzz_targets/` hand these functions to libFuzzer; the package
//! `tests/fuzz-smoke` runs them as part of `cargo test`.
#![forbid(unsafe_code)]

pub mod targets;

/// What the IDL compiler makes of `idl/echo.idl`.
pub mod echo_idl {
    zorb::include_idl!("echo");
}

/// What the IDL compiler makes of `idl/values.idl`.
pub mod value_idl {
    zorb::include_idl!("values");
}
