//! Serves Param_Test, of which one operation is compiled, and tables marshal the others.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("profile");
}

include!("../server.rs");
