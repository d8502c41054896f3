//! The server without the seven operations.
#![forbid(unsafe_code)]

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("without");
}
use idl::{ParamTest, ParamTestServant};

struct Servant;

impl ParamTestServant for Servant {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
    let target: ParamTest = orb.root_poa().activate(Servant)?;
    orb.publish("param_test", &target)?;
    orb.run()
}
