use std::collections::BTreeMap;

use super::*;

/// A report in which engines need so many instructions per element, and 1 size calculation.
fn report(instructions: [u64; 5]) -> LadderReport {
    let mut report = LadderReport::new(false);
    let mut counts = Vec::new();
    for elements_of in TYPES {
        for side in SIDES {
            for (engine, instructions) in ENGINES.into_iter().zip(instructions) {
                counts.push(LadderCount {
                    engine: engine.to_owned(),
                    elements_of: elements_of.to_owned(),
                    side: side.to_owned(),
                    elements: 10,
                    instructions: 10 * instructions + u64::from(side == "receiver"),
                    cold_i1_misses: instructions,
                    calls: BTreeMap::from([
                        (SIZES[0].to_owned(), 10.0),
                        (ENCODES[0].to_owned(), 70.0),
                        (DECODES[0].to_owned(), 10.0),
                    ]),
                    ..LadderCount::default()
                });
            }
        }
    }
    report.counted(Counted { optimized: true, counts });
    report
}

/// Whether the first claim about something holds.
fn holds(report: &LadderReport, what: &str) -> bool {
    report.claims.iter().find(|claim| claim.what.contains(what)).unwrap().holds
}

#[test]
fn claims_compare_the_instructions_of_steps() {
    let mut good = report([100, 90, 40, 30, 20]);
    good.finish();
    for what in [
        "interp0 in relation to interp1",
        "interp1 in relation to interp2",
        "interp0 in relation to interp4",
        "interp3, receiver of a message of long: its",
        "interp0, octet: instructions of the receiver",
        "interp0, BinStruct: visits of the encoder",
        "interp0, double: visits of the decoder",
    ] {
        assert!(holds(&good, what), "{}", good.table());
    }
    // The sizes that are still calculated.
    assert!(!holds(&good, "interp2, BinStruct: size calculations per element"));
    assert!(good.failures().iter().any(|failure| failure.contains("size calculations")));
    for what in
        ["interp0, double: visits of the encoder", "interp0, BinStruct: visits of the decoder"]
    {
        assert!(!holds(&good, what), "{}", good.table());
    }
    let mut bad = report([100, 50, 40, 40, 40]);
    bad.finish();
    for what in [
        "interp0 in relation to interp1",
        "interp1 in relation to interp2",
        "BinStruct: instructions of interp0 in relation to interp4",
        "interp3, receiver of a message of double: its",
    ] {
        assert!(!holds(&bad, what), "{}", bad.table());
    }
}

#[test]
fn a_receiver_that_takes_less_than_the_sender_fails_the_claim() {
    let mut report = report([100, 90, 40, 30, 20]);
    let of_found = |count: &&mut LadderCount| {
        (&*count.engine, &*count.elements_of, &*count.side) == (FOUND, "octet", "receiver")
    };
    report.counts.iter_mut().find(of_found).unwrap().instructions = 999;
    report.finish();
    assert!(!holds(&report, "interp0, octet: instructions of the receiver"), "{}", report.table());
    assert!(holds(&report, "interp0, char: instructions of the receiver"), "{}", report.table());
    let expected = "interp0, octet: instructions of the receiver in relation to the sender: 1.00";
    assert!(report.failures().iter().any(|failure| failure == expected));
}

#[test]
fn messages_in_the_order_of_the_machine_are_not_swapped() {
    let mut good = report([100, 90, 40, 30, 20]);
    let long = |side: &'static str| {
        move |count: &&mut LadderCount| {
            (&*count.engine, &*count.elements_of, &*count.side) == (LAST, "long", side)
        }
    };
    let mut swapping = good.counts.iter_mut().find(long("sender")).unwrap().clone();
    swapping.side = "swapping sender".to_owned();
    let mut bad = good.clone();
    good.counts.push(LadderCount {
        calls: BTreeMap::from([("put_swapped".to_owned(), 2.0)]),
        ..swapping.clone()
    });
    good.finish();
    assert!(holds(&good, "interp4, long: calls of the sender that swap"), "{}", good.table());
    assert!(holds(&good, "long: calls of the swapping sender that swap"), "{}", good.table());
    let sender = bad.counts.iter_mut().find(long("sender")).unwrap();
    sender.calls.insert("put_swapped".to_owned(), 1.0);
    bad.counts.push(swapping);
    bad.finish();
    assert!(!holds(&bad, "interp4, long: calls of the sender that swap"), "{}", bad.table());
    assert!(!holds(&bad, "long: calls of the swapping sender that swap"), "{}", bad.table());
}

#[test]
fn engines_without_optimization_and_machines_without_the_link_decide_nothing_about_them() {
    let mut report = report([100, 50, 40, 40, 40]);
    report.optimized = false;
    report.finish();
    let failures = report.failures();
    assert!(failures.iter().all(|failure| !failure.contains("instructions")), "{failures:?}");
    assert!(failures.iter().all(|failure| !failure.contains("155")), "{failures:?}");
}

#[test]
fn floods_are_compared_with_bare_sockets() {
    let mut report = report([100, 90, 40, 30, 20]);
    for (engine, rate) in [(RAW, 100.0), (FOUND, 30.0), (LAST, 80.0)] {
        for elements_of in TYPES {
            let mut flood = LadderFlood::new(engine, elements_of, 1024);
            flood.mb_per_s = vec![rate];
            (flood.write_share, flood.read_share) = (vec![0.6], vec![0.4]);
            report.floods.push(flood);
        }
    }
    report.finish();
    assert!(holds(&report, "interp0, octet: throughput in relation to raw"));
    assert!(!holds(&report, "interp4, octet: throughput in relation to raw"));
    assert!(holds(&report, "interp4, octet: share of time in `write`"));
    assert!(!holds(&report, "interp4, octet: share of time in `read`"));
    assert!(report.table().contains("interp4: MB/s"));
}
