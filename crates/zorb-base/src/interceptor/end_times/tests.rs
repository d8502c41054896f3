//! The encoding of the service context, and its decoding, also of invalid contexts.

use std::time::{Duration, Instant};

use zorb_cdr::ByteOrder;
use zorb_types::minor;

use super::check;
use super::context::{RequestEnd, decode, encode};
use crate::policy::{Deadline, ServeInTime};

/// JacORB 3.9's context for the request end time 0x0123456789abcdef and a reply end time one unit later.
const OF_JACORB: &[u8] = &[
    0, 0, 0, 0, 0, 0, 0, 2, //
    0, 0, 0, 0x1c, 0, 0, 0, 0x18, 0, 0, 0, 0, 0, 0, 0, 0, //
    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0x1e, 0, 0, 0, 0x18, 0, 0, 0, 0, 0, 0, 0, 0, //
    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0,
];

fn at(time: u64) -> Option<Deadline> {
    Some(Deadline::from_time_t(time))
}

const SOME: u64 = 0x0123_4567_89ab_cdef;

#[test]
fn the_context_is_that_of_jacorb() {
    let ends = RequestEnd { request: at(SOME), reply: at(SOME + 1) };
    assert_eq!(encode(ends, ByteOrder::Big).unwrap(), OF_JACORB);
    assert_eq!(decode(OF_JACORB).unwrap(), ends);
    for ends in [ends, RequestEnd { request: None, ..ends }, RequestEnd { reply: None, ..ends }] {
        let little = encode(ends, ByteOrder::Little).unwrap();
        assert_eq!(decode(&little).unwrap(), ends);
    }
}

#[test]
fn any_octets_are_read_or_refused() {
    for length in 0..OF_JACORB.len() {
        assert!(decode(&OF_JACORB[..length]).is_err() || length < 8, "{length}");
        for value in [0, 1, 0x7f, 0xff] {
            let mut changed = OF_JACORB.to_vec();
            changed[length] = value;
            let _ = decode(&changed);
        }
    }
    // The count announces a billion values, but none follows.
    assert!(decode(&[0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0]).is_err());
}

#[test]
fn other_policies_are_ignored_and_the_earlier_of_two_times_counts() {
    let mut octets = OF_JACORB.to_vec();
    octets[11] = 32;
    assert_eq!(decode(&octets).unwrap(), RequestEnd { request: None, reply: at(SOME + 1) });
    octets[11] = 30;
    assert_eq!(decode(&octets).unwrap(), RequestEnd { request: None, reply: at(SOME) });
}

#[test]
fn requests_expire_after_end_time_and_tolerance() {
    let hour = Duration::from_secs(3600);
    let in_an_hour = Some(Deadline::after(hour));
    let an_hour_ago = Instant::now().checked_sub(hour).map(Deadline::at);
    assert!(an_hour_ago.is_some_and(|ago| ago.time_since() >= hour && ago.time_left().is_zero()));
    let strict = ServeInTime::new();
    let minor = |policy: ServeInTime, request, reply| {
        check(policy, RequestEnd { request, reply }).map_err(|exception| exception.minor)
    };
    assert_eq!(minor(strict, None, None), Ok(()));
    assert_eq!(minor(strict, in_an_hour, in_an_hour), Ok(()));
    let late = Err(minor::timeout::REQUEST_EXPIRED);
    assert_eq!(minor(strict, an_hour_ago, in_an_hour), late);
    assert_eq!(minor(strict, in_an_hour, an_hour_ago), Err(minor::timeout::REPLY_EXPIRED));
    assert_eq!(minor(strict.tolerance(3 * hour), an_hour_ago, an_hour_ago), Ok(()));
    assert_eq!(minor(strict.tolerance(hour / 2), an_hour_ago, None), late);
    // Extreme values.
    assert_eq!(minor(strict.tolerance(Duration::MAX), at(0), at(u64::MAX)), Ok(()));
    assert_eq!(minor(strict, at(0), None), late);
}
