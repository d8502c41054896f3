//! Compiles the IDL of the capture and of the naming service.

fn main() {
    zorb_build::compile("idl/vec.idl");
    zorb_build::compile("../../idl/CosNaming.idl");
}
