use super::*;

/// Indices that the peers' protocol gives as examples.
const INDICES: [(u64, u32); 11] = [
    (0, 0),
    (511, 511),
    (512, 512),
    (513, 512),
    (514, 513),
    (1023, 767),
    (1024, 768),
    (15_000, 1748),
    (1_000_000, 3304),
    (LONGEST, LAST),
    (u64::MAX, LAST),
];

fn of(times: impl IntoIterator<Item = u64>) -> Histogram {
    let mut histogram = Histogram::new();
    times.into_iter().for_each(|time| histogram.record(time));
    histogram
}

#[test]
fn indices_are_those_of_the_protocol() {
    for (nanos, expected) in INDICES {
        assert_eq!(index(nanos), expected, "{nanos}");
    }
}

#[test]
fn every_bucket_holds_its_bounds_and_none_is_left_out() {
    let mut next = 0;
    for bucket in 0..=LAST {
        let (lowest, width) = bounds(bucket);
        assert_eq!(lowest, next);
        assert_eq!((index(lowest), index((lowest + width - 1).min(LONGEST))), (bucket, bucket));
        assert!(width == 1 || lowest / width >= STEPS);
        next = lowest + width;
    }
}

#[test]
fn quantiles_of_small_times_are_exact() {
    let histogram = of(1..=200);
    assert_eq!(histogram.total(), 200);
    for (share, expected) in [(0.5, 100.0), (0.99, 198.0), (1.0, 200.0), (0.0, 1.0)] {
        assert_eq!(histogram.quantile(share), expected, "{share}");
    }
    assert_eq!(of([7]).quantile(0.5), 7.0);
    assert_eq!(Histogram::new().quantile(0.5), 0.0);
}

#[test]
fn times_of_the_text_form_are_spread_over_their_buckets() {
    let parsed = Histogram::parse("3304:1000").unwrap();
    let (lowest, width) = bounds(3304);
    let (low, high) = (parsed.quantile(0.01), parsed.quantile(0.99));
    assert!(low < (lowest + width / 2) as f64 && high > (lowest + width / 2) as f64);
    assert!(parsed.quantile(1.0) < (lowest + width) as f64 && low >= lowest as f64);
    assert_eq!(parsed.total(), 1000);
}

#[test]
fn quantiles_of_long_times_are_within_a_bucket() {
    let times = (1..=10_000_u64).map(|number| number * 1000);
    let histogram = of(times);
    for (share, exact) in [(0.5, 5_000_000.0), (0.999, 9_990_000.0)] {
        let found = histogram.quantile(share);
        assert!((found / exact - 1.0_f64).abs() < 1.0 / 256.0, "{found} {exact}");
    }
}

#[test]
fn the_text_form_is_parsed_and_written() {
    let histogram = of([5, 5, 100_000, 14_000, u64::MAX]);
    let text = histogram.to_string();
    assert!(text.starts_with("5:2,1717:1,"), "{text}");
    assert_eq!(Histogram::parse(&text), Ok(histogram));
    assert_eq!(Histogram::parse(""), Ok(Histogram::new()));
}

#[test]
fn malformed_text_is_refused() {
    for bad in ["5", "5:", ":5", "x:1", "5:0", "5:-1", "6:1,5:1", "5:1,5:1", "8449:1"] {
        assert!(Histogram::parse(bad).is_err(), "{bad}");
    }
    let much = u64::MAX;
    assert!(Histogram::parse(&format!("1:{much},2:1")).is_err());
}

#[test]
fn merging_adds() {
    let mut both = of([1, 2, 3]);
    both.merge(&of([3, 9000]));
    assert_eq!(both, of([1, 2, 3, 3, 9000]));
}
