//! Compiles the interface with its operations and without them.

fn main() {
    zorb_build::compile("idl/param_test.idl");
    zorb_build::compile("idl/without.idl");
}
