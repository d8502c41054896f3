//! The conformance suite of protocols: calls from one ORB to another with compiled stubs.
//!
//! One line in the tests of a protocol's crate runs it, next to the suite for transports of `zorb-testkit`:
//!
//! ```ignore
//! zorb_conformance::protocol_suite!(Subject::at("iiop://127.0.0.1:0"));
//! ```
//!
//! [`one_way_suite!`] is for datagram protocols, which carry one-way calls only.
//!
//! Each test has its own server and client, so they run in parallel. A test that hangs fails after [`LIMIT`]. No test
//! sleeps, and none requires a speed.
#![forbid(unsafe_code)]
// The suite is made of tests, which fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

mod calls;
mod ends;
pub mod one_way;
mod raw;
mod servant;

/// What the compiler made of `idl/suite.idl`.
mod idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    zorb::include_idl!("suite");
}

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use zorb::giop::Ior;
use zorb::policy::Policies;
use zorb::{Interface, Orb, OrbBuilder};
use zorb_bridge::{Bridge, Settings};

pub use calls::*;
pub use ends::*;
pub use one_way::{OneWay, run_one_way};
pub use raw::*;
pub use servant::serve_until_the_end;

/// How long one test may take before it counts as hanging.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What the suite is run on: a protocol, by an endpoint of it.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    url: &'static str,
    /// Where a bridge listens that clients have to take.
    bridge: Option<&'static str>,
    plug_in: fn(OrbBuilder) -> OrbBuilder,
    /// What clients have their calls follow.
    policies: fn() -> Policies,
}

impl Subject {
    /// A protocol that the facade registers, by a URL at which any number of servers may listen at
    /// once, each at an endpoint of its own that the transport chooses (in TCP: port 0). One test
    /// listens at `127.0.0.2` in place of `127.0.0.1`.
    #[must_use]
    pub fn at(url: &'static str) -> Self {
        Self::built(url, |builder| builder)
    }

    /// A protocol that the facade does not know and `plug_in` registers.
    #[must_use]
    pub fn built(url: &'static str, plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url, bridge: None, plug_in, policies: Policies::new }
    }

    /// The same with a bridge between clients and server, which listens at `url`.
    #[must_use]
    pub fn bridged(self, url: &'static str) -> Self {
        Self { bridge: Some(url), ..self }
    }

    /// The same with clients whose calls follow these policies.
    #[must_use]
    pub fn under(self, policies: fn() -> Policies) -> Self {
        Self { policies, ..self }
    }

    /// The same at an IPv4 address where nobody else takes the port when the server has gone.
    fn at_an_address_of_its_own(&self) -> Self {
        let url = match self.url.split_once("127.0.0.1:") {
            Some((scheme, port)) => format!("{scheme}127.0.0.2:{port}").leak(),
            None => self.url,
        };
        Self { url, ..*self }
    }

    fn builder(&self) -> OrbBuilder {
        (self.plug_in)(Orb::builder().without_environment())
    }

    /// An ORB that calls.
    fn client(&self) -> Orb {
        let orb = self.builder().build().expect("a client");
        orb.policy_manager().add(&(self.policies)()).expect("policies");
        orb
    }

    /// An ORB that serves.
    fn server(&self) -> Server {
        self.server_of(self.builder())
    }

    /// One that runs requests of a connection in their order, however slow the machine is: none is read
    /// on while an upcall runs.
    fn server_in_order(&self) -> Server {
        self.server_of(self.builder().option("StallTakeover", "3600000"))
    }

    fn server_of(&self, builder: OrbBuilder) -> Server {
        let orb = builder.listen(self.url).build().expect("a server");
        let subject: idl::suite::Subject =
            orb.root_poa().activate(servant::Servant::default()).expect("active");
        let way = self.way_to(&subject.as_object().to_ior_string());
        Server { orb, subject, way }
    }

    /// How clients are to get to an object.
    fn way_to(&self, reference: &str) -> Way {
        let orb = self.client();
        let object = orb.string_to_object(reference).expect("a reference").expect("an object");
        let object = object.ior();
        let bridge = self.bridge.map(|url| {
            let settings = Settings::default();
            Bridge::open(orb.protocols(), object, &[url], settings).expect("a bridge")
        });
        let ior = match &bridge {
            Some(bridge) => bridge.reference().expect("a reference"),
            None => object.clone(),
        };
        Way { ior, _bridge: bridge }
    }
}

/// A server with one object. It is shut down in the end, so that its sockets leave no file.
#[derive(Debug)]
struct Server {
    orb: Orb,
    subject: idl::suite::Subject,
    way: Way,
}

/// A way to an object.
#[derive(Debug)]
struct Way {
    ior: Ior,
    _bridge: Option<Bridge>,
}

impl Way {
    /// A client's view of the object at its end.
    fn seen_by(&self, client: &Orb) -> idl::suite::Subject {
        client.resolve(&self.ior.to_stringified().expect("a reference")).expect("a subject")
    }
}

impl Server {
    /// A client's view of the object.
    fn seen_by(&self, client: &Orb) -> idl::suite::Subject {
        self.way.seen_by(client)
    }

    /// From now on there is no object.
    fn deactivate(&self) {
        let poa = self.orb.root_poa();
        let id = poa.id_of(&self.subject).expect("its id");
        poa.deactivate(&id).expect("active");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// Runs one test of the suite. Called by [`protocol_suite!`].
///
/// # Panics
/// When the test fails or takes longer than [`LIMIT`].
pub fn run(subject: Subject, module: &'static str, test: fn(&Subject, &'static str)) {
    run_within_the_limit(move || test(&subject, module));
}

fn run_within_the_limit(test: impl FnOnce() + Send + 'static) {
    let (sender, done) = mpsc::channel::<()>();
    let work = thread::spawn(move || {
        let _ends_the_wait = sender;
        test();
    });
    if done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
        panic!("still not done after {LIMIT:?}");
    }
    if let Err(failure) = work.join() {
        std::panic::resume_unwind(failure);
    }
}

/// Makes a `#[test]` of every function of the suite.
#[macro_export]
macro_rules! protocol_suite {
    ($subject:expr) => {
        $crate::protocol_suite! { @tests $subject;
            two_way_calls_come_back
            text_arrives_as_it_was
            tiny_and_large_messages_come_back
            exceptions_come_back
            one_way_calls_arrive_in_order
            a_flood_waits_for_its_servant
            a_servant_calls_its_client
            many_threads_call_at_once
            many_threads_share_a_connection
            a_private_connection_is_one_references_own
            an_object_is_located
            a_call_that_takes_too_long_ends_in_time
            a_server_that_shuts_down_says_so
            a_client_finds_a_server_again
            a_server_that_is_killed_is_noticed
            a_request_may_come_octet_by_octet
            fragments_are_joined_where_there_are_any
            garbage_ends_its_own_connection_alone
            a_message_beyond_the_limit_ends_its_connection
        }

        #[test]
        #[ignore = "the other process of the tests"]
        fn the_other_process() {
            $crate::serve_until_the_end($subject);
        }
    };
    (@tests $subject:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::run($subject, module_path!(), $crate::$test);
            }
        )*
    };
}
