use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, Wire};

use crate::{Fixed, FixedError, FixedValue, Typed, read_fixed, write_fixed};

fn fixed(text: &str) -> FixedValue {
    text.parse().unwrap()
}

fn shown(result: Result<FixedValue, FixedError>) -> String {
    result.map_or_else(|error| alloc::format!("{error:?}"), |value| value.to_string())
}

const NINES: &str = "9999999999999999999999999999999";

#[test]
fn text_goes_both_ways() {
    for (text, shown, digits, scale) in [
        ("0", "0", 1, 0),
        ("-0", "0", 1, 0),
        ("00123.450d", "123.450", 6, 3),
        ("+.5", "0.5", 1, 1),
        ("5.", "5", 1, 0),
        ("-0.050D", "-0.050", 3, 3),
        ("0.000", "0.000", 3, 3),
        (NINES, NINES, 31, 0),
        ("0.0000000000000000000000000000001", "0.0000000000000000000000000000001", 31, 31),
        // Trailing zeros beyond 31 digits are dropped.
        ("1.0000000000000000000000000000000000000", "1.000000000000000000000000000000", 31, 30),
    ] {
        let value = fixed(text);
        assert_eq!(value.to_string(), shown, "{text}");
        assert_eq!((value.digits(), value.scale()), (digits, scale), "{text}");
        assert_eq!(FixedValue::parse(shown), Ok(value));
    }
    for text in ["", ".", "d", "-", "1.2.3", "1e5", "1,5", " 1", "1 ", "0x1", "--1", "1dd"] {
        assert_eq!(FixedValue::parse(text), Err(FixedError::Malformed), "{text}");
    }
    assert_eq!(FixedValue::parse(&alloc::format!("1{NINES}")), Err(FixedError::Overflow));
    assert_eq!(FixedValue::parse(&alloc::format!("1.{NINES}")), Err(FixedError::Inexact));
    assert_eq!(FixedValue::new(-12, -3).unwrap().to_string(), "-12000");
    assert_eq!(FixedValue::new(0, -3).unwrap().to_string(), "0");
    assert_eq!(alloc::format!("[{:>8}]", fixed("-1.5")), "[    -1.5]");
}

#[test]
fn sums_keep_every_digit_that_fits() {
    for (left, right, sum, difference) in [
        ("1.5", "2.25", "3.75", "-0.75"),
        ("-1.5", "1.5", "0.0", "-3.0"),
        ("0.1", "-0.01", "0.09", "0.11"),
        (NINES, "1", "Overflow", "9999999999999999999999999999998"),
        // 32 digits: the last one after the point is cut off, without rounding.
        (NINES, "0.9", NINES, "9999999999999999999999999999998"),
        (
            "9999999999999999.999999999999999",
            "0.0000000000000001",
            "9999999999999999.999999999999999",
            "9999999999999999.999999999999998",
        ),
    ] {
        assert_eq!(shown(fixed(left).checked_add(fixed(right))), sum, "{left} + {right}");
        assert_eq!(shown(fixed(right).checked_add(fixed(left))), sum, "{right} + {left}");
        assert_eq!(shown(fixed(left).checked_sub(fixed(right))), difference, "{left} - {right}");
    }
}

#[test]
fn products_and_quotients_have_the_standards_digits() {
    for (left, right, product) in [
        ("1.5", "-2.25", "-3.375"),
        ("0.00", "-5.0", "0.000"),
        (NINES, "10", "Overflow"),
        (NINES, "0.1", "999999999999999999999999999999.9"),
        (NINES, NINES, "Overflow"),
        ("9999999999999999.99999", "99999999.9999999", "999999999999998999999000.0000000"),
        ("0.0000000000000001", "0.0000000000000001", "0.0000000000000000000000000000000"),
    ] {
        assert_eq!(shown(fixed(left).checked_mul(fixed(right))), product, "{left} * {right}");
    }
    for (left, right, quotient) in [
        ("1", "3", "0.3333333333333333333333333333333"),
        ("2", "-3", "-0.6666666666666666666666666666666"),
        ("10", "4", "2.5"),
        ("7.50", "2.50", "3"),
        ("100", "0.001", "100000"),
        ("1", "0", "DivisionByZero"),
        ("0", "7", "0"),
        ("1", "0.0000000000000000000000000000001", "Overflow"),
        ("22", "7", "3.142857142857142857142857142857"),
        ("0.0000000000000000000000000000001", "2", "0"),
    ] {
        assert_eq!(shown(fixed(left).checked_div(fixed(right))), quotient, "{left} / {right}");
    }
}

