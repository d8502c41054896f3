//! Compiles the IDL of the peers, of the real-time experiments, of the experiments `copies` and `param`, and of the demo. Records the version of
//! rustc.

use std::process::Command;

fn main() {
    // Results contain the version of the compiler.
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.as_deref().unwrap_or_default().trim());
    let viewing =
        zorb_build::Config::new().view("Bench::BinStruct").view("Bench::Sums::view_structs");
    viewing.compile(&["../../bench/peers/bench.idl"]);
    zorb_build::compile("idl/realtime.idl");
    zorb_build::compile("idl/demo.idl");
    zorb_build::compile("idl/param.idl");
    let interpretive = zorb_build::Config::new().marshal(zorb_build::Marshal::Interpretive);
    interpretive.clone().combined("param_interpretive").compile(&["idl/param.idl"]);
    interpretive.combined("flood_interpretive").compile(&["idl/flood.idl"]);
    let viewing = zorb_build::Config::new().view("Bench::BinStruct").view("Bench::PaddedStruct");
    let viewing = viewing.view("Bench::Suite::send_structs").view("Bench::Suite::send_padded");
    viewing.combined("flood_viewed").compile(&["idl/flood.idl"]);
    zorb_build::Config::new().loaned("Copies::Store::get").compile(&["idl/copies.idl"]);
}
