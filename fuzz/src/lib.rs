//! The fuzz targets: functions that process arbitrary external octets and check properties.
//!
//! The programs in `fuzz_targets/` pass these functions to libFuzzer; the package
//! `tests/fuzz-smoke` runs them as part of `cargo test`.
#![forbid(unsafe_code)]

pub mod targets;

/// Types that are compiled for both marshalling engines.
#[path = "../../tests/engines/src/lib.rs"]
pub mod engines;

/// The code generated from `idl/echo.idl`.
pub mod echo_idl {
    zorb::include_idl!("echo");
}

/// The code generated from `idl/small.idl` for the small ORB.
pub mod small_idl {
    zorb::include_idl!("small");
}

/// The code generated from `idl/values.idl`.
pub mod value_idl {
    zorb::include_idl!("values");
}

/// The code generated from `idl/views.idl`.
pub mod view_idl {
    zorb::include_idl!("views");
}
