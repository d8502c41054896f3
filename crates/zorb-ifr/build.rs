//! Compiles the standard's IDL.

fn main() {
    zorb_build::compile("../../idl/InterfaceRepository.idl");
}
