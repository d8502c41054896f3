//! What the compiler made of `bench/peers/bench.idl`.
#![allow(unreachable_pub, reason = "generated for crates that export it")]

zorb::include_idl!("bench");
