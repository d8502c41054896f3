//! The client.

use capnp_rpc::rpc_twoparty_capnp::Side;
use futures::future::try_join_all;
use rust_peers::{BinStruct, Client, Options, Refusal};
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

    fn view_structs(&mut self, structs: &[BinStruct]) -> Result<i64, Refusal> {
        let count = structs.len().try_into()?;
        let call = async {
            let mut request = self.suite.view_structs_request();
            let mut data = request.get().init_data(count);
            for (index, value) in (0..).zip(structs) {
                let mut one = data.reborrow().get(index);
                one.set_s(value.s);
                one.set_c(value.c);
                one.set_l(value.l);
                one.set_o(value.o);
                one.set_d(value.d);
            }
            Ok::<_, capnp::Error>(request.send().promise.await?.get()?.get_sum())
        };
        Ok(self.tasks.block_on(&self.runtime, call)?)
    }
}
