//! The server of the first example with a lane for each of two priorities, which clients propagate.
#![forbid(unsafe_code)]

use std::error::Error;

use zorb::Orb;
use zorb::poa::PoaPolicies;
use zorb::rt::{LaneBuilder, Priority, RtOrb};

zorb::include_idl!("hello");
use hello::{Greeter, GreeterServant};

struct MyGreeter;

impl GreeterServant for MyGreeter {
    fn say_hello(&self, name: &str) -> zorb::Result<String> {
        Ok(format!("Hello {name}!"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
    let rt = RtOrb::builder().attach(&orb)?;
    let (low, high) = (Priority::new(1000)?, Priority::new(30_000)?);
    let lanes =
        rt.threadpool("lanes").lane(LaneBuilder::new(low, 2)).lane(LaneBuilder::new(high, 2));
    let lanes = lanes.create()?;
    let policies = PoaPolicies::new().with(rt.client_propagated(low)).with(lanes.policy());
    let greeter: Greeter = orb.root_poa().create("lanes", policies)?.activate(MyGreeter)?;
    orb.publish("greeter", &greeter)?;
    Ok(orb.run_until_signal()?)
}
