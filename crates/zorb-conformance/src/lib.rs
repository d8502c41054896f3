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
// The suite consists of tests, which fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

mod calls;
mod ends;
mod lanes;
mod limit;
mod local_sockets;
mod misuse;
pub mod one_way;
mod pending;
mod raw;
mod servant;
mod stopped;
mod subject;

/// The code generated from `idl/suite.idl`.
mod idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    zorb::include_idl!("suite");
}

use limit::run_within_the_limit;

pub use calls::*;
pub use ends::*;
pub use lanes::lanes_listen_where_their_orb_listens;
pub use limit::LIMIT;
pub use local_sockets::check_local_sockets;
pub use misuse::*;
pub use one_way::{OneWay, run_one_way};
pub use pending::*;
pub use raw::{
    a_message_beyond_the_limit_ends_its_connection, a_request_may_arrive_octet_by_octet,
    fragments_are_joined_or_rejected, garbage_ends_only_its_own_connection,
};
pub use stopped::{leave_replies_unread, stopped_clients_delay_nobody};
pub use subject::Subject;

/// Runs one test of the suite. Called by [`protocol_suite!`].
///
/// # Panics
/// When the test fails or takes longer than [`LIMIT`].
pub fn run(subject: Subject, module: &'static str, test: fn(&Subject, &'static str)) {
    run_within_the_limit(move || test(&subject, module));
}

/// Makes a `#[test]` of every function of the suite.
///
/// Two subsets are for special subjects: `@local` leaves out what needs a second process or a choice of
/// endpoints, for transports within a process; `@lossy` also leaves out what takes too long if messages are lost.
#[macro_export]
macro_rules! protocol_suite {
    ($subject:expr) => {
        $crate::protocol_suite! { @local $subject }
        $crate::protocol_suite! { @tests $subject;
            lanes_listen_where_their_orb_listens
            a_killed_server_is_detected
        }

        #[test]
        #[ignore = "other tests start it in a process of its own"]
        fn the_other_process() {
            $crate::serve_until_the_end($subject);
        }
    };
    (@local $subject:expr) => {
        $crate::protocol_suite! { @lossy $subject }
        $crate::protocol_suite! { @tests $subject;
            a_flood_waits_for_its_servant
            stopped_clients_delay_nobody
            a_private_connection_serves_one_reference
            a_client_finds_a_server_again
        }
    };
    (@lossy $subject:expr) => {
        $crate::protocol_suite! { @tests $subject;
            two_way_calls_return
            text_is_preserved
            tiny_and_large_messages_are_echoed
            exceptions_are_raised
            one_way_calls_arrive_in_order
            a_servant_calls_its_client
            many_threads_call_at_once
            many_threads_share_a_connection
            pending_calls_return
            pending_calls_end_without_a_reply
            first_pending_calls_of_many_threads_return
            wakers_harm_no_other_call
            a_waker_that_blocks_makes_no_call_wait_for_ever
            a_thread_that_panics_cancels_its_calls
            a_task_whose_executor_has_ended_ends_with_its_call
            careless_servants_answer_each_request_once
            executors_that_end_answer_each_request_once
            an_object_is_located
            a_call_times_out
            a_server_shuts_down_orderly
            a_request_may_arrive_octet_by_octet
            fragments_are_joined_or_rejected
            garbage_ends_only_its_own_connection
            a_message_beyond_the_limit_ends_its_connection
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
