//! The values of arguments (`bench/peers/PROTOCOL.md`).

use crate::stubs::bench::CubeStruct;

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

/// The structs of a module of stubs.
macro_rules! structs {
    ($($($types:ident)::+;)*) => {$(
        impl Value for $($types)::+::BinStruct {
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

        impl Value for $($types)::+::PaddedStruct {
            fn at(index: u32) -> Self {
                Self {
                    s: i16::at(index),
                    c: char::at(index),
                    l: i32::at(index),
                    o: index as u8,
                    d: f64::at(index),
                    p: [0, 1, 2, 3, 4, 5, 6, 7],
                }
            }

            fn first(number: u32) -> Self {
                Self { l: i32::first(number), ..Self::at(0) }
            }

            fn number(&self) -> u64 {
                self.l.number()
            }
        }
    )*};
}
structs! {
    crate::stubs::bench;
    crate::stubs::interpretive::bench;
    crate::stubs::viewed::bench;
}

impl Cubed for CubeStruct {
    fn small(number: u32) -> Self {
        Self { o: u8::small(number), l: i32::small(number), s: i16::small(number) }
    }

    fn cubed(self) -> Self {
        Self { o: self.o.cubed(), l: self.l.cubed(), s: self.s.cubed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stubs::bench::BinStruct;

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
