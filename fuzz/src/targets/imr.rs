//! An implementation repository that receives arbitrary octets from a client who may read only.

use std::sync::OnceLock;

use zorb::{CompletionStatus, MinorCode, Orb, SystemException};
use zorb_imr::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Endpoint, Transport};

use super::server::{check_messages, connect_to, exchange_on};
use super::{AllocationBound, Target};

/// The octets that a client sends on a new connection before it stops sending. The repository's output consists of whole
/// messages, and no server is changed or started.
pub const TARGET: Target = Target {
    name: "imr",
    run,
    // Two pipes of 64 KiB and a thread for each connection, and all servers for each message.
    allocation: AllocationBound { per_octet: 4096, constant: 256 << 10 },
    words: &[
        OBJECT_KEY,
        b"ImplRepoService",
        b"Z\x02\0\x05Shop\0id",
        b"JACORB:a/b",
        b"GIOP\x01\x02\x01\x00",
        b"GIOP\x01\x02\x01\x03",
        b"find\0",
        b"list\0",
        b"status\0",
        b"server_is_running\0",
        b"add_or_update_server\0",
        b"activate_server\0",
        b"next_n\0",
        b"\x05\0\0\0Shop\0",
        b"\xff\xff\xff\xff",
    ],
};

/// The key of the repository's object, the same in every run.
pub const OBJECT_KEY: &[u8] = b"Z\x02\0\x19ImplementationRepository\0root";

/// Longer inputs are skipped; they would only be slow.
const MAX_INPUT: usize = 1 << 16;

struct World {
    transport: InprocTransport,
    endpoint: Endpoint,
    repository: ImplementationRepository,
    _orb: Orb,
}

/// A server that cannot be started, with these variables.
fn options(environment: Vec<EnvironmentVariable>) -> StartupOptions {
    StartupOptions {
        command_line: String::new(),
        environment,
        working_directory: String::new(),
        activation: ActivationMode::Normal,
        activator: String::new(),
        start_limit: 1,
    }
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let transport = InprocTransport::new();
        let orb = Orb::builder()
            .without_environment()
            .protocol(std::sync::Arc::new(InprocProtocol::new(transport.clone())))
            .option("MaxThreadsPerConnection", "1")
            .listen("inproc://imr")
            .build()
            .expect("a server");
        let repository = ImplementationRepository::serve(&orb, &ImrOptions::default());
        let repository = repository.expect("a repository");
        let reference = repository.publish(&orb).expect("a free key");
        let secret = EnvironmentVariable { name: "A".to_owned(), value: "secret".to_owned() };
        for (name, variables) in [("Shop", vec![secret]), ("Bank", Vec::new())] {
            reference.add_or_update_server(name, &options(variables)).expect("a server");
        }
        // What octets of a fuzzer must never do is to run programs.
        repository.set_write_check(|| {
            Err(SystemException::no_permission(MinorCode::NONE, CompletionStatus::No))
        });
        orb.serve().expect("a server");
        let endpoint = transport.parse_endpoint("inproc://imr").expect("an endpoint");
        World { transport, endpoint, repository, _orb: orb }
    })
}

fn run(octets: &[u8]) {
    if octets.len() <= MAX_INPUT {
        let answer = exchange(octets);
        check_messages(&answer);
        let secret = b"secret";
        assert!(!answer.windows(secret.len()).any(|part| part == secret), "it is a secret");
        let numbers = world().repository.statistics();
        assert_eq!((numbers.servers, numbers.running, numbers.starts), (2, 0, 0));
    }
}

/// Sends `octets` on a connection of their own and returns all that comes back.
pub fn exchange(octets: &[u8]) -> Vec<u8> {
    let World { transport, endpoint, .. } = world();
    exchange_on(&*connect_to(transport, endpoint, octets.len()), octets)
}
