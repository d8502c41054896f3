//! Cap'n Proto, a peer of `zorb bench`. Each side has one thread, as its objects require.
#![forbid(unsafe_code)]

mod client;
mod server;

use std::io;
use std::process::ExitCode;

use capnp::capability;
use capnp_rpc::RpcSystem;
use capnp_rpc::rpc_twoparty_capnp::Side;
use capnp_rpc::twoparty::VatNetwork;
use futures::AsyncReadExt as _;
use futures::io::{BufReader, BufWriter};
use rust_peers::{Role, Transport};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio_util::compat::TokioAsyncReadCompatExt as _;

capnp::generated_code!(mod bench_capnp);

fn main() -> ExitCode {
    rust_peers::run(Transport::Tcp, |options| {
        let runtime = Builder::new_current_thread().enable_io().build()?;
        match options.role {
            Role::Server => server::serve(&runtime),
            Role::Client => {
                rust_peers::answer_commands(&mut client::Capnp::connect(runtime, &options)?)
            }
        }
    })
}

/// One side of a connection, which offers the other an object.
fn connection(
    stream: TcpStream,
    side: Side,
    offered: Option<capability::Client>,
) -> io::Result<RpcSystem<Side>> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.compat().split();
    // Messages that are written together leave together.
    let (reader, writer) = (BufReader::new(reader), BufWriter::new(writer));
    let network = VatNetwork::new(reader, writer, side, Default::default());
    Ok(RpcSystem::new(Box::new(network), offered))
}
