//! The interpretive server without the seven operations, with one that needs all of the engine.
#![forbid(unsafe_code)]

use std::hint::black_box;

#[allow(unreachable_pub, reason = "generated for crates that export it")]
mod idl {
    zorb::include_idl!("engine");
}
use idl::{Everything, ParamTest, ParamTestServant};

struct Servant;

impl ParamTestServant for Servant {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn engine(&self, all: &Everything, text: &str) -> zorb::Result<(Everything, String)> {
        black_box((all, text));
        Ok(black_box((Everything::default(), String::new())))
    }
}

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
    let target: ParamTest = orb.root_poa().activate(Servant)?;
    orb.publish("param_test", &target)?;
    orb.run()
}
