//! Compiles the IDL of the calls that are counted.

use zorb_build::{Config, Marshal};

fn main() {
    Config::new().loaned("Costs::Lender").compile(&["idl/costs.idl"]);
    // Both engines are compared, whichever the environment names.
    let compiled = Config::new().marshal(Marshal::Compiled);
    compiled.combined("skeletons_compiled").compile(&["idl/skeletons.idl"]);
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    interpretive.combined("skeletons_interpretive").compile(&["idl/skeletons.idl"]);
}
