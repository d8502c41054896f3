//! What the context looks like, and what is made of those that others write.

use std::time::{Duration, Instant};

use zorb_cdr::ByteOrder;
use zorb_types::minor;

use super::context::{Ends, decode, encode};
use super::{Deadline, ServeInTime};

/// What JacORB 3.9 writes of a request that ends at 0x0123456789abcdef and whose reply has to be there a
/// unit later.
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
    let ends = Ends { request: at(SOME), reply: at(SOME + 1) };
    assert_eq!(encode(ends, ByteOrder::Big).unwrap(), OF_JACORB);
    assert_eq!(decode(OF_JACORB).unwrap(), ends);
    for ends in [ends, Ends { request: None, ..ends }, Ends { reply: None, ..ends }] {
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
    // A thousand million values, of which none is there.
    assert!(decode(&[0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0]).is_err());
}

#[test]
fn policies_about_anything_else_are_passed_over_and_the_earlier_of_two_counts() {
    let mut octets = OF_JACORB.to_vec();
    octets[11] = 32;
    assert_eq!(decode(&octets).unwrap(), Ends { request: None, reply: at(SOME + 1) });
    octets[11] = 30;
    assert_eq!(decode(&octets).unwrap(), Ends { request: None, reply: at(SOME) });
}

#[test]
fn what_is_over_is_over_but_for_the_tolerance() {
    let hour = Duration::from_secs(3600);
    let in_an_hour = Some(Deadline::after(hour));
    let an_hour_ago = Instant::now().checked_sub(hour).map(Deadline::at);
    assert!(an_hour_ago.is_some_and(|ago| ago.time_since() >= hour && ago.time_left().is_zero()));
    let strict = ServeInTime::new();
    let minor = |policy: ServeInTime, request, reply| {
        policy.check(Ends { request, reply }).map_err(|exception| exception.minor)
    };
    assert_eq!(minor(strict, None, None), Ok(()));
    assert_eq!(minor(strict, in_an_hour, in_an_hour), Ok(()));
    let late = Err(minor::timeout::REQUEST_EXPIRED);
    assert_eq!(minor(strict, an_hour_ago, in_an_hour), late);
    assert_eq!(minor(strict, in_an_hour, an_hour_ago), Err(minor::timeout::REPLY_EXPIRED));
    assert_eq!(minor(strict.tolerance(3 * hour), an_hour_ago, an_hour_ago), Ok(()));
    assert_eq!(minor(strict.tolerance(hour / 2), an_hour_ago, None), late);
    // The ends of the scale.
    assert_eq!(minor(strict.tolerance(Duration::MAX), at(0), at(u64::MAX)), Ok(()));
    assert_eq!(minor(strict, at(0), None), late);
}
