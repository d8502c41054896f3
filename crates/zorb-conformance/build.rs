//! Compiles the IDL of the suite.

fn main() {
    zorb_build::compile("idl/suite.idl");
}