#[test]
fn rounding_goes_away_from_zero_and_truncation_to_it() {
    for (text, scale, rounded, truncated) in [
        ("1.25", 1, "1.3", "1.2"),
        ("-1.25", 1, "-1.3", "-1.2"),
        ("1.24", 1, "1.2", "1.2"),
        ("0.5", 0, "1", "0"),
        ("-0.49", 0, "0", "0"),
        ("1.5", 3, "1.500", "1.500"),
        ("1550", -2, "1600", "1500"),
    ] {
        assert_eq!(shown(fixed(text).round(scale)), rounded, "{text}");
        assert_eq!(shown(fixed(text).truncate(scale)), truncated, "{text}");
    }
    assert_eq!(fixed("-7.9").to_integer(), Ok(-7));
    assert_eq!(fixed(NINES).truncate(1), Err(FixedError::Overflow));
    assert_eq!(fixed("0.9").round(31).map(FixedValue::normalized).map(FixedValue::scale), Ok(1));
    assert_eq!(Fixed::<5, 2>::rounded(fixed("123.455")).unwrap().to_string(), "123.46");
    assert_eq!(Fixed::<5, 2>::truncated(fixed("-123.459")).unwrap().to_string(), "-123.45");
    assert_eq!(Fixed::<5, 2>::rounded(fixed("999.995")), Err(FixedError::Overflow));
    assert_eq!("1.005".parse::<Fixed<5, 2>>(), Err(FixedError::Inexact));
    assert_eq!("1.500".parse::<Fixed<5, 2>>(), Ok(Fixed::constant(150)));
    assert_eq!(Fixed::<5, 2>::from_unscaled(100_000), None);
    assert_eq!(Fixed::<3, 1>::MAX.to_string(), "99.9");
    assert!(Fixed::<3, 1>::MIN < -Fixed::<3, 1>::constant(998));
}

#[test]
fn numbers_compare_by_value() {
    use core::hash::{BuildHasher, BuildHasherDefault};
    #[derive(Default)]
    struct Sum(u64);
    impl core::hash::Hasher for Sum {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, octets: &[u8]) {
            for &octet in octets {
                self.0 = self.0.wrapping_mul(31).wrapping_add(octet.into());
            }
        }
    }
    let hash = |value: FixedValue| BuildHasherDefault::<Sum>::default().hash_one(value);
    let far = FixedValue::new(1, -31).unwrap();
    for (left, right) in [("1.5", "1.50"), ("0", "0.000"), ("-20", "-20.0")] {
        assert_eq!(fixed(left), fixed(right));
        assert_eq!(hash(fixed(left)), hash(fixed(right)));
    }
    assert_eq!(FixedValue::new(2, -1), Some(fixed("20.0")));
    let mut ordered =
        [far, fixed("-1.5"), fixed(NINES), fixed("0.0000000000000000000000000000001")];
    ordered.sort();
    assert_eq!(ordered[0], fixed("-1.5"));
    assert_eq!(ordered[3], far);
    assert!(fixed("1.49") < fixed("1.5") && fixed("-1.49") > fixed("-1.5"));
}

