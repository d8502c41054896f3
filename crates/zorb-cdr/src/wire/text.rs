//! Strings, wide text and bounds.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

impl Wire for String {
    type Value = Self;
    type View = str;
    type Borrowed<'a> = Cow<'a, str>;
    const MIN_SIZE: usize = 5;

    #[inline]
    fn view(value: &Self) -> &str {
        value
    }

    #[inline]
    fn write(value: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_str(value, u32::MAX)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_str(u32::MAX).map(Cow::into_owned)
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Cow<'a, str>> {
        reader.read_str(u32::MAX)
    }
}

/// The IDL type `wstring`; its values are `String`s.
#[derive(Clone, Copy, Debug)]
pub enum WString {}

impl Wire for WString {
    type Value = String;
    type View = str;
    type Borrowed<'a> = String;
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &String) -> &str {
        value
    }

    fn write(value: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_wstring(value, u32::MAX)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<String> {
        reader.read_wstring(u32::MAX)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<String> {
        reader.read_wstring(u32::MAX)
    }
}

/// The IDL type `wchar`; its values are `char`s.
#[derive(Clone, Copy, Debug)]
pub enum WChar {}

impl Wire for WChar {
    type Value = char;
    type View = char;
    type Borrowed<'a> = char;
    const MIN_SIZE: usize = 2;

    #[inline]
    fn view(value: &char) -> &char {
        value
    }

    fn write(value: &char, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_wchar(*value)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<char> {
        reader.read_wchar()
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<char> {
        reader.read_wchar()
    }
}

/// A type with a bound: `Bounded<String, 8>` is `string<8>`, `Bounded<Vec<i16>, 4>` is
/// `sequence<short, 4>`. The bound is checked on the way out and on the way in; it is not sent.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<T: ?Sized, const N: u32>(PhantomData<T>);

impl<const N: u32> Wire for Bounded<String, N> {
    type Value = String;
    type View = str;
    type Borrowed<'a> = Cow<'a, str>;
    const MIN_SIZE: usize = 5;

    #[inline]
    fn view(value: &String) -> &str {
        value
    }

    fn write(value: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_str(value, N)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<String> {
        reader.read_str(N).map(Cow::into_owned)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Cow<'a, str>> {
        reader.read_str(N)
    }
}

impl<const N: u32> Wire for Bounded<WString, N> {
    type Value = String;
    type View = str;
    type Borrowed<'a> = String;
    const MIN_SIZE: usize = 4;

    #[inline]
    fn view(value: &String) -> &str {
        value
    }

    fn write(value: &str, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_wstring(value, N)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<String> {
        reader.read_wstring(N)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<String> {
        reader.read_wstring(N)
    }
}

impl<T: Wire, const N: u32> Wire for Bounded<Vec<T>, N> {
    type Value = Vec<T::Value>;
    type View = [T::Value];
    type Borrowed<'a> = Vec<T::Value>;
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

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Vec<T::Value>> {
        let count = reader.read_count(T::MIN_SIZE, "sequence")?;
        if count > N as usize {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
        }
        T::read_vec(reader, count)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Vec<T::Value>> {
        Self::read(reader)
    }
}
