//! The values of arguments (`bench/peers/PROTOCOL.md`), typed and in their memory layout.

use crate::stubs::bench::{BinStruct, CubeStruct, PaddedStruct};

/// Numbers to cube are smaller than this.
const CUBES: u32 = 101;

/// An element of a sequence that is echoed or sent.
pub(crate) trait Value: Copy + PartialEq + Send + 'static {
    /// The element at `index`, the same in all calls.
    fn at(index: u32) -> Self;
    /// The first element in call `number`.
    fn first(number: u32) -> Self;
    /// What a tally counts for it.
    fn number(&self) -> u64;
}

/// An element of a sequence that is cubed.
pub(crate) trait Cubed: Copy + PartialEq + Send + 'static {
    /// The element for a number below [`CUBES`].
    fn small(number: u32) -> Self;
    /// The cube, modulo two to the number of bits.
    fn cubed(self) -> Self;

    /// The element at `index`, or the first element in the call with that number.
    fn small_at(index: u32) -> Self {
        Self::small(index % CUBES)
    }
}

/// The memory layout of an element.
pub(crate) trait Image: Sized {
    /// Octets of an element.
    const SIZE: usize;
    /// Writes it to [`SIZE`](Self::SIZE) `bytes`.
    fn put(&self, bytes: &mut [u8]);
    /// Reads it from `bytes`; missing ones are 0.
    fn take(bytes: &[u8]) -> Self;
}

/// A sequence of `elements` for call 0.
pub(crate) fn sequence<T: Value>(elements: usize) -> Vec<T> {
    let mut values: Vec<T> = (0..).map(T::at).take(elements).collect();
    set_first(&mut values, 0);
    values
}

/// Changes the sequence to that of call `number`.
pub(crate) fn set_first<T: Value>(values: &mut [T], number: u32) {
    if let Some(first) = values.first_mut() {
        *first = T::first(number);
    }
}

/// The last octets of a number.
fn low<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let field = bytes.get(at..at + N).and_then(|field| field.try_into().ok());
    field.unwrap_or([0; N])
}

fn place(bytes: &mut [u8], at: usize, field: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + field.len()) {
        place.copy_from_slice(field);
    }
}

/// Numbers in native byte order.
macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Image for $type {
            const SIZE: usize = size_of::<Self>();

            fn put(&self, bytes: &mut [u8]) {
                place(bytes, 0, &self.to_ne_bytes());
            }

            fn take(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(low(bytes, 0))
            }
        }
    )*};
}
numbers!(u8, i16, i32, f64);

macro_rules! cubes {
    ($($type:ty),*) => {$(
        impl Cubed for $type {
            fn small(number: u32) -> Self {
                // Below 101.
                number as Self
            }

            fn cubed(self) -> Self {
                self.wrapping_mul(self).wrapping_mul(self)
            }
        }
    )*};
}
cubes!(u8, i16, i32);

impl Value for u8 {
    fn at(index: u32) -> Self {
        (index % 251) as Self
    }

    fn first(number: u32) -> Self {
        number as Self
    }

    fn number(&self) -> u64 {
        u64::from(*self)
    }
}

impl Value for i16 {
    fn at(index: u32) -> Self {
        (index % 32_768) as Self
    }

    fn first(number: u32) -> Self {
        Self::at(number)
    }

    fn number(&self) -> u64 {
        u64::from(self.cast_unsigned())
    }
}

impl Value for i32 {
    fn at(index: u32) -> Self {
        index.cast_signed()
    }

    fn first(number: u32) -> Self {
        number.cast_signed()
    }

    fn number(&self) -> u64 {
        u64::from(self.cast_unsigned())
    }
}

impl Value for f64 {
    fn at(index: u32) -> Self {
        Self::from(index) / 4.0
    }

    fn first(number: u32) -> Self {
        Self::from(number)
    }

    fn number(&self) -> u64 {
        *self as u64
    }
}

/// An IDL char is one octet in memory.
impl Image for char {
    const SIZE: usize = 1;

    fn put(&self, bytes: &mut [u8]) {
        place(bytes, 0, &[*self as u8]);
    }

    fn take(bytes: &[u8]) -> Self {
        Self::from(u8::take(bytes))
    }
}

impl Value for char {
    fn at(index: u32) -> Self {
        Self::from(b'A' + (index % 26) as u8)
    }

    fn first(number: u32) -> Self {
        Self::at(number)
    }

    fn number(&self) -> u64 {
        u64::from(u32::from(*self))
    }
}

