//! Examples from the literature, and some computed by hand.

use std::cmp::Ordering;

use super::demand::{Demand, Excess, deadline_demand};
use super::dynamic::DynamicQueue;
use super::fixed::response_time;
use super::utilization::{Utilization, rate_monotonic_bound};
use super::{Budget, Exhausted, Load};
use crate::{Discipline, Time};

fn ns(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

/// Loads of `(worst, period, deadline)`, the most urgent first, each in a queue of its own.
fn loads(of: &[(u64, u64, u64)]) -> Vec<Load> {
    let load = |(level, &(worst, period, deadline)): (usize, &(u64, u64, u64))| Load {
        deadline: ns(deadline),
        level: u32::try_from(level).unwrap(),
        ..Load::new(ns(worst), ns(period))
    };
    of.iter().enumerate().map(load).collect()
}

/// Their response times with fixed priorities.
fn responses(loads: &[Load]) -> Vec<Option<u64>> {
    let mut budget = Budget::default();
    (0..loads.len())
        .map(|n| response_time(loads, n, &mut budget).unwrap().map(Time::as_nanos))
        .collect()
}

/// Their response times in one queue.
fn queued(loads: &[Load], discipline: Discipline, preemptive: bool) -> Vec<Option<u64>> {
    let mut budget = Budget::default();
    let one: Vec<Load> = loads.iter().map(|load| Load { level: 0, ..*load }).collect();
    let queue = DynamicQueue::new(&one, 0, discipline, preemptive);
    (0..one.len())
        .map(|n| queue.response_time(n, &mut budget).unwrap().map(Time::as_nanos))
        .collect()
}

fn demand(loads: &[Load], preemptive: bool) -> Demand {
    deadline_demand(loads, preemptive, &mut Budget::default()).unwrap()
}

#[test]
fn liu_and_layland_1973() {
    // Section 4: two tasks with the periods 2 and 5. With the first one more urgent, the second
    // may run for 2; with the second one more urgent, for 1 only.
    assert_eq!(responses(&loads(&[(1, 2, 2), (2, 5, 5)])), [Some(1), Some(4)]);
    assert_eq!(responses(&loads(&[(1, 2, 2), (3, 5, 5)]))[1], None, "1/2 + 3/5 > 1");
    assert_eq!(responses(&loads(&[(1, 5, 5), (1, 2, 2)])), [Some(1), Some(2)]);
    assert_eq!(responses(&loads(&[(2, 5, 5), (1, 2, 2)])), [Some(2), Some(3)]);
    // Theorem 5: n (2^(1/n) - 1).
    for (count, bound) in [(1, 1.0), (2, 0.828), (3, 0.780), (4, 0.757), (5, 0.743)] {
        assert!((rate_monotonic_bound(count) - bound).abs() < 0.000_5, "{count}");
    }
}

#[test]
fn burns_and_wellings_process_sets() {
    // The sets A to C, which are over, under and beyond the bound of utilization.
    assert_eq!(
        responses(&loads(&[(10, 30, 30), (10, 40, 40), (12, 50, 50)])),
        [Some(10), Some(20), Some(52)],
        "A misses its deadline of 50"
    );
    assert_eq!(
        responses(&loads(&[(4, 16, 16), (5, 40, 40), (32, 80, 80)])),
        [Some(4), Some(9), Some(58)]
    );
    assert_eq!(
        responses(&loads(&[(5, 20, 20), (10, 40, 40), (40, 80, 80)])),
        [Some(5), Some(15), Some(80)],
        "at 100 % utilization, and in time"
    );
    // Set D, for response time analysis.
    assert_eq!(
        responses(&loads(&[(3, 7, 7), (3, 12, 12), (5, 20, 20)])),
        [Some(3), Some(6), Some(20)]
    );
    // Deadline monotonic order, deadlines shorter than periods.
    assert_eq!(
        responses(&loads(&[(3, 20, 5), (3, 15, 7), (4, 10, 10), (3, 20, 20)])),
        [Some(3), Some(6), Some(10), Some(20)]
    );
}

#[test]
fn lehoczky_1990_deadlines_beyond_periods() {
    // The first instance is not the worst: they take 114, 102, 116, 104, 118, 106 and 94.
    assert_eq!(responses(&loads(&[(26, 70, 70), (62, 100, 200)])), [Some(26), Some(118)]);
}

#[test]
fn jitter_and_blocking_by_hand() {
    // The more urgent one is up to 2 late, so that two of its instances come within 3.
    let mut late = loads(&[(2, 5, 5), (2, 20, 20)]);
    late[0].jitter = ns(2);
    // w = 2 + ceil((w + 2) / 5) * 2: 2 -> 4 -> 6 -> 6.
    assert_eq!(responses(&late), [Some(4), Some(6)]);
    late[1].jitter = ns(3);
    assert_eq!(responses(&late), [Some(4), Some(9)]);
    late[0].blocking = ns(1);
    assert_eq!(responses(&late), [Some(5), Some(9)], "blocking affects only its own load");
    late[1].blocking = ns(3);
    // w = 5 + ceil((w + 2) / 5) * 2: 5 -> 9 -> 11 -> 11.
    assert_eq!(responses(&late)[1], Some(14));
}

#[test]
fn loads_of_one_priority_wait_for_each_other() {
    let mut shared = loads(&[(2, 10, 10), (3, 10, 10), (1, 20, 20)]);
    shared[1].level = 0;
    assert_eq!(responses(&shared), [Some(5), Some(5), Some(6)]);
}

#[test]
fn overloaded_processors_have_unbounded_response_times() {
    assert_eq!(responses(&loads(&[(1, 2, 2), (2, 3, 3), (1, 9, 9)])), [Some(1), None, None]);
    let mut full = loads(&[(1, 2, 2), (1, 2, 4)]);
    assert_eq!(responses(&full), [Some(1), Some(2)]);
    full[1].jitter = ns(1);
    assert_eq!(responses(&full), [Some(1), None], "a delay is never made up");
    let small = response_time(&loads(&[(1, 2, 2), (999, 2000, 2000)]), 1, &mut Budget::new(10));
    assert_eq!(small, Err(Exhausted));
}

#[test]
fn utilization_is_compared_exactly() {
    let of = |of: &[(u64, u64)]| {
        let loads: Vec<Load> = of.iter().map(|&(c, t)| Load::new(ns(c), ns(t))).collect();
        Utilization::of(loads.iter())
    };
    assert_eq!(of(&[(1, 3), (1, 3), (1, 3)]).against_one(), Ordering::Equal);
    assert_eq!(of(&[(1, 3), (1, 3), (1, 3)]).permille(), 1000);
    let large = 999_999_999_989;
    assert_eq!(of(&[(1, 2), (large / 2, large)]).against_one(), Ordering::Less);
    assert_eq!(of(&[(1, 2), (large / 2 + 1, large)]).against_one(), Ordering::Greater);
    assert_eq!(of(&[]).against_one(), Ordering::Less);
    assert_eq!(of(&[(5, 4)]).permille(), 1250);
    assert!((of(&[(1, 4), (1, 8)]).as_f64() - 0.375).abs() < 1e-9);
}

#[test]
fn earliest_deadline_first_uses_the_whole_processor() {
    // 2/5 + 4/7 = 0.971: too much for rate monotonic priorities, not for deadlines.
    let set = loads(&[(2, 5, 5), (4, 7, 7)]);
    assert_eq!(responses(&set), [Some(2), Some(8)]);
    assert_eq!(demand(&set, true), Demand::Met);
    let found = queued(&set, Discipline::Deadline, true);
    assert!(found[0] <= Some(5) && found[1] <= Some(7), "{found:?}");
    assert_eq!(demand(&loads(&[(2, 4, 4), (2, 4, 4)]), true), Demand::Met);
    assert_eq!(demand(&loads(&[(2, 4, 4), (3, 5, 5)]), true), Demand::Overload);
}

#[test]
fn demand_by_hand() {
    // Until 4, 2 + 3 are due.
    let set = loads(&[(2, 10, 4), (3, 10, 4)]);
    let excess = Excess { at: ns(4), demand: ns(5) };
    assert_eq!(demand(&set, true), Demand::Exceeded(excess));
    // Without interruption, the long one may have begun 1 ns before the short one arrives.
    let set = loads(&[(2, 20, 8), (8, 20, 20)]);
    assert_eq!(demand(&set, true), Demand::Met);
    assert_eq!(demand(&set, false), Demand::Exceeded(Excess { at: ns(8), demand: ns(9) }));
    assert_eq!(queued(&set, Discipline::Deadline, false), [Some(9), Some(10)]);
    assert_eq!(queued(&set, Discipline::Deadline, true), [Some(2), Some(10)]);
}

#[test]
fn laxity_orders_by_the_last_moment_to_begin() {
    // Deadlines 10 and 12; but the second one has to begin by 4, and the first only by 8.
    let set = loads(&[(2, 40, 10), (8, 40, 12)]);
    assert_eq!(queued(&set, Discipline::Laxity, false), [Some(10), Some(9)]);
    assert_eq!(queued(&set, Discipline::Deadline, false), [Some(9), Some(10)]);
}

#[test]
fn more_urgent_queues_interrupt_a_dynamic_one() {
    // Queue 0: 1 in 4. Queue 1: 3 in 20 until 10 and 2 in 20 until 20, by laxity.
    let mut set = loads(&[(1, 4, 4), (3, 20, 10), (2, 20, 20)]);
    set[2].level = 1;
    let queue = DynamicQueue::new(&set, 1, Discipline::Laxity, false);
    let mut budget = Budget::default();
    let mut find = |n| queue.response_time(n, &mut budget).unwrap().map(Time::as_nanos);
    // The second has begun 1 ns ago, that is, 1 is left of it: 1 + 1, then 3 and one more of queue 0.
    assert_eq!(find(0), Some(6));
    // 1 + 3 + 1 (at 4) + 2 = 7.
    assert_eq!(find(1), Some(7));
}
