//! The allocations of a warm call, on the client's thread and on all threads of the server.

use zorb::{CollocationStrategy, Interface as _, Orb, OrbBuilder};
use zorb_costs::operation::{Arguments, Operation};
use zorb_costs::{Counted, Servant, short_uiop};
use zorb_os::alloc::AllocationCount;

const CALLS: u64 = 500;

/// Allocations of one call: by the client, by the server with its servant, and by a stub that calls
/// a servant of its own ORB without a message.
const EXPECTED: [(Operation, [u64; 3]); 11] = [
    (Operation::Void, [0, 0, 0]),
    (Operation::Long, [0, 0, 0]),
    (Operation::Struct, [0, 0, 0]),
    (Operation::OneWay, [0, 0, 0]),
    // The caller's own string; the one that the servant makes, which the caller gets inside the ORB.
    (Operation::String, [1, 1, 1]),
    // Borrowed from the receive buffer.
    (Operation::OctetsIn, [0, 0, 0]),
    // The caller's own; those that the servant makes.
    (Operation::OctetsOut, [1, 1, 1]),
    // The servant's sequence; inside the ORB it looks at the caller's.
    (Operation::Structs, [0, 1, 0]),
    // The servant looks at those in the message.
    (Operation::Points, [0, 0, 0]),
    // The servant's sequence and its 16 strings.
    (Operation::Parts, [0, 17, 0]),
    (Operation::Exception, [0, 0, 0]),
];

/// Allocations during `CALLS` calls: of this thread and of all others. The least of three rounds,
/// because the test harness's own thread may still be settling down in the first.
fn count(operation: Operation, counted: &Counted) -> [u64; 2] {
    let arguments = Arguments::default();
    let repeat = |times| (0..times).for_each(|_| arguments.call(operation, counted).unwrap());
    repeat(100);
    let round = || {
        let before = (AllocationCount::this_thread(), AllocationCount::total());
        repeat(CALLS);
        if operation == Operation::OneWay {
            // Whatever was sent has been served when this returns.
            arguments.call(Operation::Void, counted).unwrap();
        }
        let here = AllocationCount::this_thread().since(before.0).allocations;
        let all = AllocationCount::total().since(before.1).allocations;
        [here, all - here]
    };
    let least =
        |a: [u64; 2], b: [u64; 2]| if a.iter().sum::<u64>() <= b.iter().sum() { a } else { b };
    least(round(), least(round(), round()))
}

/// Allocations of the first call of a reference that has been bound before, least of three.
fn count_first(counted: &Counted) -> [u64; 2] {
    let once = || {
        let client = builder().build().unwrap();
        let ior = counted.as_object().to_ior_string();
        let there = client.string_to_object(&ior).unwrap().unwrap();
        there.validate_connection().unwrap();
        let there: Counted = there.unchecked_narrow();
        let arguments = Arguments::default();
        let before = (AllocationCount::this_thread(), AllocationCount::total());
        arguments.call(Operation::Struct, &there).unwrap();
        let here = AllocationCount::this_thread().since(before.0).allocations;
        let all = AllocationCount::total().since(before.1).allocations;
        client.shutdown(true).unwrap();
        [here, all - here]
    };
    (0..3).map(|_| once()).min_by_key(|counts| counts.iter().sum::<u64>()).unwrap_or_default()
}

fn builder() -> OrbBuilder {
    // On a busy machine the watchdog would take a call for a slow one and start a thread.
    Orb::builder().without_environment().protocol(short_uiop()).option("StallTakeover", "3600000")
}

#[test]
fn a_steady_call_allocates_what_its_types_need() {
    let _alone = crate::alone();
    for url in ["iiop://127.0.0.1:0", "uiop://", "short+uiop://"] {
        let server = builder().listen(url).build().unwrap();
        let counted: Counted = server.root_poa().activate(Servant).unwrap();
        let client = builder().build().unwrap();
        let there: Counted = client.resolve(&counted.as_object().to_ior_string()).unwrap();
        for (operation, [client, server, _]) in EXPECTED {
            let expected = [client * CALLS, server * CALLS];
            assert_eq!(count(operation, &there), expected, "{} over {url}", operation.name());
        }
        // The first of a pair of object and operation is remembered, with both names, on both sides.
        let first = if url.starts_with("short") { [2, 4] } else { [0, 0] };
        assert_eq!(count_first(&counted), first, "the first call of a bound reference over {url}");
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
    // Collocated calls run on the calling thread.
    let orb = builder().build().unwrap();
    let counted: Counted = orb.root_poa().activate(Servant).unwrap();
    for (operation, [client, server, straight]) in EXPECTED {
        for (strategy, each) in [
            (CollocationStrategy::ThruPoa, straight),
            (CollocationStrategy::Direct, straight),
            (CollocationStrategy::Marshalled, client + server),
        ] {
            let counts = count(operation, &counted.with_collocation(strategy));
            assert_eq!(counts, [each * CALLS, 0], "{} {strategy}", operation.name());
        }
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn every_operation_is_counted() {
    for operation in Operation::ALL {
        assert!(EXPECTED.iter().any(|(counted, _)| *counted == operation), "{operation:?}");
    }
}
