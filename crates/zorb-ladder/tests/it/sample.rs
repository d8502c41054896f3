//! Random types, and random values of them in memory.

use proptest::prelude::*;
use zorb_ladder::{Heap, Type, store_sequence};
use zorb_types::{TcKind, TypeCode};

/// A type by its shape, from which its TypeCode and values are made.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Number(TcKind),
    Boolean,
    Text,
    Enum(u32),
    Struct(Vec<Self>),
    Sequence(Box<Self>),
    Array(Box<Self>, u32),
    Alias(Box<Self>),
}

static NUMBERS: [TcKind; 10] = [
    TcKind::Octet,
    TcKind::Char,
    TcKind::Short,
    TcKind::UShort,
    TcKind::Long,
    TcKind::ULong,
    TcKind::LongLong,
    TcKind::ULongLong,
    TcKind::Float,
    TcKind::Double,
];

/// Shapes of limited depth and size.
pub(crate) fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        6 => prop::sample::select(&NUMBERS[..]).prop_map(Shape::Number),
        1 => Just(Shape::Boolean),
        1 => Just(Shape::Text),
        1 => (1..5_u32).prop_map(Shape::Enum),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..6).prop_map(Shape::Struct),
            3 => inner.clone().prop_map(|shape| Shape::Sequence(Box::new(shape))),
            1 => (inner.clone(), 1..4_u32).prop_map(|(shape, n)| Shape::Array(Box::new(shape), n)),
            1 => inner.prop_map(|shape| Shape::Alias(Box::new(shape))),
        ]
    })
}

impl Shape {
    pub(crate) fn type_code(&self) -> TypeCode {
        match self {
            Self::Number(kind) => TypeCode::plain(*kind),
            Self::Boolean => TypeCode::plain(TcKind::Boolean),
            Self::Text => TypeCode::string(0),
            Self::Enum(count) => {
                let names: Vec<String> = (0..*count).map(|index| format!("e{index}")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                TypeCode::enumeration("IDL:E:1.0", "E", &names).unwrap()
            }
            Self::Struct(members) => {
                let names: Vec<String> = (0..members.len()).map(|i| format!("m{i}")).collect();
                let members = members.iter().map(Self::type_code);
                let members: Vec<(&str, TypeCode)> =
                    names.iter().map(String::as_str).zip(members).collect();
                TypeCode::structure("IDL:S:1.0", "S", &members).unwrap()
            }
            Self::Sequence(element) => TypeCode::sequence(&element.type_code(), 0).unwrap(),
            Self::Array(element, count) => TypeCode::array(&element.type_code(), *count).unwrap(),
            Self::Alias(of) => TypeCode::alias("IDL:A:1.0", "A", &of.type_code()).unwrap(),
        }
    }

    /// Size and alignment in memory, as C++ has them.
    fn layout(&self) -> (usize, usize) {
        match self {
            Self::Number(kind) => {
                let size = match kind {
                    TcKind::Octet | TcKind::Char => 1,
                    TcKind::Short | TcKind::UShort => 2,
                    TcKind::Long | TcKind::ULong | TcKind::Float => 4,
                    _ => 8,
                };
                (size, size)
            }
            Self::Boolean => (1, 1),
            Self::Enum(_) => (4, 4),
            Self::Text => (8, 8),
            Self::Sequence(_) => (16, 8),
            Self::Alias(of) => of.layout(),
            Self::Array(element, count) => {
                let (size, alignment) = element.layout();
                (size * *count as usize, alignment)
            }
            Self::Struct(members) => {
                let (mut end, mut largest) = (0_usize, 1);
                for (size, alignment) in members.iter().map(Self::layout) {
                    end = end.next_multiple_of(alignment) + size;
                    largest = largest.max(alignment);
                }
                (end.next_multiple_of(largest), largest)
            }
        }
    }

    /// A value in memory, from random octets.
    pub(crate) fn value(&self, heap: &mut Heap, random: &mut Random) -> Vec<u8> {
        let mut memory = vec![0; self.layout().0];
        self.fill(&mut memory, heap, random);
        memory
    }

    fn fill(&self, memory: &mut [u8], heap: &mut Heap, random: &mut Random) {
        match self {
            // ASCII, which all code sets have.
            Self::Number(TcKind::Char) => memory.fill(random.below(128) as u8),
            Self::Number(_) => memory.fill_with(|| random.below(256) as u8),
            Self::Boolean => memory.fill(random.below(2) as u8),
            Self::Enum(count) => memory.copy_from_slice(&random.below(*count).to_ne_bytes()),
            Self::Text => {
                let text = (0..random.below(20)).map(|_| 1 + random.below(127) as u8).collect();
                memory.copy_from_slice(&heap.insert(text).to_ne_bytes());
            }
            Self::Alias(of) => of.fill(memory, heap, random),
            Self::Array(element, _) => element.fill_elements(memory, heap, random),
            Self::Sequence(element) => {
                let length = random.below(5);
                let mut block = vec![0; length as usize * element.layout().0];
                element.fill_elements(&mut block, heap, random);
                store_sequence(memory, 0, length, heap.insert(block)).unwrap();
            }
            Self::Struct(members) => {
                let mut end = 0_usize;
                for member in members {
                    let (size, alignment) = member.layout();
                    let start = end.next_multiple_of(alignment);
                    end = start + size;
                    member.fill(&mut memory[start..end], heap, random);
                }
            }
        }
    }

    fn fill_elements(&self, memory: &mut [u8], heap: &mut Heap, random: &mut Random) {
        for element in memory.chunks_exact_mut(self.layout().0) {
            self.fill(element, heap, random);
        }
    }

    /// The type for the engines, which lay it out as this does.
    pub(crate) fn for_engines(&self) -> Type {
        let of = Type::new(&self.type_code()).unwrap();
        assert_eq!(of.size(), self.layout().0);
        of
    }
}

/// Random numbers (xorshift).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(limit)) as u32
    }
}
