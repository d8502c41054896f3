//! Compiles the IDL.

fn main() {
    zorb_build::compile("idl/weather.idl");
}
