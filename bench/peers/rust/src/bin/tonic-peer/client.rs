//! The client.

use futures::future::try_join_all;
use rust_peers::{Client, Options, Refusal};
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

use crate::Nothing;
use crate::suite_client::SuiteClient;

pub(crate) struct Tonic {
    runtime: Runtime,
    suite: SuiteClient<Channel>,
}

impl Tonic {
    pub(crate) fn connect(runtime: Runtime, options: &Options) -> Result<Self, Refusal> {
        let endpoint = Endpoint::from_shared(format!("http://{}", options.address()?))?;
        let channel = runtime.block_on(endpoint.tcp_nodelay(true).connect())?;
        Ok(Self { runtime, suite: SuiteClient::new(channel) })
    }
}

impl Client for Tonic {
    fn ping(&mut self) -> Result<(), Refusal> {
        self.runtime.block_on(self.suite.ping(Nothing {}))?;
        Ok(())
    }

    fn ping_ahead(&mut self, count: u32) -> Result<(), Refusal> {
        let calls = (0..count).map(|_| {
            let mut suite = self.suite.clone();
            async move { suite.ping(Nothing {}).await }
        });
        self.runtime.block_on(try_join_all(calls))?;
        Ok(())
    }
}
