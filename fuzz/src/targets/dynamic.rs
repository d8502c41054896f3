//! Anys that are decomposed and composed, and the codec. The first octet is as for `type_code`; the rest is what a
//! codec's peer sends: an encapsulation of an any.

use zorb_cdr::ByteOrder;
use zorb_dynamic::{Codec, DynAny};
use zorb_types::{Any, FixedValue, TypeCode};

use super::{AllocationBound, Target};

/// Octets decoded as an any, which is walked through and changed part by part.
pub const TARGET: Target = Target {
    name: "dynamic",
    run: check,
    allocation: AllocationBound { per_octet: 2048, constant: 64 << 10 },
    words: &[
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\x02",
        b"\x02\xff\xff\x7f",
        b"\0\0\0\x1d",
        b"\x1d\0\0\0",
        b"\0\0\0\x10",
        b"\x1c\0\0\0",
        b"IDL:a:1.0\0",
    ],
};

/// Whether a value of a valuetype may be in an any.
fn has_values(any: &Any) -> bool {
    // Tags are the same in both orders, seen from the right end.
    any.reader()
        .rest()
        .windows(3)
        .any(|octets| matches!(octets, [0x7f, 0xff, 0xff] | [0xff, 0xff, 0x7f]))
}

/// Parts looked at in one input.
const MAX_PARTS: usize = 200;
/// The same for values, which may be cyclic.
const MAX_PARTS_OF_VALUES: usize = 16;

fn check(octets: &[u8]) {
    let Some((&choice, octets)) = octets.split_first() else { return };
    let Some(codec) = Codec::for_version(1, choice >> 3 & 3) else { return };
    if let Some(text) = std::str::from_utf8(octets).ok()
        && let Ok(number) = text.parse::<FixedValue>()
    {
        assert_eq!(number.to_string().parse(), Ok(number));
    }
    let Ok(any) = codec.decode(octets) else { return };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let codec = codec.with_order(order);
        // A value of an unknown type is copied, and one of a partly known type is truncated.
        let encoded = match codec.encode(&any) {
            Ok(encoded) => encoded,
            Err(_) if has_values(&any) => continue,
            Err(error) => panic!("what was decoded can be encoded: {error:?}"),
        };
        let again = codec.decode(&encoded).expect("and decoded again");
        assert!(again == any || has_values(&any));
    }
    let compact: TypeCode = any.type_code().compact().expect("it was not too deep before");
    assert!(compact.equivalent(any.type_code()));
    let Ok(mut value) = DynAny::of(any.clone()) else { return };
    let with_values = has_values(&any);
    let mut left = if with_values { MAX_PARTS_OF_VALUES } else { MAX_PARTS };
    walk(&mut value, &mut left, with_values);
    let same = value.to_any().expect("the same parts");
    assert!(same == any || has_values(&any));
    // A new value of the type is one too, where it is not too large.
    if any.type_code().member_count() < MAX_PARTS && DynAny::new(any.type_code()).is_ok() {
        let mut first = DynAny::new(any.type_code()).expect("made before");
        let before = first.to_any().expect("a value");
        walk(&mut first, &mut MAX_PARTS.clone(), false);
        assert_eq!(first.to_any().expect("the same parts"), before);
    }
}

/// Takes a value apart down to its leaves.
fn walk(value: &mut DynAny, left: &mut usize, with_values: bool) {
    // A checked value can be decomposed, except for values of unknown types.
    let count = match value.component_count() {
        Err(_) if with_values => return,
        count => count.expect("parts"),
    };
    for index in 0..count {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let part = value.component(index).expect("a part that was counted");
        walk(part, left, with_values);
    }
    if let Ok(inner) = value.dyn_any() {
        *left = left.saturating_sub(1);
        let mut inner = inner;
        if *left > 0 {
            walk(&mut inner, left, with_values);
        }
    }
}
