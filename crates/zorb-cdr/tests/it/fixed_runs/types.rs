//! Types as in generated code, and the same types without a layout.

use std::marker::PhantomData;

use zorb_cdr::{
    CdrErrorKind, CdrReader, CdrResult, CdrWriter, FixedLayout, FixedReader, FixedSize,
    FixedWriter, Position, Validity, Wire,
};

/// `T` without its layout.
pub(crate) struct Plain<T>(PhantomData<T>);

impl<T: Wire> Wire for Plain<T> {
    type Value = T::Value;
    type View = T::View;
    type Borrowed<'a> = T::Value;
    const MIN_SIZE: usize = T::MIN_SIZE;

    fn view(value: &T::Value) -> &T::View {
        T::view(value)
    }

    fn write(value: &T::View, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        T::write(value, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<T::Value> {
        T::read(reader)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<T::Value> {
        T::read(reader)
    }
}

macro_rules! structure {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {$(
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name {
            $(pub(crate) $field: <$type as Wire>::Value,)*
        }

        impl Wire for $name {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = 0 $(+ <$type>::MIN_SIZE)*;
            const LAYOUT: Option<FixedLayout> = FixedLayout::members(&[$(<$type>::LAYOUT),*]);

            fn view(value: &Self) -> &Self {
                value
            }

            fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                $(<$type>::write(<$type>::view(&value.$field), writer)?;)*
                Ok(())
            }

            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                Ok(Self { $($field: <$type>::read(reader)?),* })
            }

            fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
                Self::read(reader)
            }

            fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
                $(<$type>::write_fixed(&value.$field, writer)?;)*
                Some(())
            }

            fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
                Some(Self { $($field: <$type>::read_fixed(reader)?),* })
            }
        }

        impl $name {
            /// The members before each one.
            const BEFORE: [FixedLayout; [$(stringify!($field)),*].len()] =
                FixedLayout::before_each([$(<$type as FixedSize>::FIXED),*]);
        }

        impl FixedSize for $name {
            type InPlace<'a> = Position<'a>;
            const FIXED: FixedLayout = FixedLayout::consecutive(&[$(<$type as FixedSize>::FIXED),*]);
            const VALIDITY: Validity =
                Validity::of_all(&[$(<$type as FixedSize>::VALIDITY),*]);

            fn in_place(position: Position<'_>) -> Position<'_> {
                position
            }

            fn owned(position: Position<'_>) -> Self {
                let mut before = Self::BEFORE.iter();
                let mut next = || position.after(before.next().expect("one for each member"));
                Self { $($field: <$type as FixedSize>::owned(<$type>::in_place(next()))),* }
            }

            fn is_valid(position: Position<'_>, last_char: u8) -> bool {
                let mut before = Self::BEFORE.iter();
                let mut next = || position.after(before.next().expect("one for each member"));
                true $(& <$type>::is_valid(next(), last_char))*
            }
        }
    )*};
}

structure! {
    Bin { s: i16, c: char, l: i32, o: u8, d: f64 }
    Cube { o: u8, l: i32, s: i16 }
    Tail { d: u64, o: u8 }
    Flags { a: bool, colour: Colour, b: bool, c: char }
    Text { head: u16, c: char, tail: u32 }
    Matrix { o: u8, numbers: [[i16; 2]; 3], cubes: [Cube; 2], flags: [bool; 3] }
    Deep { tail: Tail, o: u8, cube: Cube, octets: [u8; 5], matrix: [Tail; 1] }
}

/// An enum of three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Colour {
    Red,
    Green,
    Blue,
}

impl Colour {
    fn of(number: u32) -> Option<Self> {
        [Self::Red, Self::Green, Self::Blue].get(number as usize).copied()
    }
}

impl Wire for Colour {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;
    const LAYOUT: Option<FixedLayout> = u32::LAYOUT;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(*value as u32);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let number = reader.read_u32()?;
        Self::of(number).ok_or_else(|| reader.error(CdrErrorKind::BadEnum, "Colour"))
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }

    fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
        u32::write_fixed(&(*value as u32), writer)
    }

    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
        let found = Self::of(u32::read_fixed(reader)?);
        reader.refuse(found.is_none());
        Some(found.unwrap_or(Self::Red))
    }
}

impl FixedSize for Colour {
    type InPlace<'a> = Self;
    const FIXED: FixedLayout = u32::FIXED;
    const VALIDITY: Validity = Validity::Some;

    fn in_place(position: Position<'_>) -> Self {
        Self::of(u32::in_place(position)).unwrap_or(Self::Red)
    }

    fn owned(in_place: Self) -> Self {
        in_place
    }

    fn is_valid(position: Position<'_>, _: u8) -> bool {
        Self::of(u32::in_place(position)).is_some()
    }
}
