//! Wide strings in place.

use alloc::string::{String, ToString};
use core::fmt::{self, Write as _};

use super::{Position, VariablePositions, Viewed};
use crate::text::wide::{BYTE_ORDER_MARK, without_mark};
use crate::{Bounded, ByteOrder, CdrReader, CdrResult, CdrWriter, Number, WString, Wire};

/// A wide string that is read in place from received octets: UTF-16. [`chars`](Self::chars) decodes it, `to_string` copies it.
#[derive(Clone, Copy)]
pub struct WideStringView<'a> {
    units: &'a [[u8; 2]],
    order: ByteOrder,
}

impl<'a> WideStringView<'a> {
    /// Text with or without a byte-order mark.
    fn new(octets: &'a [u8]) -> Self {
        let (units, _) = octets.as_chunks();
        let (units, order) = without_mark(units);
        Self { units, order }
    }

    /// The UTF-16 code units.
    pub fn units(self) -> impl ExactSizeIterator<Item = u16> + Clone + 'a {
        self.units.iter().map(move |unit| u16::from_octets(*unit, self.order))
    }

    /// The characters.
    pub fn chars(self) -> impl Iterator<Item = char> + Clone + 'a {
        let decoded = char::decode_utf16(self.units());
        decoded.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Whether there are no characters.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.units.is_empty()
    }
}

impl fmt::Display for WideStringView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| f.write_char(character))
    }
}

impl fmt::Debug for WideStringView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

/// Equal text is equal in either byte order, with or without a byte-order mark.
impl PartialEq for WideStringView<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.units().eq(other.units())
    }
}

impl Eq for WideStringView<'_> {}

impl PartialEq<str> for WideStringView<'_> {
    fn eq(&self, other: &str) -> bool {
        self.units().eq(other.encode_utf16())
    }
}

impl PartialEq<&str> for WideStringView<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

macro_rules! wide_texts {
    ($([$($generics:tt)*] $type:ty, $bound:expr;)*) => {$(
        impl<$($generics)*> Viewed for $type {
            type ReadAs<'a> = WideStringView<'a>;
            type Positions<'a> = VariablePositions<'a, Self>;

            #[inline]
            fn read_at(position: Position<'_>) -> WideStringView<'_> {
                let (count, position) = position.counted();
                WideStringView::new(position.octets(count))
            }

            #[inline]
            fn after(position: Position<'_>) -> Position<'_> {
                let (count, position) = position.counted();
                position.skip(count)
            }

            #[inline]
            fn positions(position: Position<'_>, count: usize) -> VariablePositions<'_, Self> {
                VariablePositions::new(position, count)
            }

            fn value(read: WideStringView<'_>) -> String {
                read.to_string()
            }

            fn check(reader: &mut CdrReader<'_>) -> Option<()> {
                reader.check_wstring($bound)
            }

            fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                let text = <Self as Wire>::read(reader)?;
                let units = text.encode_utf16().count();
                writer.write_count(units.saturating_add(1).saturating_mul(2), "wstring")?;
                writer.put(&BYTE_ORDER_MARK.to_be_bytes());
                text.encode_utf16().for_each(|unit| writer.put(&unit.to_be_bytes()));
                Ok(())
            }
        }
    )*};
}

wide_texts! {
    [] WString, u32::MAX;
    [const N: u32] Bounded<WString, N>, N;
}
