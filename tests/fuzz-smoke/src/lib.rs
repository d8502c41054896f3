//! A bounded, deterministic run of the fuzz targets as part of the tests: the seeds, and seeded
//! mutations of them.
#![forbid(unsafe_code)]
#![allow(clippy::expect_used, clippy::panic, reason = "a broken rule is what the run looks for")]

#[path = "../../../fuzz/src/targets/mod.rs"]
pub mod targets;

/// Types that are compiled for both marshalling engines.
#[path = "../../engines/src/lib.rs"]
pub mod engines;

pub mod attack;
pub mod corpus;
pub mod hostile_server;
pub mod mutation;
pub mod run;

/// What the IDL compiler makes of `fuzz/idl/echo.idl`.
pub mod echo_idl {
    zorb::include_idl!("echo");
}

/// What the IDL compiler makes of `fuzz/idl/small.idl` for the small ORB.
pub mod small_idl {
    zorb::include_idl!("small");
}

/// What the IDL compiler makes of `fuzz/idl/values.idl`.
pub mod value_idl {
    zorb::include_idl!("values");
}

/// What the IDL compiler makes of `fuzz/idl/views.idl`.
pub mod view_idl {
    zorb::include_idl!("views");
}
