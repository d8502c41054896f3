//! Compiles the standard's IDL, and Zorb's beside it.

fn main() {
    zorb_build::compile("../../idl/NamingExtensions.idl");
}