#[test]
fn packed_decimal_is_that_of_the_standard() {
    fn octets<const D: u16, const S: i16>(text: &str) -> Vec<u8> {
        let mut octets = Vec::new();
        let value: Fixed<D, S> = text.parse().unwrap();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
        <Fixed<D, S>>::write(&value, &mut writer).unwrap();
        assert_eq!(octets.len(), <Fixed<D, S>>::MIN_SIZE);
        let mut reader = CdrReader::new(&octets, ByteOrder::Little);
        assert_eq!(<Fixed<D, S>>::read(&mut reader), Ok(value));
        let dynamic = read_fixed(D, S, &mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
        assert_eq!(dynamic, value.value());
        let mut again = Vec::new();
        write_fixed(dynamic.normalized(), D, S, &mut CdrWriter::new(&mut again, ByteOrder::Big))
            .unwrap();
        assert_eq!(again, octets);
        octets
    }
    assert_eq!(octets::<5, 2>("123.45"), [0x12, 0x34, 0x5c]);
    assert_eq!(octets::<6, 3>("-123.456"), [0x01, 0x23, 0x45, 0x6d]);
    assert_eq!(octets::<6, 3>("0.007"), [0, 0, 0, 0x7c]);
    assert_eq!(octets::<1, 0>("-0"), [0x0c]);
    assert_eq!(octets::<31, 0>(NINES)[..2], [0x99, 0x99]);
    assert_eq!(Fixed::<5, 2>::type_code().digits_and_scale(), Ok((5, 2)));
    let mut out = Vec::new();
    let mut writer = CdrWriter::new(&mut out, ByteOrder::Big);
    for text in ["0.001", "1000"] {
        let error = write_fixed(fixed(text), 5, 2, &mut writer).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::BadFixed);
    }
}

#[test]
fn hostile_digits_are_refused() {
    let read = |octets: &[u8]| {
        <Fixed<6, 3>>::read(&mut CdrReader::new(octets, ByteOrder::Big)).map_err(|error| error.kind)
    };
    assert!(read(&[0x01, 0x23, 0x45, 0x6c]).is_ok());
    for octets in [
        [0x01, 0x23, 0x45, 0x60],
        [0x01, 0x23, 0x45, 0x6f],
        [0x01, 0x23, 0x45, 0xac],
        [0x01, 0x2a, 0x45, 0x6c],
        // A digit in the padding half-octet.
        [0x11, 0x23, 0x45, 0x6c],
    ] {
        assert_eq!(read(&octets), Err(CdrErrorKind::BadFixed), "{octets:x?}");
    }
    assert_eq!(read(&[0x01, 0x23, 0x45]), Err(CdrErrorKind::Truncated));
    let mut reader = CdrReader::new(&[0x0c; 40], ByteOrder::Big);
    assert_eq!(read_fixed(64, 0, &mut reader).unwrap_err().kind, CdrErrorKind::BadTypeCode);
}

#[test]
fn a_sequence_of_numbers_is_one_run() {
    type Price = Fixed<6, 3>;
    let prices: Vec<Price> = (-300..300).map(|number| Fixed::constant(number * 3_331)).collect();
    let mut octets = Vec::new();
    <Vec<Price>>::write(&prices, &mut CdrWriter::new(&mut octets, ByteOrder::Big)).unwrap();
    let mut one_by_one = vec![0, 0, 2, 88];
    let mut writer = CdrWriter::new(&mut one_by_one, ByteOrder::Big);
    prices.iter().try_for_each(|price| Price::write(price, &mut writer)).unwrap();
    assert_eq!(octets, one_by_one);
    let read = |octets: &[u8]| <Vec<Price>>::read(&mut CdrReader::new(octets, ByteOrder::Big));
    assert_eq!(read(&octets), Ok(prices));
    // An invalid digit, an invalid sign, and a digit too many.
    for (index, octet) in [(4 + 4 * 400 + 1, 0x1a), (4 + 4 * 400 + 3, 0x11), (4 + 4 * 400, 0x11)] {
        let mut bad = octets.clone();
        bad[index] = octet;
        let error = read(&bad).unwrap_err();
        assert_eq!((error.kind, error.offset), (CdrErrorKind::BadFixed, 4 + 4 * 401));
    }
    let cut = read(&octets[..octets.len() - 1]).unwrap_err();
    assert_eq!(cut.kind, CdrErrorKind::LengthBeyondEnd);
}
