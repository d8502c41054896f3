//! Compiles the demo's IDL.

fn main() {
    zorb_build::compile("idl/demo.idl");
}
