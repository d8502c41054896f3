//! Generates the code of `sensor.idl`, and links the C library, as `std` would.

fn main() {
    zorb_build::Config::new().target(zorb_build::Target::Nano).compile(&["sensor.idl"]);
    println!("cargo::rustc-link-arg-bins=-lc");
}
