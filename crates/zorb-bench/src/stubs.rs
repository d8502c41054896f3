//! What the compiler made of `bench/peers/bench.idl` and `idl/realtime.idl`.
#![allow(unreachable_pub, reason = "generated for crates that export it")]

zorb::include_idl!("bench");
zorb::include_idl!("realtime");
