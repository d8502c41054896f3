//! Compiles the interface with its operations, for both marshalling engines, and without them.

use zorb_build::{Config, Marshal};

fn main() {
    zorb_build::compile("idl/param_test.idl");
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    interpretive.compile(&["idl/engine.idl"]);
    interpretive.combined("interpretive").compile(&["idl/param_test.idl"]);
    zorb_build::compile("idl/without.idl");
}
