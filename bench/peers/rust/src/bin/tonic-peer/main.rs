//! tonic, a peer of `zorb bench`. Each side has one thread, which is the fastest if it has one processor.
#![forbid(unsafe_code)]

mod client;
mod server;

use std::process::ExitCode;

use rust_peers::{Role, Transport};
use tokio::runtime::Builder;

include!(concat!(env!("OUT_DIR"), "/bench.Suite.rs"));

/// A message without fields.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
struct Nothing {}

fn main() -> ExitCode {
    rust_peers::run(Transport::Tcp, |options| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        match options.role {
            Role::Server => runtime.block_on(server::serve()),
            Role::Client => {
                rust_peers::answer_commands(&mut client::Tonic::connect(runtime, &options)?)
            }
        }
    })
}
