//! Compiles the IDL.

fn main() {
    zorb_build::compile("idl/shop.idl");
}
