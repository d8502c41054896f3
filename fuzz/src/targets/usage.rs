//! Usage files, by which the IDL compiler chooses marshalling engines.

use zorb_idl_rust::Usage;

use super::{AllocationBound, Target};

/// Octets read as a usage file. The hot operations make up their share of all calls, and no operation that is used as
/// much is left out.
pub const TARGET: Target = Target {
    name: "usage",
    run,
    allocation: AllocationBound { per_octet: 128, constant: 64 << 10 },
    words: &[
        b"zorb-usage 1\n",
        b"# calls requests interface operation\n",
        b"1 0 - _get_a\n",
        b"1 0 IDL:A:1.0 a\n",
        b"18446744073709551615 ",
        b"18446744073709551616 ",
        b"\r\n",
        b"\xc2\xa0",
    ],
};

fn run(octets: &[u8]) {
    match Usage::parse(octets) {
        Ok(usage) => check(&usage),
        Err(error) => assert!(error.to_string().starts_with("line ")),
    }
}

fn check(usage: &Usage) {
    let (hot, mut total, mut least) = (usage.hot(), 0_u128, u64::MAX);
    let mut covered = 0_u128;
    for used in &hot {
        assert!(used.count > 0 && used.count <= least, "most used first");
        least = used.count;
        covered += u128::from(used.count);
    }
    for used in usage.operations() {
        total += u128::from(used.count);
        assert!(!used.name.is_empty());
        if !hot.is_empty() {
            let is_hot = used.count >= least;
            assert_eq!(is_hot, hot.iter().filter(|hot| **hot == used).count() == 1);
        }
    }
    assert!(covered * 100 >= total * u128::from(Usage::HOT_PERCENT));
}
