//! Zorb's small ORB, a peer of `zorb bench`. Each side has one thread.
#![forbid(unsafe_code)]

use std::net::SocketAddr;
use std::process::ExitCode;

use rust_peers::{Options, Refusal, Role, Transport};
use zorb_nano::{Address, Answer, Client, Interface, Limits, Linear, Linux, Reader, Reference};
use zorb_nano::{Servant, Server, SystemException, Writer};

const KEY: &str = "suite";

/// Connections of a server, and sockets of a client.
const CONNECTIONS: u16 = 62;

static SUITE: Interface =
    Interface { ids: &["IDL:Bench/Suite:1.0"], operations: &Linear(&["ping"]) };

struct Suite;

impl Servant for Suite {
    fn interface(&self) -> &'static Interface {
        &SUITE
    }

    fn invoke(
        &mut self,
        _operation: usize,
        arguments: &mut Reader<'_>,
        _results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        arguments.end()?;
        Ok(Answer::Results)
    }
}

/// Serves until the process ends.
fn serve() -> Result<(), Refusal> {
    let limits = Limits::DEFAULT.max_connections(CONNECTIONS.into());
    let at = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = Server::new(Linux::new(CONNECTIONS + 2), at.into(), limits).map_err(failed)?;
    server.register(KEY.as_bytes(), Box::new(Suite)).map_err(failed)?;
    match server.address() {
        Address::Tcp(address) => rust_peers::serves_at(address)?,
        other => return Err(Refusal::Failed(format!("it listens at {other}"))),
    }
    loop {
        server.perform_work(None).map_err(failed)?;
    }
}

struct Nano {
    client: Client<Linux>,
    suite: Reference,
}

impl Nano {
    fn new(options: &Options) -> Result<Self, Refusal> {
        let url = format!("corbaloc:iiop:1.2@{}/{KEY}", options.address()?);
        let suite = Reference::parse(&url).map_err(failed)?;
        Ok(Self { client: Client::new(Linux::new(1), Limits::DEFAULT), suite })
    }
}

impl rust_peers::Client for Nano {
    fn ping(&mut self) -> Result<(), Refusal> {
        let mut reply = self.client.call(&self.suite, "ping", &mut |_| Ok(())).map_err(failed)?;
        reply.results().and_then(|results| results.end()).map_err(failed)
    }

    fn ping_ahead(&mut self, _count: u32) -> Result<(), Refusal> {
        Err(Refusal::Unsupported("it waits for each reply".to_owned()))
    }
}

fn failed(exception: impl std::fmt::Debug) -> Refusal {
    Refusal::Failed(format!("{exception:?}"))
}

fn main() -> ExitCode {
    rust_peers::run(Transport::Tcp, |options| match options.role {
        Role::Server => serve(),
        Role::Client => rust_peers::answer_commands(&mut Nano::new(&options)?),
    })
}
