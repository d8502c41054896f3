//! iceoryx2, a peer of `zorb bench`: requests and responses in shared memory. Each side has one thread, which polls: that is
//! the fastest.

mod client;
mod server;

use std::process::ExitCode;

use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::request_response::PortFactory;
use rust_peers::{BinStruct, Refusal, Role, Transport};

/// A struct of a request: [`BinStruct`] as iceoryx2 takes it.
#[derive(Clone, Copy, Debug, ZeroCopySend)]
#[repr(C)]
pub(crate) struct Element {
    s: i16,
    c: u8,
    l: i32,
    o: u8,
    d: f64,
}

impl From<&BinStruct> for Element {
    fn from(&BinStruct { s, c, l, o, d }: &BinStruct) -> Self {
        Self { s, c, l, o, d }
    }
}

/// Structs, and their sum.
pub(crate) type Sums = PortFactory<ipc::Service, [Element], (), i64, ()>;

/// The service whose name is a path that the harness has chosen.
fn sums(path: &str) -> Result<Sums, Refusal> {
    let node = NodeBuilder::new()
        .signal_handling_mode(SignalHandlingMode::Disabled)
        .create::<ipc::Service>()?;
    let name = path.try_into()?;
    Ok(node.service_builder(&name).request_response::<[Element], i64>().open_or_create()?)
}

fn main() -> ExitCode {
    set_log_level(LogLevel::Error);
    rust_peers::run(Transport::SharedMemory, |options| {
        let (path, sums) = (options.path()?, sums(options.path()?)?);
        match options.role {
            Role::Server => server::serve(path, &sums),
            Role::Client => rust_peers::answer_commands(&mut client::Iceoryx2::new(&sums)?),
        }
    })
}
