//! The server.

use std::rc::Rc;

use capnp_rpc::rpc_twoparty_capnp::Side;
use rust_peers::Refusal;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::{LocalSet, spawn_local};

use crate::bench_capnp::suite;

struct Servant;

impl suite::Server for Servant {
    async fn ping(
        self: Rc<Self>,
        _: suite::PingParams,
        _: suite::PingResults,
    ) -> Result<(), capnp::Error> {
        Ok(())
    }

    async fn view_structs(
        self: Rc<Self>,
        params: suite::ViewStructsParams,
        mut results: suite::ViewStructsResults,
    ) -> Result<(), capnp::Error> {
        let data = params.get()?.get_data()?;
        results.get().set_sum(data.iter().map(|one| i64::from(one.get_l())).sum());
        Ok(())
    }
}

/// Serves until the process ends.
pub(crate) fn serve(runtime: &Runtime) -> Result<(), Refusal> {
    LocalSet::new().block_on(runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let suite: suite::Client = capnp_rpc::new_client(Servant);
        rust_peers::serves_at(listener.local_addr()?)?;
        loop {
            let (stream, _) = listener.accept().await?;
            let offered = Some(suite.clone().client);
            spawn_local(crate::connection(stream, Side::Server, offered)?);
        }
    })
}
