use std::cell::Cell;
use std::convert::Infallible;

use super::*;
use zorb_giop::ProfileTag;

/// Makes profiles of ids by a function, and counts them.
struct Encoder<F> {
    profiles: ReferenceProfiles,
    count: Cell<usize>,
    encode: F,
}

impl<F: Fn(&[u8]) -> Vec<Vec<u8>>> Encoder<F> {
    fn new(encode: F) -> Self {
        Self { profiles: ReferenceProfiles::default(), count: Cell::new(0), encode }
    }

    fn encoded(&self, id: &[u8]) -> Vec<TaggedProfile> {
        let profile = |(tag, data)| TaggedProfile { tag: ProfileTag(tag), data };
        (0..).zip((self.encode)(id)).map(profile).collect()
    }

    /// Checks the profiles of an id, and returns how many were encoded for that.
    fn check(&self, id: &[u8], endpoints: u64) -> usize {
        self.count.set(0);
        let encode = |id: &[u8]| {
            self.count.set(self.count.get() + 1);
            Ok::<_, Infallible>(self.encoded(id))
        };
        let profiles = self.profiles.of(id, endpoints, encode).unwrap();
        assert_eq!(profiles, self.encoded(id), "of {id:?}");
        self.count.get()
    }
}

fn around(before: &[u8], id: &[u8], after: &[u8]) -> Vec<u8> {
    [before, id, after].concat()
}

#[test]
fn profiles_are_encoded_for_the_first_ids_of_a_length_only() {
    let encoder = Encoder::new(|id| {
        vec![around(b"iiop", id, b"parts"), Vec::new(), around(id, id, b""), around(b"", id, id)]
    });
    assert_eq!(encoder.check(b"1234", 1), 1);
    assert_eq!(encoder.check(b"1235", 1), 2);
    for id in [*b"1236", *b"iiop", *b"part", [0; 4], [0xff; 4]] {
        assert_eq!(encoder.check(&id, 1), 0);
    }
}

#[test]
fn an_id_that_is_also_elsewhere_is_replaced_where_it_is_the_id() {
    let encoder = Encoder::new(|id| vec![around(b"12341234", id, b"1234")]);
    encoder.check(b"1234", 1);
    encoder.check(b"1234", 1);
    assert_eq!(encoder.check(b"5678", 1), 0);
}

#[test]
fn other_endpoints_and_lengths_are_encoded_anew() {
    let host = Cell::new(b'a');
    let encoder = Encoder::new(|id| vec![around(&[host.get(), id.len() as u8], id, b"")]);
    encoder.check(b"1234", 1);
    encoder.check(b"1234", 1);
    host.set(b'b');
    assert_ne!(encoder.check(b"1234", 2), 0);
    assert_eq!(encoder.check(b"4321", 2), 0);
    assert_eq!(encoder.check(b"", 2), 1);
    assert_eq!(encoder.check(b"4321", 2), 0, "one id of another length displaces nothing");
    encoder.check(b"", 2);
    encoder.check(b"", 2);
    assert_eq!(encoder.check(b"", 2), 0);
}

#[test]
fn profiles_that_differ_in_more_than_the_id_are_encoded_each_time() {
    let sum = |id: &[u8]| id.iter().fold(0u8, |sum, octet| sum.wrapping_add(*octet));
    let with_sum = Encoder::new(|id| vec![around(b"x", id, &[sum(id)])]);
    let digits = Encoder::new(|id| vec![format!("{id:?}").into_bytes()]);
    let part = Encoder::new(|id| vec![id.get(..2).unwrap_or_default().to_vec()]);
    let more = Encoder::new(|id| vec![id.to_vec(); usize::from(id[0] & 1) + 1]);
    for id in [b"1234", b"1235", b"0000", b"zzzz"] {
        assert_ne!(with_sum.check(id, 1), 0);
        assert_ne!(digits.check(id, 1), 0);
        assert_ne!(part.check(id, 1), 0);
        assert_ne!(more.check(id, 1), 0);
    }
}

#[test]
fn profiles_that_change_meanwhile_are_not_those_of_an_empty_id() {
    let (profiles, count) = (ReferenceProfiles::default(), Cell::new(0));
    let encode = |_: &[u8]| {
        count.set(count.get() + 1);
        let profile = TaggedProfile { tag: ProfileTag(0), data: vec![count.get()] };
        Ok::<_, Infallible>(vec![profile])
    };
    // All but the first are compared with others.
    for number in [1, 2, 4, 6] {
        assert_eq!(profiles.of(b"", 1, encode).unwrap()[0].data, [number]);
    }
}
