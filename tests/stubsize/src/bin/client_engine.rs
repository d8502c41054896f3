//! The interpretive client without the seven calls, with one that needs all of the engine.
#![forbid(unsafe_code)]

use std::hint::black_box;

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("engine");
}
use idl::{Everything, ParamTest};

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::new()?;
    let target: ParamTest = orb.resolve("corbaloc::127.0.0.1:2809/param_test")?;
    target.ping()?;
    black_box(target.engine(&black_box(Everything::default()), "text")?);
    Ok(())
}
