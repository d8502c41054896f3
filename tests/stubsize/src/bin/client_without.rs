//! The client without the seven calls.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("without");
}
use idl::ParamTest;

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::new()?;
    let target: ParamTest = orb.resolve("corbaloc::127.0.0.1:2809/param_test")?;
    target.ping()?;
    Ok(())
}