impl Value for BinStruct {
    fn at(index: u32) -> Self {
        Self {
            s: i16::at(index),
            c: char::at(index),
            l: i32::at(index),
            o: index as u8,
            d: f64::at(index),
        }
    }

    fn first(number: u32) -> Self {
        Self { l: i32::first(number), ..Self::at(0) }
    }

    fn number(&self) -> u64 {
        self.l.number()
    }
}

impl Image for BinStruct {
    const SIZE: usize = 24;

    fn put(&self, bytes: &mut [u8]) {
        let Self { s, c, l, o, d } = self;
        place(bytes, 0, &s.to_ne_bytes());
        place(bytes, 2, &[*c as u8]);
        place(bytes, 4, &l.to_ne_bytes());
        place(bytes, 8, &[*o]);
        place(bytes, 16, &d.to_ne_bytes());
    }

    fn take(bytes: &[u8]) -> Self {
        Self {
            s: i16::from_ne_bytes(low(bytes, 0)),
            c: char::from(low::<1>(bytes, 2)[0]),
            l: i32::from_ne_bytes(low(bytes, 4)),
            o: low::<1>(bytes, 8)[0],
            d: f64::from_ne_bytes(low(bytes, 16)),
        }
    }
}

impl Value for PaddedStruct {
    fn at(index: u32) -> Self {
        let BinStruct { s, c, l, o, d } = BinStruct::at(index);
        Self { s, c, l, o, d, p: [0, 1, 2, 3, 4, 5, 6, 7] }
    }

    fn first(number: u32) -> Self {
        Self { l: i32::first(number), ..Self::at(0) }
    }

    fn number(&self) -> u64 {
        self.l.number()
    }
}

impl Image for PaddedStruct {
    const SIZE: usize = 32;

    fn put(&self, bytes: &mut [u8]) {
        let Self { s, c, l, o, d, p } = *self;
        BinStruct { s, c, l, o, d }.put(bytes);
        place(bytes, 24, &p);
    }

    fn take(bytes: &[u8]) -> Self {
        let BinStruct { s, c, l, o, d } = BinStruct::take(bytes);
        Self { s, c, l, o, d, p: low(bytes, 24) }
    }
}

impl Cubed for CubeStruct {
    fn small(number: u32) -> Self {
        Self { o: u8::small(number), l: i32::small(number), s: i16::small(number) }
    }

    fn cubed(self) -> Self {
        Self { o: self.o.cubed(), l: self.l.cubed(), s: self.s.cubed() }
    }
}

impl Image for CubeStruct {
    const SIZE: usize = 12;

    fn put(&self, bytes: &mut [u8]) {
        place(bytes, 0, &[self.o]);
        place(bytes, 4, &self.l.to_ne_bytes());
        place(bytes, 8, &self.s.to_ne_bytes());
    }

    fn take(bytes: &[u8]) -> Self {
        Self {
            o: low::<1>(bytes, 0)[0],
            l: i32::from_ne_bytes(low(bytes, 4)),
            s: i16::from_ne_bytes(low(bytes, 8)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_come_back() {
        fn back<T: Image + PartialEq + std::fmt::Debug>(value: T) {
            let mut bytes = vec![0; T::SIZE];
            value.put(&mut bytes);
            assert_eq!(T::take(&bytes), value);
            assert_ne!(bytes, vec![0; T::SIZE]);
        }
        back(7_u8);
        back(-7_i16);
        back(1 << 30);
        back(2.5_f64);
        back('Z');
        back(BinStruct::at(1000));
        back(PaddedStruct::first(70_000));
        back(CubeStruct::small(100));
    }

    #[test]
    fn the_first_element_tells_calls_apart() {
        let mut structs: Vec<BinStruct> = sequence(3);
        assert_eq!((structs[0].l, structs[1].l, structs[2].l), (0, 1, 2));
        set_first(&mut structs, 9);
        assert_eq!((structs[0].number(), structs[1].number()), (9, 1));
        assert_eq!((structs[2].s, structs[2].c, structs[2].o, structs[2].d), (2, 'C', 2, 0.5));
        assert_eq!(sequence::<u8>(0), Vec::<u8>::new());
        assert_eq!((u8::first(257), char::first(27), i16::first(32_769)), (1, 'B', 1));
    }

    #[test]
    fn cubes_wrap_around() {
        assert_eq!(100_u8.cubed(), (1_000_000 % 256) as u8);
        assert_eq!(100_i32.cubed(), 1_000_000);
        assert_eq!(CubeStruct::small_at(103), CubeStruct { o: 2, l: 2, s: 2 });
        assert_eq!(CubeStruct::small(3).cubed(), CubeStruct { o: 27, l: 27, s: 27 });
    }
}
