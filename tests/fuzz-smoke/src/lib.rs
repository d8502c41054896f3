//! A bounded, deterministic run of the fuzz targets as part of the tests.
#![forbid(unsafe_code)]

/// What the IDL compiler makes of `fuzz/idl/echo.idl`.
pub mod idl {
    zorb::include_idl!("echo");
}
