//! Compiles the IDL that all peers share.

fn main() {
    zorb_build::compile("../../bench/peers/bench.idl");
}
