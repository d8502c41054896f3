//! Strings and octets in place.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;

use super::{Position, VariablePositions, Viewed};
use crate::{Bounded, CdrReader, CdrResult, CdrWriter, Octets, Wire};

macro_rules! texts {
    ($([$($generics:tt)*] $type:ty, $bound:expr;)*) => {$(
        impl<$($generics)*> Viewed for $type {
            type ReadAs<'a> = &'a str;
            type Positions<'a> = VariablePositions<'a, Self>;

            #[inline]
            fn read_at(position: Position<'_>) -> &str {
                let (count, position) = position.counted();
                // Without the NUL at its end. Only unsafe code could do without the second check.
                let octets = position.octets(count.saturating_sub(1));
                core::str::from_utf8(octets).unwrap_or_default()
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

            fn value(read: &str) -> String {
                read.to_owned()
            }

            #[inline]
            fn check(reader: &mut CdrReader<'_>) -> Option<()> {
                matches!(reader.read_str($bound), Ok(Cow::Borrowed(_))).then_some(())
            }

            fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                let text = <Self as Wire>::read_borrowed(reader)?;
                writer.write_count(text.len().saturating_add(1), "string")?;
                writer.put(text.as_bytes());
                writer.write_u8(0);
                Ok(())
            }
        }
    )*};
}

texts! {
    [] String, u32::MAX;
    [const N: u32] Bounded<String, N>, N;
}

macro_rules! octets {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Viewed for $type {
            type ReadAs<'a> = &'a [u8];
            type Positions<'a> = VariablePositions<'a, Self>;

            #[inline]
            fn read_at(position: Position<'_>) -> &[u8] {
                let (count, position) = position.counted();
                position.octets(count)
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

            fn value(read: &[u8]) -> Vec<u8> {
                read.to_owned()
            }

            #[inline]
            fn check(reader: &mut CdrReader<'_>) -> Option<()> {
                <Self as Wire>::read_borrowed(reader).is_ok().then_some(())
            }

            fn copy(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                writer.write_octets(&<Self as Wire>::read(reader)?)
            }
        }
    )*};
}

octets! {
    [] Octets;
    [const N: u32] Bounded<Octets, N>;
}
