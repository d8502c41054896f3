//! The server of the first example.
#![forbid(unsafe_code)]

include!("../../../examples/hello/src/bin/hello-server.rs");
