//! Connections that upcalls open to servers that never answer.

use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_testkit::{in_own_process, limit_descriptors};
use zorb_types::{SystemExceptionKind, minor};

use crate::support::builder;

/// `interface Relay { long relay(); long answer(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Relay(ObjectRef);

codegen::interface!(Relay(ObjectRef), "IDL:zorb.test/Relay:1.0", "Relay", []);

impl Relay {
    fn relay(&self) -> Result<i32> {
        codegen::invoke!(self, relay, [], [i32])
    }

    fn answer(&self) -> Result<i32> {
        codegen::invoke!(self, answer, [], [i32])
    }
}

trait RelayServant: Send + Sync + 'static {
    fn relay(&self) -> Result<i32>;
    fn answer(&self) -> Result<i32>;
}

codegen::skeleton!(Relay, RelayServant, {
    0 "relay" relay() [result: i32],
    1 "answer" answer() [result: i32],
});

/// Calls a server that does not answer, and tells the result.
struct Relaying {
    orb: Orb,
    silent: String,
    results: Mutex<Sender<Result<i32>>>,
}

impl RelayServant for Relaying {
    fn relay(&self) -> Result<i32> {
        // Already asks for its type.
        let silent = self.orb.resolve::<Relay>(&self.silent);
        let result = silent.map_err(Into::into).and_then(|silent| silent.answer());
        self.results.lock().unwrap().send(result.clone()).unwrap();
        result
    }

    fn answer(&self) -> Result<i32> {
        Ok(42)
    }
}

#[test]
fn calls_of_upcalls_to_silent_servers_leave_descriptors_for_clients() {
    let name =
        "upcall_connections::calls_of_upcalls_to_silent_servers_leave_descriptors_for_clients";
    in_own_process(name, || {
        // A quarter for calls of upcalls.
        limit_descriptors(128);
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("corbaloc:iiop:1.2@{}/listener", silent.local_addr().unwrap());
        let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        server.serve().unwrap();
        let (tell, told) = channel();
        let relaying = Relaying { orb: server.clone(), silent: url, results: Mutex::new(tell) };
        let relay: Relay = server.root_poa().activate(relaying).unwrap();
        let client = builder().build().unwrap();
        let there: Relay = client.resolve(&relay.0.to_ior_string()).unwrap();
        let callers: Vec<_> = (0..34)
            .map(|_| {
                let there = there.clone();
                std::thread::spawn(move || there.relay())
            })
            .collect();
        for _ in 0..2 {
            let refused = told.recv().unwrap().unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::NoResources, "{refused}");
            assert_eq!(refused.minor, minor::no_resources::DESCRIPTORS, "{refused}");
        }
        assert_eq!(there.answer(), Ok(42));
        drop(silent);
        let results = callers.into_iter().map(|caller| caller.join().unwrap());
        let refused = results.filter(|result| {
            result.as_ref().is_err_and(|error| error.kind == SystemExceptionKind::NoResources)
        });
        assert_eq!(refused.count(), 2);
        // The connections have ended.
        assert!(!matches!(
            there.relay(),
            Err(error) if error.kind == SystemExceptionKind::NoResources
        ));
        server.shutdown(true).unwrap();
    });
}
