//! Compiles the IDL for both ORBs.

use zorb_build::{Config, Lookup, Target};

fn main() {
    zorb_build::compile("idl/dba.idl");
    let small = Config::new().target(Target::Nano).lookup(Lookup::PerfectHash);
    // Functions that send a message to all neighbors.
    small.ami("Dba::Receiver").combined("small").compile(&["idl/dba.idl"]);
}
