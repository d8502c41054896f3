//! Compiles the IDL of the first example.

fn main() {
    zorb_build::compile("../../examples/hello/idl/hello.idl");
}
