//! Types with both kinds of code, and values of them by seed.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{Bounded, Octets, WString};

use crate::Tabled;

/// A source of numbers.
pub(super) struct Seed(u64);

impl Seed {
    pub(super) fn new(seed: u32) -> Self {
        Self(u64::from(seed) + 1)
    }

    /// A number (splitmix64).
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A type with values by seed.
pub(super) trait Sample: Tabled {
    fn sample(seed: &mut Seed) -> Self::Value;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            fn sample(seed: &mut Seed) -> Self {
                seed.next() as Self
            }
        }
    )*};
}

numbers!(u8 i8 i16 u16 i32 u32 i64 u64 f32 f64);

impl Sample for bool {
    fn sample(seed: &mut Seed) -> Self {
        seed.below(2) == 1
    }
}

impl Sample for char {
    fn sample(seed: &mut Seed) -> Self {
        Self::from_u32(seed.below(140) as u32).unwrap()
    }
}

/// Text of up to `most` characters, rarely with one that is not ASCII or a NUL.
fn text(seed: &mut Seed, most: usize) -> String {
    let others = seed.below(8) == 0;
    (0..seed.below(most + 1))
        .map(|_| if others { char::sample(seed) } else { char::from(b'a' + seed.below(26) as u8) })
        .collect()
}

impl Sample for String {
    fn sample(seed: &mut Seed) -> Self {
        text(seed, 12)
    }
}

impl<const N: u32> Sample for Bounded<String, N> {
    fn sample(seed: &mut Seed) -> String {
        // Rarely one more than allowed.
        let more = usize::from(seed.below(8) == 0);
        text(seed, N as usize + more)
    }
}

impl Sample for WString {
    fn sample(seed: &mut Seed) -> String {
        text(seed, 5).replace('\0', "x")
    }
}

impl Sample for Octets {
    fn sample(seed: &mut Seed) -> Vec<u8> {
        (0..seed.below(9)).map(|_| u8::sample(seed)).collect()
    }
}

