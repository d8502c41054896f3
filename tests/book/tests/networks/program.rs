//! The server and the client of the recipes.

use std::io::Write as _;
use std::time::Duration;

use zorb::{Interface, Orb};

zorb::include_idl!("clock");
use clock::{Teller, TellerServant, teller::SecondsSinceMidnightError};

struct Midnight;

impl TellerServant for Midnight {
    fn seconds_since_midnight(&self, _: &str) -> Result<u32, SecondsSinceMidnightError> {
        Ok(0)
    }
}

/// Runs as the server or the client if the environment tells this process to be one.
pub(crate) fn run_as_told() -> bool {
    match std::env::var("ROLE").as_deref() {
        Ok("server") => serve(),
        Ok("client") => call(),
        _ => return false,
    }
    true
}

/// Says its endpoints and a reference, each in a line.
fn serve() {
    let orb = Orb::new().unwrap();
    let teller: Teller = orb.root_poa().activate(Midnight).unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "{}\n{}", orb.endpoints().join(" "), teller.to_ior_string()).unwrap();
    out.flush().unwrap();
    orb.run().unwrap();
}

/// Says what becomes of a call.
fn call() {
    let orb = Orb::builder().connect_timeout(Duration::from_secs(5)).build().unwrap();
    let teller: Teller = orb.resolve(&std::env::var("REFERENCE").unwrap()).unwrap();
    let outcome = match teller.seconds_since_midnight("UTC") {
        Ok(_) => "called".to_owned(),
        Err(error) => zorb::Report(&error).to_string(),
    };
    let mut out = std::io::stdout();
    writeln!(out, "{outcome}").unwrap();
}
