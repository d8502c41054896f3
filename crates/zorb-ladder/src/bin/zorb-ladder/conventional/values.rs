//! The values of `bench/peers/PROTOCOL.md` as the engines have them: sequences in memory as the C++ mapping lays it out.

use zorb_bench::operation::{Element, Operation};
use zorb_bench::peer::Refusal;
use zorb_bench::{Error, Result};
use zorb_ladder::{Form, Heap, SEQUENCE, Type, store_sequence};
use zorb_types::{TcKind, TypeCode, TypeCodeResult};

/// Every body begins at a multiple of 8.
pub(super) const FORM: Form = Form { start: 0, swap: false };

/// The elements of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements(pub(super) Element);

impl Elements {
    /// Those of an operation.
    pub(super) fn of(operation: Operation) -> Result<Self, Refusal> {
        match operation.element() {
            Element::Cube | Element::None => Err(Refusal::Unsupported(format!(
                "{operation} is not an echo or a flood of sequences"
            ))),
            element => Ok(Self(element)),
        }
    }

    /// The type of a sequence of them.
    pub(super) fn sequence(self) -> Result<Type> {
        let sequence = self.type_code().and_then(|element| TypeCode::sequence(&element, 0));
        Type::new(&sequence?).map_err(failed)
    }

    fn type_code(self) -> TypeCodeResult<TypeCode> {
        let plain = TypeCode::plain;
        let members = [
            ("s", plain(TcKind::Short)),
            ("c", plain(TcKind::Char)),
            ("l", plain(TcKind::Long)),
            ("o", plain(TcKind::Octet)),
            ("d", plain(TcKind::Double)),
        ];
        Ok(match self.0 {
            Element::Short => plain(TcKind::Short),
            Element::Char => plain(TcKind::Char),
            Element::Long => plain(TcKind::Long),
            Element::Double => plain(TcKind::Double),
            Element::Struct => {
                TypeCode::structure("IDL:Bench/BinStruct:1.0", "BinStruct", &members)?
            }
            Element::Padded => {
                let padding = TypeCode::array(&plain(TcKind::Octet), 8)?;
                let members = [&members[..], &[("p", padding)]].concat();
                TypeCode::structure("IDL:Bench/PaddedStruct:1.0", "PaddedStruct", &members)?
            }
            Element::Octet | Element::Cube | Element::None => plain(TcKind::Octet),
        })
    }

    /// The element at `index`, with the number `number` where it has one.
    fn append(self, index: u32, number: u32, block: &mut Vec<u8>) {
        let letter = b'A' + (index % 26) as u8;
        let quarter = f64::from(index) / 4.0;
        match self.0 {
            Element::Short => block.extend(((index % 32_768) as u16).to_ne_bytes()),
            Element::Char => block.push(letter),
            Element::Long => block.extend(index.to_ne_bytes()),
            Element::Double => block.extend(quarter.to_ne_bytes()),
            Element::Struct | Element::Padded => {
                block.extend(((index % 32_768) as u16).to_ne_bytes());
                block.extend([letter, 0]);
                block.extend(number.to_ne_bytes());
                block.extend([index as u8, 0, 0, 0, 0, 0, 0, 0]);
                block.extend(quarter.to_ne_bytes());
                if self.0 == Element::Padded {
                    block.extend(0..8);
                }
            }
            Element::Octet | Element::Cube | Element::None => block.push((index % 251) as u8),
        }
    }

    /// The elements of call 0.
    pub(super) fn block(self, elements: usize) -> Vec<u8> {
        let mut block = Vec::with_capacity(elements * self.0.size());
        (0..).take(elements).for_each(|index| self.append(index, index, &mut block));
        block
    }

    /// Changes the first element to that of the call `number`.
    pub(super) fn set_first(self, block: &mut [u8], number: u32) {
        let mut first = Vec::new();
        match self.0 {
            Element::Octet => first.push(number as u8),
            Element::Double => first.extend(f64::from(number).to_ne_bytes()),
            Element::Struct | Element::Padded => self.append(0, number, &mut first),
            _ => self.append(number, number, &mut first),
        }
        if let Some(place) = block.get_mut(..first.len()) {
            place.copy_from_slice(&first);
        }
    }

    /// What a tally counts for the first element and the last.
    pub(super) fn number(self, block: &[u8]) -> u64 {
        let size = self.0.size();
        let last = block.len().saturating_sub(size);
        [0, last].map(|at| self.number_at(block.get(at..).unwrap_or_default())).iter().sum()
    }

    fn number_at(self, element: &[u8]) -> u64 {
        let long = |at: usize| {
            let octets = element.get(at..).and_then(|element| element.first_chunk());
            octets.map_or(0, |octets| u32::from_ne_bytes(*octets).into())
        };
        match self.0 {
            Element::Short => element.first_chunk().map_or(0, |it| u16::from_ne_bytes(*it).into()),
            Element::Long => long(0),
            Element::Double => element.first_chunk().map_or(0, |it| f64::from_ne_bytes(*it) as u64),
            Element::Struct | Element::Padded => long(4),
            _ => element.first().copied().unwrap_or_default().into(),
        }
    }
}

/// A sequence in memory, whose elements are in the heap.
pub(super) struct InMemory {
    pub(super) elements: Elements,
    pub(super) of: Type,
    pub(super) heap: Heap,
    memory: Vec<u8>,
    length: u32,
    pointer: u64,
}

impl InMemory {
    pub(super) fn new(elements: Elements, length: usize) -> Result<Self> {
        let length = u32::try_from(length).map_err(|_| Error::new("too many elements"))?;
        let mut heap = Heap::default();
        let pointer = heap.insert(elements.block(length as usize));
        let of = elements.sequence()?;
        let mut all = Self { elements, of, heap, memory: vec![0; SEQUENCE], length, pointer };
        all.set_first(0)?;
        Ok(all)
    }

    pub(super) fn memory(&self) -> &[u8] {
        &self.memory
    }

    /// Its elements.
    pub(super) fn block(&self) -> &[u8] {
        self.heap.block(self.pointer).unwrap_or_default()
    }

    /// Changes the first element to that of the call `number`.
    pub(super) fn set_first(&mut self, number: u32) -> Result<()> {
        let mut block = self.heap.take(self.pointer).map_err(failed)?;
        self.elements.set_first(&mut block, number);
        self.pointer = self.heap.insert(block);
        store_sequence(&mut self.memory, 0, self.length, self.pointer).map_err(failed)
    }
}

/// The elements of a decoded sequence.
pub(super) fn elements_of<'h>(memory: &[u8], heap: &'h Heap) -> &'h [u8] {
    let pointer = memory.last_chunk().map_or(0, |pointer| u64::from_ne_bytes(*pointer));
    heap.block(pointer).unwrap_or_default()
}

pub(super) fn failed(error: zorb_ladder::Error) -> Error {
    Error::new(error.to_string())
}
