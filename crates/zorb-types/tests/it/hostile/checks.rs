//! Properties of decoding that hold for all octets. Fuzz targets call the same functions.

use zorb_cdr::{
    Bounded, ByteOrder, CdrErrorKind, CdrReader, CdrWriter, CharSet, TextCoding, WString, WideForm,
    WideSet, Wire,
};
use zorb_types::{Any, SystemException, TypeCode};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// The settings that the first octet selects, and the other octets.
fn reader(octets: &[u8]) -> Option<CdrReader<'_>> {
    let (&choice, octets) = octets.split_first()?;
    let text = TextCoding {
        char_set: if choice & 2 == 0 { CharSet::Latin1 } else { CharSet::Utf8 },
        wide_set: if choice & 4 == 0 { Some(WideSet::Utf16) } else { None },
        wide_form: match choice >> 3 & 3 {
            0 | 1 => WideForm::Octets,
            2 => WideForm::Units,
            _ => WideForm::Absent,
        },
    };
    Some(
        CdrReader::new(octets, ByteOrder::from_flag(choice))
            .with_origin(usize::from(choice >> 5))
            .with_text(text),
    )
}

/// Decodes `octets` as a TypeCode and as a system exception.
///
/// # Panics
/// When a decoded value changes in a round trip.
pub(crate) fn check_type_code(octets: &[u8]) {
    let Some(mut reader) = reader(octets) else { return };
    if let Ok(exception) = SystemException::read(&mut reader.clone()) {
        assert!(exception.to_string().starts_with(exception.kind.name()));
    }
    let Ok(type_code) = TypeCode::read(&mut reader) else { return };
    assert_eq!(type_code, type_code.clone());
    assert!(!type_code.to_string().is_empty());
    for index in 0..type_code.member_count() {
        assert!(type_code.member_name(index).is_ok());
        let _ = type_code.member_type(index).map(|member| member.to_string());
    }
    for order in ORDERS {
        let mut buffer = Vec::new();
        TypeCode::write(&type_code, &mut CdrWriter::new(&mut buffer, order))
            .expect("what was read can be written");
        assert!(buffer.len() <= 4 * octets.len() + 4);
        let again = TypeCode::read(&mut CdrReader::new(&buffer, order)).expect("and read again");
        assert_eq!(again, type_code);
        assert!(again.equivalent(&type_code));
    }
}

/// Decodes `octets` as an any.
///
/// # Panics
/// When a decoded value changes in a round trip.
pub(crate) fn check_any(octets: &[u8]) {
    let Some(mut reader) = reader(octets) else { return };
    let text = reader.text();
    let Ok(any) = Any::read(&mut reader) else { return };
    assert!(!format!("{any:?}").is_empty());
    let _ = any.get::<bool>();
    let _ = any.get::<Vec<String>>();
    let _ = any.get::<WString>();
    let _ = any.get::<Bounded<Vec<Any>, 3>>();
    for order in ORDERS {
        for start in [0, 3] {
            let mut buffer = vec![0; start];
            let mut writer = CdrWriter::resume(&mut buffer, order).with_text(text);
            if let Err(error) = Any::write(&any, &mut writer) {
                // A value of a type that is not known here can be read, but not written in another form.
                assert_eq!(error.kind, CdrErrorKind::UnknownValue);
                continue;
            }
            let mut reader =
                CdrReader::new(&buffer[start..], order).with_origin(start).with_text(text);
            assert_eq!(Any::read(&mut reader).as_ref(), Ok(&any));
            assert_eq!(reader.remaining(), 0);
        }
    }
}
