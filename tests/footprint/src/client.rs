//! The client of the first example.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the program prints its results")]

include!("../../../examples/hello/src/bin/hello-client.rs");
