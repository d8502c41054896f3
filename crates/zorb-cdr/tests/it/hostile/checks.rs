//! Properties of decoding that hold for all octets. Fuzz targets call the same function.

use std::fmt::Debug;

use zorb_cdr::{
    Bounded, ByteOrder, CdrReader, CdrResult, CdrWriter, CharSet, Octets, TextCoding, WChar,
    WString, WideForm, WideSet, Wire,
};

/// A recursive type as in generated code: `struct Node { long v; sequence<Node> kids; }`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    v: i32,
    kids: Vec<Self>,
}

impl Wire for Node {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 8;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        i32::write(&value.v, writer)?;
        <Vec<Self>>::write(&value.kids, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.descend("Node")?;
        let node = Self { v: i32::read(reader)?, kids: <Vec<Self>>::read(reader)? };
        reader.ascend();
        Ok(node)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

/// A struct without members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nothing;

impl Wire for Nothing {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 0;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(_: &Self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self)
    }

    fn read_borrowed<'a>(_: &mut CdrReader<'a>) -> CdrResult<Self> {
        Ok(Self)
    }
}

/// Decodes `octets` as values of many types. The first octet selects byte order, origin and text coding.
///
/// # Panics
/// When a decoded value changes in a round trip.
pub(crate) fn check_values(octets: &[u8]) {
    let Some((&choice, octets)) = octets.split_first() else { return };
    let text = TextCoding {
        char_set: if choice & 2 == 0 { CharSet::Latin1 } else { CharSet::Utf8 },
        wide_set: match choice >> 2 & 3 {
            0 => None,
            1 => Some(WideSet::Ucs2),
            _ => Some(WideSet::Utf16),
        },
        wide_form: match choice >> 4 & 3 {
            0 => WideForm::Absent,
            1 => WideForm::Units,
            _ => WideForm::Octets,
        },
    };
    let reader = CdrReader::new(octets, ByteOrder::from_flag(choice))
        .with_origin(usize::from(choice >> 5))
        .with_text(text);
    check::<bool>(&reader);
    check::<i64>(&reader);
    check::<char>(&reader);
    check::<WChar>(&reader);
    check::<String>(&reader);
    check::<WString>(&reader);
    check::<Octets>(&reader);
    check::<Vec<u64>>(&reader);
    check::<Vec<Vec<Nothing>>>(&reader);
    check::<Vec<bool>>(&reader);
    check::<Vec<char>>(&reader);
    check::<Vec<String>>(&reader);
    check::<Vec<WString>>(&reader);
    check::<Vec<Vec<Vec<i16>>>>(&reader);
    check::<Vec<[Bounded<Vec<i32>, 3>; 2]>>(&reader);
    check::<Bounded<String, 4>>(&reader);
    check::<Bounded<WString, 4>>(&reader);
    check::<Node>(&reader);
    let mut nested = reader.clone();
    while let Ok(inner) = nested.read_encapsulation() {
        nested = inner;
    }
}

fn check<T: Wire>(reader: &CdrReader<'_>)
where
    T::Value: Debug + PartialEq,
{
    let (mut reader, mut borrowing) = (reader.clone(), reader.clone());
    let value = T::read(&mut reader);
    assert_eq!(value.is_ok(), T::read_borrowed(&mut borrowing).is_ok());
    let Ok(value) = value else { return };
    assert_eq!(reader.offset(), borrowing.offset());
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut buffer = Vec::new();
        let mut writer = CdrWriter::new(&mut buffer, order).with_text(reader.text());
        T::write(T::view(&value), &mut writer).expect("what was read can be written");
        let mut again = CdrReader::new(&buffer, order).with_text(reader.text());
        assert_eq!(T::read(&mut again).as_ref(), Ok(&value));
        assert_eq!(again.remaining(), 0);
    }
}
