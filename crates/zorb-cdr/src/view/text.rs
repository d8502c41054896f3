//! Strings and octets in place.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;

use super::{Place, Viewed, Walk};
use crate::{Bounded, CdrReader, CdrResult, CdrWriter, Octets, Wire};

macro_rules! texts {
    ($([$($generics:tt)*] $type:ty, $bound:expr;)*) => {$(
        impl<$($generics)*> Viewed for $type {
            type Seen<'a> = &'a str;
            type Places<'a> = Walk<'a, Self>;

            #[inline]
            fn see(place: Place<'_>) -> &str {
                let (count, place) = place.counted();
                // Without the NUL at its end. Only unsafe code could do without the second check.
                let octets = place.octets(count.saturating_sub(1));
                core::str::from_utf8(octets).unwrap_or_default()
            }

            #[inline]
            fn behind(place: Place<'_>) -> Place<'_> {
                let (count, place) = place.counted();
                place.skip(count)
            }

            #[inline]
            fn places(place: Place<'_>, count: usize) -> Walk<'_, Self> {
                Walk::new(place, count)
            }

            fn value(seen: &str) -> String {
                seen.to_owned()
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
            type Seen<'a> = &'a [u8];
            type Places<'a> = Walk<'a, Self>;

            #[inline]
            fn see(place: Place<'_>) -> &[u8] {
                let (count, place) = place.counted();
                place.octets(count)
            }

            #[inline]
            fn behind(place: Place<'_>) -> Place<'_> {
                let (count, place) = place.counted();
                place.skip(count)
            }

            #[inline]
            fn places(place: Place<'_>, count: usize) -> Walk<'_, Self> {
                Walk::new(place, count)
            }

            fn value(seen: &[u8]) -> Vec<u8> {
                seen.to_owned()
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
