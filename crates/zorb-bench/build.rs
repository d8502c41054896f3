//! Compiles the IDL that all peers share, that of the real-time experiments, and that of what is copied.

fn main() {
    zorb_build::compile("../../bench/peers/bench.idl");
    zorb_build::compile("idl/realtime.idl");
    zorb_build::Config::new().loaned("Copies::Store::get").compile(&["idl/copies.idl"]);
}
