//! The server.

use rust_peers::Refusal;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use crate::Nothing;
use crate::suite_server::{Suite, SuiteServer};

/// Calls in flight on a connection: more than the harness has.
const MOST_CALLS: u32 = 1024;

#[derive(Debug)]
struct Servant;

#[tonic::async_trait]
impl Suite for Servant {
    async fn ping(&self, _: Request<Nothing>) -> Result<Response<Nothing>, Status> {
        Ok(Response::new(Nothing {}))
    }
}

/// Serves until the process ends.
pub(crate) async fn serve() -> Result<(), Refusal> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    rust_peers::serves_at(address)?;
    let mut server = Server::builder().max_concurrent_streams(MOST_CALLS);
    Ok(server.add_service(SuiteServer::new(Servant)).serve_with_incoming(incoming).await?)
}
