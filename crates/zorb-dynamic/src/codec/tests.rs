use zorb_cdr::{ByteOrder, CdrErrorKind, WString};
use zorb_types::{Any, Typed};

use super::{Codec, CodecError};

#[test]
fn anys_go_both_ways_in_both_orders() {
    let anys = [
        Any::new::<i64>(&-5),
        Any::new::<WString>("grün 東"),
        Any::new::<Vec<f64>>(&[1.5, -2.0]),
        Any::new::<Any>(&Any::new::<u8>(&1).unwrap()),
        Ok(Any::default()),
    ];
    for any in anys.map(Result::unwrap) {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let codec = Codec::new().with_order(order);
            let octets = codec.encode(&any).unwrap();
            assert_eq!(octets[0], order.flag());
            assert_eq!(Codec::new().decode(&octets).unwrap(), any);
            let octets = codec.encode_value(&any).unwrap();
            assert_eq!(Codec::new().decode_value(&octets, any.type_code()).unwrap(), any);
        }
    }
}

#[test]
fn values_are_aligned_to_the_encapsulation() {
    let codec = Codec::new().with_order(ByteOrder::Big);
    assert_eq!(
        codec.encode_value(&Any::new::<i32>(&1).unwrap()).unwrap(),
        [0, 0, 0, 0, 0, 0, 0, 1]
    );
}

#[test]
fn versions_differ_in_wide_text() {
    let any = Any::new::<WString>("w").unwrap();
    let [absent, units, octets] = [0, 1, 2].map(|minor| Codec::for_version(1, minor).unwrap());
    assert_eq!(absent.encode(&any), Err(CodecError::InvalidTypeForEncoding));
    assert_ne!(units.encode_value(&any).unwrap(), octets.encode_value(&any).unwrap());
    let encoded = units.encode(&any).unwrap();
    assert_eq!(units.decode(&encoded).unwrap(), any);
    assert!(Codec::for_version(1, 3).is_none() && Codec::for_version(2, 0).is_none());
}

#[test]
fn octets_of_something_else_are_refused() {
    let codec = Codec::new();
    let kind = |octets: &[u8]| match codec.decode(octets) {
        Err(CodecError::FormatMismatch(error)) => error.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(&[]), CdrErrorKind::Truncated);
    assert_eq!(kind(&[1]), CdrErrorKind::Truncated);
    assert_eq!(kind(&[0, 0, 0, 0, 0, 0, 0, 99]), CdrErrorKind::BadTypeCode);
    assert!(codec.decode_value(&[1, 2], &bool::type_code()).is_err());
}
