//! Serves Param_Test by tables.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("interpretive");
}

include!("../server.rs");
