use super::*;
use crate::dba::plan::{DbaPlan, FULL_BUFFERED, Timed};

/// A report whose cycles take so many times those of sockets, in each of nine rounds.
fn report(quick: bool, times: impl Fn(&DbaRow) -> f64) -> DbaReport {
    report_of(quick, 1.01, times)
}

fn report_of(quick: bool, instrumentation: f64, times: impl Fn(&DbaRow) -> f64) -> DbaReport {
    let plan = DbaPlan { program: "dba".into(), quick: false };
    let mut report = DbaReport::new(quick);
    report.machine.cores = 1;
    report.instrumentation = vec![instrumentation; 9];
    let groups = plan.groups();
    let timed = groups.iter().filter(|group| group.timed != Timed::Alternating);
    for (group, &way) in timed.flat_map(|group| group.ways.iter().map(move |way| (group, way))) {
        let Group { topology, timed, .. } = *group;
        let row = report.row_mut(group, way);
        let time = times(row);
        // Two nodes send for 14, wait for 13 and compute for 3. On one processor, four take six times as long.
        let (cycle, segments) = match topology.nodes {
            2 => (30.0 * time, [14.0, 13.0, 3.0]),
            _ => (180.0 * time, [42.0, 135.0, 3.0]),
        };
        let memo = [RAW.name, NANO_MEMO.name, FULL_MEMO.name].contains(&way.name);
        let encodings = if memo { 2.0 } else { 2.0 * (topology.nodes - 1) as f64 };
        let marshal = match way {
            RAW => 0.1,
            NANO_MEMO | FULL_MEMO => 0.1 * time,
            _ => 0.5,
        };
        let wait = match way {
            FULL_BUFFERED => 30.0 * time,
            FULL_QUEUED => 75.0 * time,
            _ => 30.0,
        };
        for _ in 0..9 {
            row.median_us.push(cycle);
            row.mean_us.push(1.5 * cycle);
            row.deviation_us.push(3.0);
            row.p1_us.push(cycle / 2.0);
            row.p10_us.push(cycle - 2.0 * time);
            row.q1_us.push(cycle - time);
            row.q3_us.push(cycle);
            row.p90_us.push(cycle + 1.0);
            row.quartiles_us.push(time);
            row.p99_us.push(2.0 * cycle);
            row.processor_us.push(cycle / topology.nodes as f64);
            row.encodings.push(encodings);
            if timed == Timed::Segments {
                row.wait_p99_us.push(wait);
                row.stages_us.push([marshal, 0.5, 0.5, 0.5, 0.5, 0.5]);
                // In no unit: they are parts of the median cycle.
                row.segments_us
                    .push(std::array::from_fn(|at| segments.get(at).map_or(0.0, |n| *n)));
                row.segments_of = names();
            }
        }
    }
    report.finish();
    report
}

fn names() -> Vec<String> {
    let names = ["send value", "await value", "evaluate"].into_iter();
    names.chain(std::iter::repeat("choose")).take(SEGMENTS).map(str::to_owned).collect()
}

fn good(row: &DbaRow) -> f64 {
    if row.way == RAW.name { 1.0 } else { 1.2 }
}

#[test]
fn claims_hold_if_the_orbs_are_fast_enough() {
    let report = report(false, good);
    assert_eq!(report.failures(), Vec::<String>::new());
    assert!(report.claims.iter().all(|claim| claim.holds), "{}", report.table());
    let table = report.table();
    let lines: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    for line in [
        "4 nano 216.0 324.0 1.20 384",
        "4 nano 108.0 213.6 214.8 216.0 216.0 217.0 432.0 3.0",
        "raw send value per neighbor 14.00 42.00 42.00",
        "raw await value waiting 13.00 135.00 135.00",
        "raw evaluate per cycle 3.00 3.00 3.00",
        "raw cycle sum 30.00 180.00 180.00",
        "yes 4 nodes, full: cycle time in relation to raw: 1.20 (expected: at most 1.4)",
    ] {
        let line: Vec<&str> = line.split(' ').collect();
        assert!(lines.contains(&line), "{table}");
    }
}

#[test]
fn a_slow_orb_fails_the_claims() {
    let slow = |row: &DbaRow| if row.way == NANO.name { 1.5 } else { good(row) };
    let failures = report(false, slow).failures();
    assert_eq!(
        failures,
        [
            "4 nodes, nano: cycle time in relation to raw: 1.50",
            "100 nodes, nano: cycle time in relation to raw: 1.50",
        ]
    );
    assert!(report(true, slow).failures().is_empty());
}

#[test]
fn the_literatures_claim_is_about_a_queue_and_not_about_held_back_calls() {
    let (buffered, queued) = (FULL_BUFFERED.name, FULL_QUEUED.name);
    let times = |row: &DbaRow| if [buffered, queued].contains(&row.way) { 0.5 } else { good(row) };
    let report = report(false, times);
    let expected = "2 nodes, full: p99 of waiting with sync none in relation to transport: 1.25";
    assert_eq!(report.failures(), [expected]);
    assert!(report.claims.iter().all(|claim| !claim.what.contains("buffered")));
    assert!(report.table().contains(buffered), "{}", report.table());
}

#[test]
fn marshalling_that_takes_long_with_a_memo_fails_the_claim() {
    let times = |row: &DbaRow| if row.way == FULL_MEMO.name { 1.31 } else { good(row) };
    let expected = "4 nodes, full, memo: time of marshalling in relation to raw: 1.31";
    assert_eq!(report(false, times).failures(), [expected]);
}

#[test]
fn segments_whose_timing_takes_long_fail_the_claim() {
    let failures = report_of(false, 1.03, good).failures();
    let expected = "4 nodes, raw: cycle time with segments timed in relation to that without: 1.03";
    assert_eq!(failures, [expected]);
}

#[test]
fn a_model_that_predicts_too_much_fails_the_claim() {
    let failures =
        report(false, |row| if row.nodes == 2 { 1.3 } else { 1.0 } * good(row)).failures();
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(
        failures[0].ends_with("in relation to the measured: 1.30 (1.30 to 1.30)"),
        "{failures:?}"
    );
}

#[test]
fn what_is_counted_fails_in_a_quick_run_too() {
    let mut report = report(true, good);
    report.claims.clear();
    report.rows[0].gap = 0.02;
    report.rows[1].refused = 1;
    report.add_coloring(RAW, &Run { solved: true, conflicts: 1, reports: Vec::new() });
    report.finish();
    let failures = report.failures();
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(failures[1].ends_with("of all nodes: 2.000 %"), "{failures:?}");
}
