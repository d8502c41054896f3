//! The code generated from `bench/peers/bench.idl`, `idl/realtime.idl`, `idl/copies.idl` and `idl/demo.idl`.
#![allow(unreachable_pub, reason = "generated for crates that export it")]

zorb::include_idl!("bench");
zorb::include_idl!("realtime");
zorb::include_idl!("copies");
zorb::include_idl!("demo");
