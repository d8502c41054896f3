//! Serves Param_Test. The servant does next to nothing, so that its own code hardly counts.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("param_test");
}

include!("../server.rs");
