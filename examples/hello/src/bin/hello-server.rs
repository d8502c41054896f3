use zorb::Orb;

zorb::include_idl!("hello");
use hello::{Greeter, GreeterServant};

struct MyGreeter;

impl GreeterServant for MyGreeter {
    fn say_hello(&self, name: &str) -> zorb::Result<String> {
        Ok(format!("Hello {name}!"))
    }
}

fn main() -> Result<(), zorb::Error> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:2809").build()?;
    let greeter: Greeter = orb.root_poa().activate(MyGreeter)?;
    orb.publish("greeter", &greeter)?;
    orb.run_until_signal()
}
