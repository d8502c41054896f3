//! Compiles the IDL of the calls that are counted.

fn main() {
    zorb_build::compile("idl/costs.idl");
}
