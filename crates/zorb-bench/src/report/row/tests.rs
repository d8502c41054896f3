use super::*;

fn subject(figure: Figure, payload: usize) -> Subject<'static> {
    Subject {
        experiment: "latency",
        transport: "iiop",
        operation: "ping".to_owned(),
        payload,
        rounds: 1,
        figure,
    }
}

/// A block of calls that took so long each, with as much time again between them.
fn block(times: &[u64]) -> Done {
    let mut histogram = Histogram::new();
    times.iter().for_each(|time| histogram.record(*time));
    let sum_ns = times.iter().sum();
    Done {
        calls: times.len() as u64,
        wall_ns: 2 * sum_ns,
        cpu_ns: 10 * times.len() as u64,
        server_cpu_ns: 0,
        sum_ns,
        min_ns: times.iter().min().copied().unwrap_or_default(),
        max_ns: times.iter().max().copied().unwrap_or_default(),
        histogram,
    }
}

#[test]
fn medians_of_blocks_and_ratios_to_the_adjacent_block() {
    let raw = Some(vec![block(&[100, 100, 100]), block(&[400, 400, 400])]);
    let zorb = Some(vec![block(&[110, 110, 500]), block(&[440, 440, 440])]);
    let found = rows(&subject(Figure::Latency, 0), &[("raw", &raw), ("zorb", &zorb)]);
    let [(_, _), (row, detail)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((row.peer.as_str(), row.calls, row.rounds), ("zorb", 6, 1));
    // Each block is 10 % slower than the adjacent one, however the machine changed in between.
    assert_eq!(row.ratio_to_raw, Some(1.1));
    assert_eq!((detail.ratio_q1, detail.ratio_q3), (Some(1.1), Some(1.1)));
    assert_eq!((row.p50_us, row.max_us), (Some(0.275), Some(0.5)));
    assert_eq!(detail.client_cpu_ns_per_call, Some(10.0));
    assert_eq!((row.mb_per_s, detail.client_cpu_ns_per_octet), (0.0, None));
}

#[test]
fn throughput_counts_all_the_time() {
    let raw = Some(vec![block(&[100; 4])]);
    let slow = Some(vec![block(&[200; 4])]);
    let found = rows(&subject(Figure::Throughput, 1000), &[("raw", &raw), ("zorb", &slow)]);
    let [(raw, _), (zorb, _)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((raw.calls_per_s, raw.mb_per_s, raw.ratio_to_raw), (5e6, 5000.0, Some(1.0)));
    assert_eq!(zorb.ratio_to_raw, Some(0.5));
}

#[test]
fn floods_have_no_percentiles() {
    let flood =
        Done { calls: 10, wall_ns: 1000, cpu_ns: 500, server_cpu_ns: 700, ..Done::default() };
    let blocks = Some(vec![flood]);
    let found = rows(&subject(Figure::Throughput, 10), &[("zorb", &blocks)]);
    let [(row, detail)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((row.mean_us, row.p50_us, row.max_us, row.ratio_to_raw), (0.1, None, None, None));
    assert_eq!(detail.client_cpu_ns_per_octet, Some(5.0));
    assert_eq!(detail.server_cpu_ns_per_octet, Some(7.0));
}

#[test]
fn a_skipped_peer_has_no_row() {
    let found =
        rows(&subject(Figure::Latency, 0), &[("raw", &None), ("zorb", &Some(vec![block(&[5])]))]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0.ratio_to_raw, None);
}
