//! Clients, whose arguments, results and references are long.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use zorb::Orb;
use zorb::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_fuzz_smoke::echo_idl::fuzz;
use zorb_os::alloc::Refusal;
use zorb_testkit::in_own_process;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use super::exchanges::{Exchange, Exchanges, KEY, good, object_at, serve};
use super::without_each_block;

/// Makes each call without each block in turn, after it one that needs little memory, and the same call again when there
/// is memory. Returns the number of calls
/// that were refused.
fn check(orb: &Orb, list: impl FnOnce(&mut Exchanges, u16)) -> u64 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(Mutex::new(good(|_| {})));
    let served = Arc::clone(&answer);
    std::thread::spawn(move || serve(listener, served));
    let reference = object_at(port, KEY).to_stringified().unwrap();
    let mut all = Exchanges::default();
    list(&mut all, port);
    let (mut runs, mut refused, mut lost) = (0, 0, 0);
    for Exchange { name, has_run, call, answer: its } in all.all {
        *answer.lock().unwrap() = its;
        // Not one that has already been forwarded.
        let fresh = || orb.resolve::<fuzz::Echo>(&reference).unwrap();
        let whole = call(&fresh()).map_err(|error| error.kind);
        let other = fresh();
        assert_eq!(other.add(2, 3), Ok(5));
        runs += without_each_block(&name, fresh, |echo, run| {
            let calls = || (call(&echo), other.add(2, 3));
            let (outcome, next) = std::thread::scope(|scope| scope.spawn(calls).join()).unwrap();
            assert_eq!(next, Ok(5), "{run}: {outcome:?}");
            if let Err(error) = &outcome {
                let wrong = match has_run {
                    Some(true) => Some(CompletionStatus::No),
                    Some(false) => Some(CompletionStatus::Yes),
                    None => None,
                };
                assert_ne!(Some(error.completed), wrong, "{run}: {error}");
            }
            match outcome.map_err(|error| error.kind) {
                Err(SystemExceptionKind::NoMemory) => refused += 1,
                Err(SystemExceptionKind::CommFailure) => lost += 1,
                outcome => assert_eq!(outcome, whole, "{run}"),
            }
            // What there was no memory for is tried again.
            Refusal::end();
            assert_eq!(call(&echo).map_err(|error| error.kind), whole, "{run}");
        });
    }
    println!("{runs} runs, {refused} refused, {lost} connections lost");
    refused
}

#[test]
fn a_call_without_memory_for_a_part_of_it_fails_alone() {
    let name = "without_memory::clients::a_call_without_memory_for_a_part_of_it_fails_alone";
    in_own_process(name, || {
        let orb = Orb::builder().without_environment().build().unwrap();
        let refused = check(&orb, |all, port| {
            all.arguments(&orb);
            all.results();
            all.exceptions_and_contexts();
            all.forwards(orb.protocols(), port);
        });
        assert!(refused > 100, "{refused}");
        orb.shutdown(true).unwrap();
    });
}

/// Sees the ids of all exceptions.
#[derive(Debug)]
struct Witness;

impl ClientRequestInterceptor for Witness {
    fn send_request(&self, _: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        Ok(())
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert!(info.outcome().unwrap().exception_id().is_some_and(|id| !id.is_empty()));
        Ok(())
    }
}

#[test]
fn interceptors_see_that_there_is_no_memory_for_a_part_of_a_reply() {
    let name = "without_memory::clients::\
                interceptors_see_that_there_is_no_memory_for_a_part_of_a_reply";
    in_own_process(name, || {
        let orb = Orb::builder().without_environment().build().unwrap();
        orb.add_client_request_interceptor("witness", |_| Some(Arc::new(Witness)));
        let refused = check(&orb, |all, _| all.exceptions_and_contexts());
        assert!(refused > 1, "{refused}");
        orb.shutdown(true).unwrap();
    });
}
