//! The stubs or the skeletons of one part: of an operation of Param_Test, or of a service. `cargo xtask stubsize` builds
//! this program for one part after another, and adds up the octets of its object file.
//!
//! Nothing runs it: it only names what the compiler has to generate, and nothing else is.
#![forbid(unsafe_code)]

use std::hint::black_box;

/// Code that the IDL compiler has generated for the part, and a function that uses it.
#[allow(missing_docs, missing_debug_implementations, unreachable_pub, dead_code, unused_imports)]
mod part {
    include!(concat!(env!("OUT_DIR"), "/part.rs"));
}

/// Implements every servant trait of the part.
#[allow(dead_code, reason = "only skeletons call servants")]
struct Servant;

/// The arguments are used, and the results are unknown to the compiler.
#[allow(dead_code, reason = "only servants answer")]
fn answer<A, R>(arguments: &A) -> R {
    black_box(arguments);
    black_box(None).unwrap_or_else(|| std::process::abort())
}

fn main() {
    part::everything();
}
