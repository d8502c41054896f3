//! Makes each call of Param_Test once, of which one operation is compiled, and tables marshal the others.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("profile");
}

include!("../client.rs");
