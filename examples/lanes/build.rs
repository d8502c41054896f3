//! Compiles the IDL.

fn main() {
    zorb_build::compile("idl/plant.idl");
}
