//! The client.

use capnp_rpc::rpc_twoparty_capnp::Side;
use futures::future::try_join_all;
use rust_peers::{Client, Options, Refusal};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::bench_capnp::suite;

pub(crate) struct Capnp {
    runtime: Runtime,
    tasks: LocalSet,
    suite: suite::Client,
}

impl Capnp {
    pub(crate) fn connect(runtime: Runtime, options: &Options) -> Result<Self, Refusal> {
        let stream = runtime.block_on(TcpStream::connect(options.address()?))?;
        let mut connection = crate::connection(stream, Side::Client, None)?;
        let suite = connection.bootstrap(Side::Server);
        let tasks = LocalSet::new();
        tasks.spawn_local(connection);
        Ok(Self { runtime, tasks, suite })
    }
}

impl Client for Capnp {
    fn ping(&mut self) -> Result<(), Refusal> {
        let call = async { self.suite.ping_request().send().promise.await };
        self.tasks.block_on(&self.runtime, call)?;
        Ok(())
    }

    fn ping_ahead(&mut self, count: u32) -> Result<(), Refusal> {
        let calls = async {
            let call = |_| self.suite.ping_request().send().promise;
            try_join_all((0..count).map(call)).await
        };
        self.tasks.block_on(&self.runtime, calls)?;
        Ok(())
    }
}
