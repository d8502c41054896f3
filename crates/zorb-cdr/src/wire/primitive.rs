//! Numbers, octets, booleans and characters.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use zerocopy::{FromBytes, IntoBytes};

use crate::writer::BLOCK;
use crate::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Context, FixedLayout,
    FixedReader, FixedWriter, Gathered, Number, Wire,
};

macro_rules! number {
    ($($type:ty, $read:ident, $write:ident, $is_float:literal, $what:literal;)*) => {$(
        impl Wire for $type {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = size_of::<Self>();
            const LAYOUT: Option<FixedLayout> = Some(FixedLayout::number(size_of::<Self>()));
            const ALWAYS_AS_IS: bool = true;

            #[inline]
            fn view(value: &Self) -> &Self {
                value
            }

            #[inline]
            fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                writer.$write(*value);
                Ok(())
            }

            #[inline]
            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                reader.step(size_of::<Self>());
                reader.$read()
            }

            #[inline]
            fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
                reader.step(size_of::<Self>());
                reader.$read()
            }

            #[inline]
            fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
                writer.put(value.to_octets(writer.order()))
            }

            #[inline]
            fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
                let octets = reader.take()?;
                Some(Self::from_octets(octets, reader.order()))
            }

            #[inline]
            fn write_fixed_array(values: &[Self], writer: &mut FixedWriter<'_>) -> Option<()> {
                let order = writer.order();
                let numbers = writer.reserve(values.len())?;
                for (number, value) in numbers.iter_mut().zip(values) {
                    *number = value.to_octets(order);
                }
                Some(())
            }

            #[inline]
            fn read_fixed_array<const N: usize>(reader: &mut FixedReader<'_>) -> Option<[Self; N]> {
                let order = reader.order();
                let octets: &[_; N] = reader.take_many(N)?.first_chunk()?;
                Some(octets.map(|octets| Self::from_octets(octets, order)))
            }

            fn write_slice(values: &[Self], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                if values.is_empty() {
                    return Ok(());
                }
                writer.align(size_of::<Self>());
                if writer.order() == ByteOrder::NATIVE {
                    writer.put_many(values.as_bytes(), Gathered::Run, $what)?;
                } else {
                    writer.reserve_capacity(size_of_val(values), $what)?;
                    let order = writer.order();
                    let octets = writer.reserve(size_of_val(values));
                    let (numbers, _) = octets.as_chunks_mut::<{ size_of::<Self>() }>();
                    for (number, value) in numbers.iter_mut().zip(values) {
                        *number = value.to_octets(order);
                    }
                }
                Ok(())
            }

            fn read_vec(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<Self>> {
                if count == 0 {
                    return Ok(Vec::new());
                }
                reader.step(size_of::<Self>());
                reader.align(size_of::<Self>());
                let length = count.saturating_mul(size_of::<Self>());
                if reader.is_in_chunks() && length > reader.remaining()
                    || size_of::<Self>() > 1 && reader.is_aligned_per_part()
                {
                    return read_each::<Self>(reader, count);
                }
                let octets = reader.take(length, $what)?;
                if size_of::<Self>() == 8 && !reader.is_evenly_aligned() {
                    reader.note_numbers(octets, $is_float);
                }
                let (elements, _) = octets.as_chunks::<{ size_of::<Self>() }>();
                let mut values = reader.vector(elements.len(), $what)?;
                match reader.order() {
                    ByteOrder::Little => {
                        values.extend(elements.iter().map(|e| Self::from_le_bytes(*e)));
                    }
                    ByteOrder::Big => {
                        values.extend(elements.iter().map(|e| Self::from_be_bytes(*e)));
                    }
                }
                Ok(values)
            }

            fn read_elements<'a>(
                reader: &mut CdrReader<'a>,
                count: usize,
            ) -> CdrResult<Cow<'a, [Self]>> {
                if reader.order() == ByteOrder::NATIVE
                    && count > 0
                    && reader.is_evenly_aligned()
                {
                    let mut ahead = reader.clone();
                    ahead.step(size_of::<Self>());
                    ahead.align(size_of::<Self>());
                    let octets = ahead.take(count.saturating_mul(size_of::<Self>()), $what);
                    if let Ok(octets) = octets
                        && let Ok(elements) = <[Self]>::ref_from_bytes(octets)
                    {
                        *reader = ahead;
                        return Ok(Cow::Borrowed(elements));
                    }
                }
                Self::read_vec(reader, count).map(Cow::Owned)
            }
        }
    )*};
}

