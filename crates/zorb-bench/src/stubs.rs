//! The code generated from `bench/peers/bench.idl`, `idl/realtime.idl`, `idl/copies.idl`, `idl/param.idl` and
//! `idl/demo.idl`.
#![allow(unreachable_pub, reason = "generated for crates that export it")]

zorb::include_idl!("bench");
zorb::include_idl!("realtime");
zorb::include_idl!("copies");
zorb::include_idl!("demo");
zorb::include_idl!("param");

/// `idl/param.idl` and `idl/flood.idl` for the interpretive engine.
pub mod interpretive {
    zorb::include_idl!("param_interpretive");
    zorb::include_idl!("flood_interpretive");
}

/// `idl/flood.idl` with views of structs.
pub mod viewed {
    zorb::include_idl!("flood_viewed");
}