impl Sample for super::Map {
    fn sample(seed: &mut Seed) -> Self {
        (0..seed.below(4)).map(|_| (i16::sample(seed), text(seed, 3))).collect()
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample(seed: &mut Seed) -> Vec<T::Value> {
        (0..seed.below(4)).map(|_| T::sample(seed)).collect()
    }
}

impl<T: Sample, const N: u32> Sample for Bounded<Vec<T>, N> {
    fn sample(seed: &mut Seed) -> Vec<T::Value> {
        let more = usize::from(seed.below(8) == 0);
        (0..seed.below(N as usize + 1 + more)).map(|_| T::sample(seed)).collect()
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(seed: &mut Seed) -> [T::Value; N] {
        core::array::from_fn(|_| T::sample(seed))
    }
}

/// A struct with the `Wire` implementation that generated code has, and with a table. It begins with `numbers` if that is
/// all that it has.
macro_rules! record {
    (numbers $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        crate::memory::tests::samples::record! {
            @ [#[repr(C)]] $name { $($field: $type),* }
            crate::struct_numbers!($name { $($field: $type),* })
        }
    };
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        crate::memory::tests::samples::record! { @ [] $name { $($field: $type),* } }
    };
    (@ [$(#[$repr:meta])?] $name:ident { $($field:ident: $type:ty),* } $($numbers:expr)?) => {
        #[derive(Clone, Debug)]
        $(#[$repr])?
        struct $name { $($field: <$type as zorb_cdr::Wire>::Value),* }

        impl zorb_cdr::Wire for $name {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = 0 $(+ <$type as zorb_cdr::Wire>::MIN_SIZE)*;
            const LAYOUT: Option<zorb_cdr::FixedLayout> =
                zorb_cdr::FixedLayout::members(&[$(<$type as zorb_cdr::Wire>::LAYOUT),*]);
            $(const IN_MEMORY: Option<zorb_cdr::InMemory<Self>> = $numbers.in_memory();)?

            fn view(value: &Self) -> &Self {
                value
            }

            fn write(
                value: &Self,
                writer: &mut zorb_cdr::CdrWriter<'_>,
            ) -> zorb_cdr::CdrResult<()> {
                $(<$type>::write(<$type>::view(&value.$field), writer)?;)*
                Ok(())
            }

            fn read(reader: &mut zorb_cdr::CdrReader<'_>) -> zorb_cdr::CdrResult<Self> {
                Ok(Self { $($field: <$type>::read(reader)?),* })
            }

            fn read_borrowed<'a>(
                reader: &mut zorb_cdr::CdrReader<'a>,
            ) -> zorb_cdr::CdrResult<Self> {
                Self::read(reader)
            }

            fn write_fixed(
                value: &Self,
                writer: &mut zorb_cdr::FixedWriter<'_>,
            ) -> Option<()> {
                $(<$type>::write_fixed(&value.$field, writer)?;)*
                Some(())
            }

            fn read_fixed(reader: &mut zorb_cdr::FixedReader<'_>) -> Option<Self> {
                Some(Self { $($field: <$type>::read_fixed(reader)?),* })
            }
        }

        impl crate::Tabled for $name {
            const TABLE: crate::Table<Self> = crate::struct_table!($name { $($field: $type),* });
            $(const NUMBERS: crate::Numbers<Self> = $numbers;)?

            fn operand<'v>(view: &'v &'v Self) -> crate::Operand<'v> {
                crate::Operand::value::<Self>(view)
            }
        }

        impl crate::memory::tests::samples::Sample for $name {
            fn sample(seed: &mut crate::memory::tests::samples::Seed) -> Self {
                Self {
                    $($field: <$type as crate::memory::tests::samples::Sample>::sample(seed)),*
                }
            }
        }
    };
}

/// An enum with the `Wire` implementation that generated code has, and with a table.
macro_rules! enumeration {
    ($name:ident { $($variant:ident),* }) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(u32)]
        enum $name { $($variant),* }

        impl $name {
            const ALL: &[Self] = &[$(Self::$variant),*];
        }

        impl zorb_cdr::Wire for $name {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = 4;
            const LAYOUT: Option<zorb_cdr::FixedLayout> = u32::LAYOUT;

            fn view(value: &Self) -> &Self {
                value
            }

            fn write(
                value: &Self,
                writer: &mut zorb_cdr::CdrWriter<'_>,
            ) -> zorb_cdr::CdrResult<()> {
                writer.write_u32(*value as u32);
                Ok(())
            }

            fn read(reader: &mut zorb_cdr::CdrReader<'_>) -> zorb_cdr::CdrResult<Self> {
                let value = u32::read(reader)?;
                let found = Self::ALL.get(value as usize).copied();
                found.ok_or_else(|| {
                    reader.error(zorb_cdr::CdrErrorKind::BadEnum, stringify!($name))
                })
            }

            fn read_borrowed<'a>(
                reader: &mut zorb_cdr::CdrReader<'a>,
            ) -> zorb_cdr::CdrResult<Self> {
                Self::read(reader)
            }

            fn write_fixed(
                value: &Self,
                writer: &mut zorb_cdr::FixedWriter<'_>,
            ) -> Option<()> {
                u32::write_fixed(&(*value as u32), writer)
            }

            fn read_fixed(reader: &mut zorb_cdr::FixedReader<'_>) -> Option<Self> {
                let value = u32::read_fixed(reader)?;
                let found = Self::ALL.get(value as usize).copied();
                reader.refuse(found.is_none());
                Some(found.unwrap_or(Self::ALL[0]))
            }
        }

        impl crate::Tabled for $name {
            const TABLE: crate::Table<Self> =
                crate::enum_table!($name "Color" { $($variant),* });

            fn operand<'v>(view: &'v &'v Self) -> crate::Operand<'v> {
                crate::Operand::value::<Self>(view)
            }
        }

        impl crate::memory::tests::samples::Sample for $name {
            fn sample(seed: &mut crate::memory::tests::samples::Seed) -> Self {
                Self::ALL[seed.below(Self::ALL.len())]
            }
        }
    };
}

pub(super) use {enumeration, record};