number! {
    u8, read_u8, write_u8, false, "sequence<octet>";
    i8, read_i8, write_i8, false, "sequence<int8>";
    i16, read_i16, write_i16, false, "sequence<short>";
    u16, read_u16, write_u16, false, "sequence<unsigned short>";
    i32, read_i32, write_i32, false, "sequence<long>";
    u32, read_u32, write_u32, false, "sequence<unsigned long>";
    i64, read_i64, write_i64, false, "sequence<long long>";
    u64, read_u64, write_u64, false, "sequence<unsigned long long>";
    f32, read_f32, write_f32, true, "sequence<float>";
    f64, read_f64, write_f64, true, "sequence<double>";
}

impl Wire for bool {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 1;
    const LAYOUT: Option<FixedLayout> = Some(FixedLayout::number(1));
    const ALWAYS_AS_IS: Self = true;

    #[inline]
    fn view(value: &Self) -> &Self {
        value
    }

    #[inline]
    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_bool(*value);
        Ok(())
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.step(1);
        reader.read_bool()
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        reader.step(1);
        reader.read_bool()
    }

    #[inline]
    fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
        writer.put([u8::from(*value)])
    }

    #[inline]
    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
        let [octet] = reader.take()?;
        reader.refuse(octet > 1);
        Some(octet == 1)
    }

    fn write_slice(values: &[Self], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.reserve_capacity(values.len(), "sequence<boolean>")?;
        writer.put(values.as_bytes());
        Ok(())
    }

    fn read_vec(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<Self>> {
        reader.step(1);
        let octets = reader.rest().get(..count).unwrap_or_default();
        if octets.len() < count || octets.iter().fold(0, |all, octet| all | octet) > 1 {
            // One by one, to find which one fails.
            return read_each::<Self>(reader, count);
        }
        reader.take(count, "sequence<boolean>")?;
        let mut values = reader.vector(count, "sequence<boolean>")?;
        values.extend(octets.iter().map(|octet| *octet == 1));
        Ok(values)
    }
}

impl Wire for char {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 1;
    const LAYOUT: Option<FixedLayout> = Some(FixedLayout::number(1));

    #[inline]
    fn view(value: &Self) -> &Self {
        value
    }

    #[inline]
    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_char(*value)
    }

    #[inline]
    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.step(1);
        reader.read_char()
    }

    #[inline]
    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        reader.step(1);
        reader.read_char()
    }

    #[inline]
    fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
        writer.put_char(*value)
    }

    #[inline]
    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
        reader.take_char()
    }

    #[inline]
    fn passes_as_is(value: &Self, _: &Context) -> bool {
        value.is_ascii()
    }

    fn write_slice(values: &[Self], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.reserve_capacity(values.len(), "sequence<char>")?;
        for block in values.chunks(BLOCK) {
            // One octet carries the characters below a power of two.
            let all = block.iter().fold(0, |all, value| all | u32::from(*value));
            if all > u32::from(writer.text().last_char()) {
                // One by one, to find which one fails.
                block.iter().try_for_each(|value| writer.write_char(*value))?;
                continue;
            }
            let octets = writer.reserve(block.len());
            for (octet, value) in octets.iter_mut().zip(block) {
                *octet = *value as u8;
            }
        }
        Ok(())
    }

    fn read_vec(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<Self>> {
        reader.step(1);
        if reader.is_in_chunks() && count > reader.remaining() {
            return read_each::<Self>(reader, count);
        }
        let octets = reader.take(count, "sequence<char>")?;
        // In UTF-8, only ASCII has one octet a character.
        if reader.text().char_set == CharSet::Utf8 && !octets.is_ascii() {
            return Err(reader.error(CdrErrorKind::BadText, "sequence<char>"));
        }
        let mut values = reader.vector(count, "sequence<char>")?;
        values.extend(octets.iter().copied().map(Self::from));
        Ok(values)
    }
}

/// Reads elements one by one, since they span several chunks of a value or parts of a message.
#[cold]
fn read_each<T: Wire>(reader: &mut CdrReader<'_>, count: usize) -> CdrResult<Vec<T::Value>> {
    if count.saturating_mul(T::MIN_SIZE) > reader.remaining_in_all() {
        return Err(reader.error(CdrErrorKind::Truncated, "sequence"));
    }
    let mut values = reader.vector(count, "sequence")?;
    for _ in 0..count {
        values.push(T::read(reader)?);
    }
    Ok(values)
}
