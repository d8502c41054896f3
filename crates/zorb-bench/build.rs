//! Compiles the IDL of the peers, of the real-time experiments, of the experiments `copies` and `param`, and of the demo. Records the version of
//! rustc.

use std::process::Command;

use zorb_build::{Config, Marshal};

fn main() {
    // Results contain the version of the compiler.
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.as_deref().unwrap_or_default().trim());
    // Both engines are compared, whichever the environment names.
    let compiled = Config::new().marshal(Marshal::Compiled);
    let viewing = compiled.clone().view("Bench::BinStruct").view("Bench::Sums::view_structs");
    viewing.compile(&["../../bench/peers/bench.idl"]);
    compiled.compile(&["idl/realtime.idl", "idl/demo.idl", "idl/param.idl"]);
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    interpretive.clone().combined("param_interpretive").compile(&["idl/param.idl"]);
    interpretive.combined("flood_interpretive").compile(&["idl/flood.idl"]);
    let viewing = compiled.clone().view("Bench::BinStruct").view("Bench::PaddedStruct");
    let viewing = viewing.view("Bench::Suite::send_structs").view("Bench::Suite::send_padded");
    viewing.combined("flood_viewed").compile(&["idl/flood.idl"]);
    compiled.loaned("Copies::Store::get").compile(&["idl/copies.idl"]);
}
