//! Calls of several priorities over one connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_types::SystemException;
use zorb_unix::UiopProtocol;

use super::stage::{HIGH, LOW, LOWEST, MEDIUM, Word, enter, order_of};

/// `interface Gate { long pass(in long door); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Gate(pub(crate) ObjectRef);

codegen::interface!(Gate(ObjectRef), "IDL:zorb.test/Gate:1.0", "Gate", []);

impl Gate {
    pub(crate) fn pass(&self, door: i32) -> Result<i32> {
        codegen::invoke!(self, pass, [i32 => &door], [i32])
    }
}

pub(crate) trait GateServant: Send + Sync + 'static {
    fn pass(&self, door: i32) -> Result<i32>;
}

codegen::skeleton!(Gate, GateServant, { 0 "pass" pass(door: i32 => door) [result: i32] });

pub(crate) const OPEN: i32 = 0;
pub(crate) const FIRST: i32 = 1;
const SECOND: i32 = 2;

#[derive(Debug, Default)]
pub(crate) struct Doors {
    pub(crate) first: Word,
    pub(crate) first_begun: Word,
    second: Word,
}

impl GateServant for Doors {
    fn pass(&self, door: i32) -> Result<i32> {
        match door {
            FIRST => {
                self.first_begun.say();
                self.first.wait();
            }
            SECOND => self.second.wait(),
            _ => {}
        }
        Ok(door)
    }
}

/// A server and a client whose calls share one connection.
struct Scene {
    server: Orb,
    client: Orb,
    doors: Arc<Doors>,
    gate: Gate,
}

impl Scene {
    fn new() -> Self {
        let builder = || {
            let builder =
                Orb::builder().without_environment().protocol(Arc::new(UiopProtocol::new()));
            builder.round_trip_timeout(Duration::from_secs(300))
        };
        let server = builder().listen("uiop://").build().unwrap();
        let doors = Arc::<Doors>::default();
        let here: Gate = server.root_poa().activate_shared(&doors).unwrap();
        let client = builder().option("MaxConnectionsPerEndpoint", "1");
        let client = client.option("MaxCallsPerConnection", "8").build().unwrap();
        let gate: Gate = client.resolve(&here.0.to_ior_string()).unwrap();
        Self { server, client, doors, gate }
    }

    fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

pub(crate) fn a_shared_connection_is_sent_over_by_the_most_urgent() {
    let scene = Scene::new();
    // The first request of a connection announces settings that later ones rely on, so its arguments are written while
    // its caller holds the lock for sending.
    let order = order_of(&|inside| {
        let passed: Result<i32, SystemException> = scene.gate.0.invoke(
            "pass",
            |writer| {
                inside();
                writer.write_i32(OPEN);
                Ok(())
            },
            |reader| reader.read_i32(),
        );
        assert_eq!(passed, Ok(OPEN));
    });
    assert_eq!(order, ["high", "medium"]);
    scene.end();
}

pub(crate) fn the_leader_inherits_the_priority_of_waiting_callers() {
    let scene = &Scene::new();
    let [calls, reads, waits, done] = &<[Word; 4]>::default();
    // Completes the negotiation.
    assert_eq!(scene.gate.pass(OPEN), Ok(OPEN));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            enter(HIGH);
            reads.wait();
            waits.say();
            assert_eq!(scene.gate.pass(SECOND), Ok(SECOND));
            done.say();
        });
        let medium = scope.spawn(|| {
            enter(MEDIUM);
            waits.wait();
            // Both others wait for replies. The reply comes while this one runs, and reaches the highest
            // only if the lowest may go on.
            scene.doors.second.say();
            // The limit ends a run that fails.
            let limit = Instant::now() + Duration::from_secs(60);
            while !done.is_said() && Instant::now() < limit {
                std::hint::spin_loop();
            }
            let reached = done.is_said();
            scene.doors.first.say();
            reached
        });
        scope.spawn(|| {
            enter(LOW);
            calls.say();
            assert_eq!(scene.gate.pass(FIRST), Ok(FIRST));
        });
        scope.spawn(|| {
            enter(LOWEST);
            calls.wait();
            // This thread gets the processor when the caller waits for its reply.
            reads.say();
        });
        assert!(medium.join().unwrap(), "the reply lay with a reader that had no processor");
    });
}
