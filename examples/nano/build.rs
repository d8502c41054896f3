//! Generates the code of `sensor.idl`, and links the C library, as `std` would.

fn main() {
    let config = zorb_build::Config::new().target(zorb_build::Target::Nano);
    let config = match std::env::var_os("CARGO_FEATURE_PERFECT_HASH") {
        Some(_) => config.lookup(zorb_build::Lookup::PerfectHash),
        None => config,
    };
    config.compile(&["sensor.idl"]);
    println!("cargo::rustc-link-arg-bins=-lc");
}
