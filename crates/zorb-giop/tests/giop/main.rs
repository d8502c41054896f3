//! Tests of the protocol with captured messages and hostile octets.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod client_connection;
mod code_sets;
mod connection;
mod fragments;
mod fuzz;
mod inbound;
mod messages;
mod messaging;
mod protocol_errors;
mod references;
mod server_requests;
mod service_contexts;
mod support;
mod urls;
