//! Compiles the interface with its operations, for both marshalling engines and by profile, and without them.

use zorb_build::{Config, Marshal};

fn main() {
    let compiled = Config::new().marshal(Marshal::Compiled);
    compiled.compile(&["idl/param_test.idl", "idl/without.idl"]);
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    interpretive.compile(&["idl/engine.idl"]);
    interpretive.combined("interpretive").compile(&["idl/param_test.idl"]);
    let profile = Config::new().marshal(Marshal::Profile).usage_file("param_test.usage");
    profile.combined("profile").compile(&["idl/param_test.idl"]);
}
