//! Compiles the IDL of the calls that are counted.

fn main() {
    zorb_build::Config::new().loaned("Costs::Lender").compile(&["idl/costs.idl"]);
}
