//! Values survive a round trip in both byte orders, at every offset, in every code set and form.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use zorb_cdr::{
    Bounded, ByteOrder, CdrReader, CdrWriter, CharSet, Octets, TextCoding, WChar, WString,
    WideForm, WideSet, Wire,
};

fn config() -> Config {
    Config {
        cases: 48,
        rng_seed: RngSeed::Fixed(0x5a42),
        failure_persistence: None,
        ..Config::default()
    }
}

fn coding(char_set: CharSet, wide_form: WideForm) -> TextCoding {
    TextCoding { char_set, wide_set: Some(WideSet::Utf16), wide_form }
}

/// Writes and reads `value` in every setting, and checks that every truncated stream fails.
fn survives<T: Wire>(value: &T::Value, text: TextCoding) -> Result<(), TestCaseError>
where
    T::Value: PartialEq + std::fmt::Debug,
{
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for start in 0..8 {
            let mut buffer = vec![0xaa; start];
            let mut writer = CdrWriter::resume(&mut buffer, order).with_text(text);
            T::write(T::view(value), &mut writer)
                .map_err(|e| TestCaseError::fail(e.to_string()))?;
            let octets = &buffer[start..];
            prop_assert!(octets.len() >= T::MIN_SIZE);
            let reader = |octets| CdrReader::new(octets, order).with_origin(start).with_text(text);
            let mut whole = reader(octets);
            prop_assert_eq!(&T::read(&mut whole).unwrap(), value);
            prop_assert_eq!(whole.remaining(), 0);
            for length in 0..octets.len() {
                prop_assert!(T::read(&mut reader(&octets[..length])).is_err());
            }
        }
    }
    Ok(())
}

fn latin1() -> impl Strategy<Value = String> {
    proptest::collection::vec(1_u8..=255, 0..12)
        .prop_map(|octets| octets.into_iter().map(char::from).collect())
}

fn unicode() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>().prop_filter("NUL", |&c| c != '\0'), 0..12)
        .prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn numbers(a: u8, b: i16, c: u32, d: i64, e: bool) {
        let text = TextCoding::default();
        survives::<u8>(&a, text)?;
        survives::<i16>(&b, text)?;
        survives::<u16>(&b.cast_unsigned(), text)?;
        survives::<u32>(&c, text)?;
        survives::<i32>(&c.cast_signed(), text)?;
        survives::<i64>(&d, text)?;
        survives::<u64>(&d.cast_unsigned(), text)?;
        survives::<f32>(&f32::from(b), text)?;
        survives::<f64>(&(f64::from(c) / 3.0), text)?;
        survives::<bool>(&e, text)?;
    }

    #[test]
    fn number_sequences(a: Vec<u8>, b in proptest::collection::vec(any::<i16>(), 0..9),
                        c in proptest::collection::vec(any::<u64>(), 0..9), d: [i32; 3]) {
        let text = TextCoding::default();
        survives::<Octets>(&a, text)?;
        survives::<Vec<u8>>(&a, text)?;
        survives::<Vec<i16>>(&b, text)?;
        survives::<Bounded<Vec<i16>, 8>>(&b, text)?;
        survives::<Vec<u64>>(&c, text)?;
        survives::<[i32; 3]>(&d, text)?;
        survives::<Vec<[i32; 3]>>(&vec![d; b.len()], text)?;
        survives::<Vec<bool>>(&b.iter().map(|&b| b > 0).collect(), text)?;
        survives::<[[i16; 2]; 2]>(&[[1, 2], [3, d[0] as i16]], text)?;
    }

    #[test]
    fn narrow_text(latin in latin1(), text in unicode()) {
        let form = WideForm::Octets;
        survives::<String>(&latin, coding(CharSet::Latin1, form))?;
        survives::<String>(&latin, coding(CharSet::Utf8, form))?;
        survives::<String>(&text, coding(CharSet::Utf8, form))?;
        survives::<Vec<String>>(&vec![text.clone(), String::new(), text], coding(CharSet::Utf8, form))?;
        survives::<Vec<char>>(&latin.chars().collect(), coding(CharSet::Latin1, form))?;
    }

    #[test]
    fn wide_text(text in unicode(), character: char) {
        for form in [WideForm::Units, WideForm::Octets] {
            let coding = coding(CharSet::Latin1, form);
            survives::<WString>(&text, coding)?;
            survives::<Vec<WString>>(&vec![text.clone(), String::new()], coding)?;
            if character.len_utf16() == 1 || form == WideForm::Octets {
                survives::<WChar>(&character, coding)?;
                survives::<Vec<WChar>>(&vec![character; 3], coding)?;
            }
        }
    }
}
