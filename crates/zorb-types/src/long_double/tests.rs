use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, Wire};

use crate::{Any, LongDouble};

const ONE: u128 = 0x3fff << 112;

#[test]
fn every_double_comes_back() {
    let mut bits: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut numbers = vec![
        0.0,
        -0.0,
        1.0,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        -f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    for _ in 0..2000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.push(f64::from_bits(bits));
        numbers.push(f64::from_bits(bits & 0x800f_ffff_ffff_ffff));
    }
    for &number in &numbers {
        let long = LongDouble::from(number);
        assert_eq!(long.is_nan(), number.is_nan());
        if !number.is_nan() {
            assert_eq!(long.to_f64().to_bits(), number.to_bits(), "{number:e}");
        }
    }
    for pair in numbers.windows(2) {
        let (left, right) = (LongDouble::from(pair[0]), LongDouble::from(pair[1]));
        assert_eq!(left.partial_cmp(&right), pair[0].partial_cmp(&pair[1]));
    }
    assert!(LongDouble::from(f64::NAN).to_f64().is_nan());
    assert!(LongDouble::NAN != LongDouble::NAN);
    assert_eq!(LongDouble::from(0.0), LongDouble::from(-0.0));
    assert_eq!(LongDouble::from(-0.0).to_bits(), 1 << 127);
}

#[test]
fn the_bits_are_those_of_the_format() {
    assert_eq!(LongDouble::from(1.0).to_bits(), ONE);
    assert_eq!(LongDouble::from(-2.0).to_bits(), 1 << 127 | 0x4000 << 112);
    assert_eq!(LongDouble::from(1.5).to_bits(), ONE | 1 << 111);
    assert_eq!(LongDouble::from(1_i64), LongDouble::from(1.0));
    assert_eq!(LongDouble::from(i64::MIN), LongDouble::from(-9_223_372_036_854_775_808.0));
    assert_eq!(LongDouble::from(u64::MAX).to_bits(), 0x403e << 112 | (FRACTION_OF_63_ONES << 49));
    const FRACTION_OF_63_ONES: u128 = (1 << 63) - 1;
}

#[test]
fn doubles_are_the_nearest_ties_to_even() {
    let one_and = |bits: u128| LongDouble::from_bits(ONE | bits).to_f64();
    let step = f64::EPSILON;
    assert_eq!(one_and(1 << 59), 1.0);
    assert_eq!(one_and(1 << 59 | 1), 1.0 + step);
    assert_eq!(one_and(1 << 60 | 1 << 59), 1.0 + 2.0 * step);
    assert_eq!(one_and((1 << 112) - 1), 2.0);
    let beyond = LongDouble::from_bits(0x43ff << 112);
    assert_eq!(beyond.to_f64(), f64::INFINITY);
    assert_eq!(LongDouble::from_bits(0x43fe << 112 | ((1 << 112) - 1)).to_f64(), f64::INFINITY);
    // Half of the least double is a tie, anything more is not.
    let half_least = (0x3fff - 1075) << 112;
    assert_eq!(LongDouble::from_bits(half_least).to_f64(), 0.0);
    assert_eq!(LongDouble::from_bits(half_least | 1).to_f64(), f64::from_bits(1));
    assert_eq!(LongDouble::from_bits(1).to_f64(), 0.0);
}

#[test]
fn it_is_aligned_to_eight_in_both_orders() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, order);
        writer.write_u8(7);
        let number = LongDouble::from_bits(0x4000_0102_0304_0506_0708_090a_0b0c_0d0e);
        LongDouble::write(&number, &mut writer).unwrap();
        assert_eq!(octets.len(), 24);
        let first = if order == ByteOrder::Big { 0x40 } else { 0x0e };
        assert_eq!(octets[8], first);
        let mut reader = CdrReader::new(&octets, order);
        reader.read_u8().unwrap();
        assert_eq!(LongDouble::read(&mut reader), Ok(number));
        let error = LongDouble::read(&mut CdrReader::new(&octets[..15], order)).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::Truncated);
        let any = Any::new::<LongDouble>(&number).unwrap();
        assert_eq!(any.get::<LongDouble>(), Some(number));
    }
}

#[test]
fn a_sequence_is_one_run() {
    let numbers: Vec<LongDouble> =
        (0..40_u128).map(|number| LongDouble::from_bits(number << 100 | number)).collect();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut octets = Vec::new();
        <Vec<LongDouble>>::write(&numbers, &mut CdrWriter::new(&mut octets, order)).unwrap();
        let mut one_by_one = Vec::new();
        let mut writer = CdrWriter::new(&mut one_by_one, order);
        writer.write_u32(40);
        numbers.iter().try_for_each(|number| LongDouble::write(number, &mut writer)).unwrap();
        assert_eq!(octets, one_by_one);
        let read = <Vec<LongDouble>>::read(&mut CdrReader::new(&octets, order)).unwrap();
        let bits = |numbers: &[LongDouble]| -> Vec<u128> {
            numbers.iter().map(|number| number.to_bits()).collect()
        };
        assert_eq!(bits(&read), bits(&numbers));
    }
}

#[test]
fn it_is_displayed_as_a_double_or_exactly() {
    assert_eq!(LongDouble::from(-1.25).to_string(), "-1.25");
    assert_eq!(LongDouble::INFINITY.to_string(), "inf");
    assert_eq!(LongDouble::from_bits(ONE | 1).to_string(), "0x1.0000000000000000000000000001p0");
    assert_eq!(
        LongDouble::from_bits(1 << 127 | 1 << 111).to_string(),
        "-0x0.8000000000000000000000000000p-16382"
    );
}
