//! The Zorb test server: `zorb-interop-server --ior-file F [--giop 1.0|1.1|1.2] [--bidirectional] [-ORB...]`.
//!
//! Its references name that version of GIOP, 1.2 if none is given. Writes the reference of the test object to F, prints `ready`, and runs until `shutdown` or the
//! end of stdin.
#![allow(clippy::print_stdout)]
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use zorb::giop::GiopVersion;
use zorb::policy::{BidirectionalPolicy, Policies};
use zorb::{Error, Interface as _, Orb, Phase};
use zorb_interop_tests::{HighestIiop, server};

fn main() -> Result<(), Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").arguments(&mut arguments);
    let value = |option: &str| {
        let at = arguments.iter().position(|word| word == option);
        at.and_then(|at| arguments.get(at + 1))
    };
    let file = value("--ior-file")
        .ok_or_else(|| Error::new(Phase::Configure, "--ior-file FILE is needed"))?;
    let highest = match value("--giop").map(String::as_str) {
        None | Some("1.2") => GiopVersion::V1_2,
        Some("1.1") => GiopVersion::V1_1,
        Some("1.0") => GiopVersion::V1_0,
        Some(_) => return Err(Error::new(Phase::Configure, "--giop is 1.0, 1.1 or 1.2")),
    };
    let is_bidirectional = arguments.iter().any(|word| word == "--bidirectional");
    let iiop = HighestIiop::new(highest);
    let iiop = if is_bidirectional { iiop.only_accepting() } else { iiop };
    let orb = orb.protocol(Arc::new(iiop)).build()?;
    if is_bidirectional {
        orb.policy_manager().add(&Policies::new().with(BidirectionalPolicy::Both))?;
    }
    let suite = server::serve(&orb)?;
    write_atomically(Path::new(file), &suite.as_object().to_ior_string())?;
    println!("ready");
    std::io::stdout().flush()?;

    let ending = orb.clone();
    std::thread::spawn(move || {
        // Whatever ends the input, an error too, ends the server.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = ending.shutdown(true);
    });
    orb.run()
}

/// A reader never sees half a reference: the file appears with its whole contents.
fn write_atomically(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, format!("{text}\n"))?;
    std::fs::rename(temporary, path)
}
