//! The sequences of the TTCP benchmark.

use zorb_types::{TcKind, TypeCode, TypeCodeResult};

use crate::memory::{Heap, SEQUENCE, store_sequence};
use crate::{Error, Result, Type};

/// The type of a sequence's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// `short`
    Short,
    /// `char`
    Char,
    /// `long`
    Long,
    /// `octet`
    Octet,
    /// `double`
    Double,
    /// A struct of a `short`, a `char`, a `long`, an `octet` and two `double`s: 32 octets.
    BinStruct,
}

impl Workload {
    /// All.
    pub const ALL: [Self; 6] =
        [Self::Short, Self::Char, Self::Long, Self::Octet, Self::Double, Self::BinStruct];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Char => "char",
            Self::Long => "long",
            Self::Octet => "octet",
            Self::Double => "double",
            Self::BinStruct => "BinStruct",
        }
    }

    /// Octets of an element in memory.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Char | Self::Octet => 1,
            Self::Short => 2,
            Self::Long => 4,
            Self::Double => 8,
            Self::BinStruct => 32,
        }
    }

    /// The type of the sequence.
    ///
    /// # Errors
    /// None.
    pub fn sequence(self) -> Result<Type> {
        let sequence = self.element().and_then(|element| TypeCode::sequence(&element, 0));
        Type::new(&sequence.map_err(|_| Error::BadTypeCode)?)
    }

    /// The type of an element.
    fn element(self) -> TypeCodeResult<TypeCode> {
        let plain = TypeCode::plain;
        Ok(match self {
            Self::Short => plain(TcKind::Short),
            Self::Char => plain(TcKind::Char),
            Self::Long => plain(TcKind::Long),
            Self::Octet => plain(TcKind::Octet),
            Self::Double => plain(TcKind::Double),
            Self::BinStruct => {
                let members = [
                    ("s", plain(TcKind::Short)),
                    ("c", plain(TcKind::Char)),
                    ("l", plain(TcKind::Long)),
                    ("o", plain(TcKind::Octet)),
                    ("d", plain(TcKind::Double)),
                    ("padding", plain(TcKind::Double)),
                ];
                TypeCode::structure("IDL:BinStruct:1.0", "BinStruct", &members)?
            }
        })
    }

    /// A sequence in memory.
    ///
    /// # Errors
    /// There are too many elements.
    pub fn value(self, elements: usize, heap: &mut Heap) -> Result<Vec<u8>> {
        let length = u32::try_from(elements).map_err(|_| Error::TooLong)?;
        let mut block = Vec::with_capacity(elements * self.size());
        for index in 0..length {
            self.append(index, &mut block);
        }
        let mut memory = vec![0; SEQUENCE];
        store_sequence(&mut memory, 0, length, heap.insert(block))?;
        Ok(memory)
    }

    /// Appends the element of an index.
    fn append(self, index: u32, block: &mut Vec<u8>) {
        let (short, character) = ((index as u16).to_ne_bytes(), b'a' + (index % 26) as u8);
        let long = index.wrapping_mul(0x0101_0101).to_ne_bytes();
        let double = (f64::from(index) + 0.5).to_ne_bytes();
        match self {
            Self::Short => block.extend(short),
            Self::Char => block.push(character),
            Self::Long => block.extend(long),
            Self::Octet => block.push(index as u8),
            Self::Double => block.extend(double),
            Self::BinStruct => {
                block.extend(short);
                block.extend([character, 0]);
                block.extend(long);
                block.extend([index as u8, 0, 0, 0, 0, 0, 0, 0]);
                block.extend(double);
                block.extend([0; 8]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_have_the_layout_of_their_types() {
        for workload in Workload::ALL {
            let mut heap = Heap::default();
            let memory = workload.value(3, &mut heap).unwrap();
            let of = workload.sequence().unwrap();
            assert_eq!((memory.len(), heap.live()), (of.size(), 1));
            let element = of.type_code().unwrap().content().unwrap();
            let (size, _) = element.size_and_alignment().unwrap();
            assert_eq!(size, workload.size());
            assert_eq!(heap.block(1).unwrap().len(), 3 * size);
        }
    }
}
