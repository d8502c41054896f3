//! Generates Rust from the IDL, and links the C library, whose start-up code calls `main`.

fn main() {
    zorb_build::Config::new().target(zorb_build::Target::Nano).compile(&["sensor.idl"]);
    println!("cargo::rustc-link-arg-bins=-lc");
}
