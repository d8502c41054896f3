//! Compiles the IDL of the calls that are counted.

fn main() {
    zorb_build::Config::new().lent("Costs::Lender").compile(&["idl/costs.idl"]);
}
