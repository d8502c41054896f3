//! Compiles the IDL of `examples/nano`.

fn main() {
    zorb_build::compile("../../examples/nano/sensor.idl");
}
