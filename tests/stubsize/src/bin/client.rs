//! Makes each call of Param_Test once.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("param_test");
}

include!("../client.rs");
