//! The encoding of what a repository stores: encapsulations (CORBA 3.3 part 2, 9.3.3) of IDL structs, with text in UTF-8.

use zorb::cdr::{ByteOrder, TextCoding};
use zorb::{CdrReader, CdrResult, CdrWriter, Wire};

/// The octets of a value.
///
/// # Errors
/// Text contains NUL, or there is no memory.
pub(super) fn to_octets<T: Wire>(value: &T::View) -> CdrResult<Vec<u8>> {
    let order = ByteOrder::Little;
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, order).with_text(TextCoding::UNICODE);
    writer.write_u8(order.flag());
    T::write(value, &mut writer)?;
    writer.finish()?;
    Ok(octets)
}

/// The value of these octets, all of them.
///
/// # Errors
/// They are not those of such a value.
pub(super) fn from_octets<T: Wire>(octets: &[u8]) -> CdrResult<T::Value> {
    let mut reader = CdrReader::for_encapsulation(octets)?.with_text(TextCoding::UNICODE);
    let value = T::read(&mut reader)?;
    reader.expect_end("a stored value")?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use zorb::CdrErrorKind;

    use super::*;

    /// A value whose last number has no room in memory.
    #[derive(Clone)]
    struct Huge;

    impl Wire for Huge {
        type Value = Self;
        type View = Self;
        type Borrowed<'a> = Self;
        const MIN_SIZE: usize = 1;

        fn view(value: &Self) -> &Self {
            value
        }

        fn write(_: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
            writer.reserve(usize::MAX);
            Ok(())
        }

        fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
            Ok(Self)
        }

        fn read_borrowed<'a>(_: &mut CdrReader<'a>) -> CdrResult<Self> {
            Ok(Self)
        }
    }

    #[test]
    fn a_value_without_memory_is_an_error() {
        let octets = to_octets::<Huge>(&Huge);
        assert_eq!(octets.map_err(|error| error.kind), Err(CdrErrorKind::OutOfMemory));
    }
}
