//! Strings, wide text, and bounded types.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Context, Wire};

/// A text type: its values are `String`s, its parameters `&str`. As in the standard, the bound counts the
/// octets of narrow text and the code units of wide text.
macro_rules! text {
    ($([$($generics:tt)*] $type:ty, $bound:expr, $borrowed:ty, $least:literal,
        $write:ident, $read:ident, $own:ident, $length:expr;)*) => {$(
        impl<$($generics)*> Wire for $type {
            type Value = String;
            type View = str;
            type Borrowed<'a> = $borrowed;
            const MIN_SIZE: usize = $least;

            #[inline]
            fn view(value: &String) -> &str {
                value
            }

            #[inline]
            fn write(value: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                writer.$write(value, $bound)
            }

            #[inline]
            fn passes_as_is(value: &str, _: &Context) -> bool {
                within(value, $bound, $length) && !value.as_bytes().contains(&0)
            }

            #[inline]
            fn read(reader: &mut CdrReader<'_>) -> CdrResult<String> {
                reader.step(4);
                let text = reader.$read($bound)?;
                $own(text, reader)
            }

            #[inline]
            fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<$borrowed> {
                reader.step(4);
                reader.$read($bound)
            }
        }
    )*};
}

/// Whether text is within its bound and fits into a message. No way of counting yields more than the
/// octets of UTF-8, so short text need not be counted.
#[inline]
fn within(value: &str, bound: u32, length: impl Fn(&str) -> usize) -> bool {
    // Two octets a code unit, and a terminating NUL or a byte-order mark.
    const ROOM: usize = (u32::MAX / 2) as usize - 2;
    value.len() <= ROOM && (value.len() <= bound as usize || length(value) <= bound as usize)
}

fn units(value: &str) -> usize {
    value.encode_utf16().count()
}

/// The octets of a narrow text up to which its copy is not charged, as that would slow down every call with text.
#[doc(hidden)] // for zorb-interp
pub const SHORT_TEXT: usize = 1024;

fn owned(text: Cow<'_, str>, reader: &mut CdrReader<'_>) -> CdrResult<String> {
    match text {
        Cow::Borrowed(text) if text.len() > SHORT_TEXT => reader.copied_text(text, "string"),
        Cow::Borrowed(text) => {
            let mut owned = String::new();
            let reserved = owned.try_reserve_exact(text.len());
            reserved.map_err(|_| reader.error(CdrErrorKind::OutOfMemory, "string"))?;
            owned.push_str(text);
            Ok(owned)
        }
        Cow::Owned(text) => Ok(text),
    }
}

impl CdrReader<'_> {
    /// [Text](Self::read_str) in memory of its own.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn own_text(&mut self, text: Cow<'_, str>) -> CdrResult<String> {
        owned(text, self)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as `owned`")]
fn as_is(text: String, _: &mut CdrReader<'_>) -> CdrResult<String> {
    Ok(text)
}

/// The IDL type `wstring`; its values are `String`s.
#[derive(Clone, Copy, Debug)]
pub enum WString {}

/// A bounded type: `Bounded<String, 8>` is `string<8>`, `Bounded<Vec<i16>, 4>` is `sequence<short, 4>`.
/// Writing and reading check the bound, which is not sent.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<T: ?Sized, const N: u32>(PhantomData<T>);

text! {
    [] String, u32::MAX, Cow<'a, str>, 5, write_str, read_str, owned, str::len;
    [const N: u32] Bounded<String, N>, N, Cow<'a, str>, 5, write_str, read_str, owned, str::len;
    [] WString, u32::MAX, String, 4, write_wstring, read_wstring, as_is, units;
    [const N: u32] Bounded<WString, N>, N, String, 4, write_wstring, read_wstring, as_is, units;
}

/// The IDL type `wchar`; its values are `char`s.
#[derive(Clone, Copy, Debug)]
pub enum WChar {}

impl Wire for WChar {
    type Value = char;
    type View = char;
    type Borrowed<'a> = char;
    const MIN_SIZE: usize = 2;
    const ALWAYS_AS_IS: bool = true;

    #[inline]
    fn view(value: &char) -> &char {
        value
    }

    fn write(value: &char, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_wchar(*value)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<char> {
        reader.step(1);
        reader.read_wchar()
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<char> {
        reader.step(1);
        reader.read_wchar()
    }
}

impl<T: Wire, const N: u32> Wire for Bounded<Vec<T>, N> {
    type Value = Vec<T::Value>;
    type View = [T::Value];
    type Borrowed<'a> = Cow<'a, [T::Value]>;
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &Vec<T::Value>) -> &[T::Value] {
        value
    }

    fn write(value: &[T::Value], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if value.len() > N as usize {
            return Err(writer.error(CdrErrorKind::BoundExceeded, "sequence"));
        }
        <Vec<T>>::write(value, writer)
    }

    #[inline]
    fn passes_as_is(value: &[T::Value], context: &Context) -> bool {
        value.len() <= N as usize && <Vec<T>>::passes_as_is(value, context)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Vec<T::Value>> {
        let count = bounded_count::<T>(reader, N)?;
        T::read_vec(reader, count)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Cow<'a, [T::Value]>> {
        let count = bounded_count::<T>(reader, N)?;
        T::read_elements(reader, count)
    }
}

/// The element count of a sequence of at most `bound` elements.
fn bounded_count<T: Wire>(reader: &mut CdrReader<'_>, bound: u32) -> CdrResult<usize> {
    reader.step(4);
    let count = reader.read_count(T::MIN_SIZE, "sequence")?;
    if count > bound as usize {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
    }
    Ok(count)
}
