//! The experiments that need no time, with their controls: in any test run, with the right to set
//! priorities and without it.
#![allow(clippy::unwrap_used)]

use zorb_rt::DynamicLifespan;

use super::bed::{Bench, denial};
use super::bursts::{Burst, Hold, Setup, bursts};
use super::crowds::position;
use super::exhaustion::{Threads, ordered};
use super::growth::burst;
use super::hops::{Model, hops};
use super::nested::{self, Depth, Order, Outcome, Servers, bounced};
use super::oracle::{inversions, order};
use super::strategies::{self, STRATEGIES};
use super::{ALL, RtPlan, TRANSPORTS, private};

#[test]
fn no_low_request_begins_while_a_high_one_is_readable_in_its_lane() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        let held = Burst { requests: 5, micros: 0, hold: Hold::UntilServed };
        for setup in [Setup::Lanes, Setup::LanesAndBands] {
            let upcalls = bursts(&bench, setup, held).unwrap();
            assert_eq!(inversions(&upcalls).count, 0, "{transport} {setup:?}: {upcalls:?}");
            assert_eq!(order(&upcalls), [0, 5, 6, 7, 8, 9, 1, 2, 3, 4], "{transport} {setup:?}");
        }
    }
}

#[test]
fn one_connection_turns_priorities_over_and_that_is_seen() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        let held = Burst { requests: 5, micros: 0, hold: Hold::UntilSent };
        let upcalls = bursts(&bench, Setup::Pool, held).unwrap();
        assert_eq!(order(&upcalls), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "{transport}");
        assert_eq!(inversions(&upcalls).count, 4, "{transport}: {upcalls:?}");
    }
}

#[test]
fn the_position_of_a_high_request_grows_with_low_clients_without_lanes_alone() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        for clients in [1, 4, 8] {
            assert_eq!(position(&bench, true, clients).unwrap(), 2, "{transport} {clients}");
            let behind = position(&bench, false, clients).unwrap();
            assert_eq!(behind, clients + 1, "{transport} {clients}: the control");
        }
    }
}

#[test]
fn every_strategy_serves_calls_during_a_blocked_upcall_if_a_thread_is_left() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        for (strategy, name) in STRATEGIES {
            assert!(strategies::ordered(&bench, strategy, 2).unwrap(), "{transport} {name}");
            let alone = strategies::ordered(&bench, strategy, 1).unwrap();
            assert!(!alone, "{transport} {name}: the control");
        }
    }
}

#[test]
fn a_reply_is_not_delayed_by_a_later_request() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        for servers in [Servers::OwnThreads, Servers::OwnThreadsOneConnection, Servers::Lanes(3)] {
            let found = nested::ordered(&bench, servers).unwrap();
            assert_eq!(found, Order::GOOD, "{transport} {servers:?}");
        }
        let found = nested::ordered(&bench, Servers::Lanes(1)).unwrap();
        assert!(!found.served_meanwhile, "{transport}: the control: {found:?}");
    }
}

#[test]
fn only_borrowed_threads_replace_blocked_ones() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        let borrowing = ordered(&bench, Threads::Borrowing).unwrap();
        assert!(borrowing.served && borrowing.borrowed > 0, "{transport}: {borrowing:?}");
        let alone = ordered(&bench, Threads::Lanes).unwrap();
        assert!(!alone.served && alone.borrowed == 0, "{transport}: {alone:?}");
    }
}

#[test]
fn a_private_connection_is_served_during_a_blocked_upcall() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        assert!(private::ordered(&bench, true).unwrap(), "{transport}");
        assert!(!private::ordered(&bench, false).unwrap(), "{transport}: the control");
    }
}

#[test]
fn upcalls_run_at_the_priority_of_their_clients_at_every_hop() {
    let permitted = denial().is_none();
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        for model in [Model::Propagated, Model::PropagatedWithoutLanes, Model::Declared] {
            let hops = hops(&bench, model).unwrap();
            assert_eq!(hops.len(), 12);
            let all = hops.iter().all(|hop| hop.is_as_expected(permitted));
            assert!(all, "{transport} {model:?}: {hops:?}");
        }
        let none = hops(&bench, Model::None).unwrap();
        assert!(!none.iter().any(|hop| hop.is_as_expected(permitted)), "{transport}: {none:?}");
    }
}

#[test]
fn lanes_tell_the_priorities_of_messages_that_cannot() {
    let permitted = denial().is_none();
    for transport in ["lite+uiop", "lite+iiop", "short+uiop", "short+iiop"] {
        let bench = Bench::untimed(transport);
        for model in [Model::Propagated, Model::Declared] {
            let hops = hops(&bench, model).unwrap();
            assert_eq!(hops.len(), 12);
            let all = hops.iter().all(|hop| hop.is_as_expected(permitted));
            assert!(all, "{transport} {model:?}: {hops:?}");
        }
        // Outside lanes nothing says it, and no call is made at another one.
        let refused = hops(&bench, Model::PropagatedWithoutLanes).unwrap_err().to_string();
        assert!(refused.contains("INV_POLICY"), "{transport}: {refused}");
        let none = hops(&bench, Model::None).unwrap();
        assert!(!none.iter().any(|hop| hop.is_as_expected(permitted)), "{transport}: {none:?}");
    }
}

#[test]
fn lanes_grow_by_dynamic_threads_alone() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        let grown = burst(&bench, 3, DynamicLifespan::Infinite).unwrap();
        assert_eq!((grown.at_once, grown.left, grown.started_high), (4, 4, 0), "{transport}");
        let grown = burst(&bench, 0, DynamicLifespan::Infinite).unwrap();
        assert_eq!((grown.at_once, grown.started), (1, 0), "{transport}");
    }
}

#[test]
fn nested_calls_come_back_where_a_thread_is_left_and_time_out_where_none_is() {
    for transport in TRANSPORTS {
        let bench = Bench::untimed(transport);
        for servers in [Servers::OwnThreads, Servers::OwnThreadsOneConnection, Servers::Lanes(3)] {
            let deep = Depth { at_once: 3, on_a_thread: 1 };
            let found = bounced(&bench, servers, 4).unwrap();
            assert_eq!(found, (Outcome::Returned(4), deep), "{transport} {servers:?}");
        }
        let (came, _) = bounced(&bench, Servers::Lanes(1), 2).unwrap();
        assert_eq!(came, Outcome::TimedOut, "{transport}");
    }
}

#[test]
fn experiments_are_chosen_by_name() {
    let plan = |only: &[&str]| RtPlan {
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        ..RtPlan::default()
    };
    assert_eq!(plan(&[]).experiments().unwrap().len(), ALL.len());
    let names: Vec<_> =
        plan(&["e6", "E1"]).experiments().unwrap().iter().map(|one| one.name).collect();
    assert_eq!(names, ["E1", "E6"]);
    assert!(plan(&["E99"]).experiments().unwrap_err().contains("E99"));
    let mut twice = plan(&[]);
    twice.transports = ["iiop", "uiop", "iiop"].map(str::to_owned).to_vec();
    assert_eq!(twice.transports(), ["iiop", "uiop"]);
}
