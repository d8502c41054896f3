//! Compiles the IDL of the repository.

fn main() {
    zorb_build::compile("../../idl/ServerRepository.idl");
}
