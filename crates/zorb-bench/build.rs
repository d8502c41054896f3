//! Compiles the IDL that all peers share, and that of the real-time experiments.

fn main() {
    zorb_build::compile("../../bench/peers/bench.idl");
    zorb_build::compile("idl/realtime.idl");
}
