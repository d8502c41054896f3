//! Compiles the interface of the servants.

fn main() {
    zorb_build::compile("idl/desk.idl");
}
