//! The tables: what they contain. The adjacent files make their parts.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};

use super::numbers::{Numbers, Part};

/// The layout table of an IDL type `T`: where the parts of its values are in memory.
///
/// There are two: one of its [`Value`](Wire::Value)s, and one of the values that servants
/// [borrow](Wire::Borrowed) from a request, which is only read.
pub struct Table<T: ?Sized> {
    pub(super) value: Kind,
    pub(super) borrowed: Kind,
    /// Invariant: a table describes no other type.
    marker: PhantomData<fn(*mut T) -> *mut T>,
}

impl<T: ?Sized> core::fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Table").field("value", &self.value).finish_non_exhaustive()
    }
}

impl<T: Wire> Table<T> {
    /// No layout: values are read and written by the [`Wire`] implementation of `T`.
    #[must_use]
    pub const fn codec() -> Self {
        Self {
            value: Kind::Codec(const { &Codec::value::<T>() }),
            borrowed: Kind::Codec(const { &Codec::borrowed::<T>() }),
            marker: PhantomData,
        }
    }

    /// The layout of another type with the same values. Borrowed values have none.
    #[must_use]
    pub const fn alias<O: Tabled<Value = T::Value>>() -> Self {
        Self::new(O::TABLE.value, Kind::Codec(const { &Codec::borrowed::<T>() }))
    }

    /// Checks in generated code that a field contains values of `T`. A mutable pointer is converted to no other type.
    #[doc(hidden)]
    pub const fn check(_: *mut T::Value) {}

    /// A table for a type that stores values and borrowed values alike.
    pub(super) const fn of(kind: Kind) -> Self {
        Self::new(kind, kind)
    }

    pub(super) const fn new(value: Kind, borrowed: Kind) -> Self {
        Self { value, borrowed, marker: PhantomData }
    }
}

/// Of a type whose values, also the borrowed ones, are of the type itself.
impl<T> Table<T>
where
    T: for<'a> Wire<Value = T, Borrowed<'a> = T>,
{
    /// The layout of a struct.
    ///
    /// # Safety
    /// A `T` has the members of `structure` at their offsets, and no others. Generated code calls it by [`struct_table!`](crate::struct_table).
    #[must_use]
    pub const unsafe fn structure(structure: &'static Structure) -> Self {
        Self::of(Kind::Structure(structure))
    }

    /// The layout of an enumeration.
    ///
    /// # Safety
    /// `T` is a fieldless enum with `repr(u32)`, whose discriminants are the numbers below the count of `enumeration`.
    /// Generated code calls it by [`enum_table!`](crate::enum_table).
    #[must_use]
    pub const unsafe fn enumeration(enumeration: &'static Enumeration) -> Self {
        Self::of(Kind::Enumeration(enumeration))
    }
}

/// A type that contains itself. Its table does so by this function, since constants cannot contain themselves.
pub trait Deferred: for<'a> Wire<Borrowed<'a> = <Self as Wire>::Value> + Sized {
    /// Its table, with the layout.
    fn table() -> &'static Table<Self>;
}

impl<T: Deferred + 'static> Table<T> {
    /// The layout in [`Deferred::table`].
    #[must_use]
    pub const fn deferred() -> Self {
        Self::of(Kind::Deferred(|| &T::table().value))
    }
}

/// An IDL type with a layout table.
pub trait Tabled: Wire + Sized {
    /// Its table. By default, there is no layout.
    const TABLE: Table<Self> = Table::codec();
    /// Whether its values are numbers in a row. By default, if the table shows it.
    // SAFETY: the table describes them.
    const NUMBERS: Numbers<Self> = unsafe { Numbers::new(Self::TABLE.value.first_number()) };

    /// A value as the argument of a call.
    #[must_use]
    fn operand<'v>(view: &'v &'v Self::View) -> Operand<'v> {
        Operand::codec::<Self>(view)
    }
}

/// How values are in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Numbers in a row.
    Numbers(Number, u32),
    /// `bool`
    Boolean,
    /// `char`, an IDL `char`
    Char,
    Enumeration(&'static Enumeration),
    /// `String`, an IDL `string` of at most so many octets
    Text(u32),
    /// `Cow<str>`, an IDL `string` of at most so many octets
    BorrowedText(u32),
    Structure(&'static Structure),
    Union(&'static Union),
    Sequence(&'static Sequence),
    Array(&'static Array),
    /// The kind that the function returns.
    Deferred(fn() -> &'static Self),
    Codec(&'static Codec),
    Named(&'static NamedCodec),
}

impl Kind {
    /// Octets of the first number, if values are numbers in a row.
    const fn first_number(&self) -> Option<usize> {
        match self {
            Self::Numbers(number, 1..) => Some(number.size()),
            _ => None,
        }
    }
}

impl Part {
    /// A member of the IDL type `T`.
    #[must_use]
    pub const fn new<T: Tabled>(offset: usize) -> Self {
        Self { offset, size: size_of::<T::Value>(), first: T::NUMBERS.first }
    }
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Number {
    U8,
    I8,
    I16,
    U16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
}

impl Number {
    pub(super) const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Its IDL type.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::U8 => "octet",
            Self::I8 => "int8",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "long",
            Self::U32 => "unsigned long",
            Self::F32 => "float",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::F64 => "double",
        }
    }
}

/// An enumeration: how many values it has, and its IDL name.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    pub(super) count: u32,
    pub(super) name: &'static str,
}

impl Enumeration {
    /// The enum `T` with these discriminants.
    ///
    /// # Panics
    /// A discriminant is not its position, or `T` has another size than they.
    #[must_use]
    pub const fn new<T>(discriminants: &[u32], name: &'static str) -> Self {
        let mut position = 0;
        while position < discriminants.len() {
            assert!(discriminants[position] as usize == position);
            position += 1;
        }
        assert!(size_of::<T>() == size_of::<u32>());
        Self { count: as_u32(discriminants.len()), name }
    }
}

/// The same number.
///
/// # Panics
/// It has more than 32 bits.
pub(super) const fn as_u32(number: usize) -> u32 {
    assert!(number <= u32::MAX as usize);
    number as u32
}

/// The members of a struct, in the order in which they are sent.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    pub(super) members: &'static [Member],
    pub(super) needs_drop: bool,
    /// The IDL name of a struct that contains itself.
    pub(super) recursive: Option<&'static str>,
}

impl Structure {
    /// The members of the struct `T`.
    #[must_use]
    pub const fn new<T>(members: &'static [Member]) -> Self {
        Self { members, needs_drop: core::mem::needs_drop::<T>(), recursive: None }
    }

    /// The members of the struct `T`, which contains itself, with its IDL name. Its values may be nested to a limited
    /// depth.
    #[must_use]
    pub const fn recursive<T>(members: &'static [Member], name: &'static str) -> Self {
        Self { recursive: Some(name), ..Self::new::<T>(members) }
    }
}

/// A member of a struct: its offset and its type.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub(super) offset: u32,
    pub(super) kind: Kind,
}

impl Member {
    /// A member of the IDL type `T`.
    ///
    /// # Panics
    /// The offset has more than 32 bits.
    #[must_use]
    pub const fn new<T: Tabled>(offset: usize) -> Self {
        Self { offset: as_u32(offset), kind: T::TABLE.value }
    }

    /// A member that holds a borrowed value of the IDL type `T`.
    pub(super) const fn borrowed<T: Tabled>(offset: usize) -> Self {
        Self { offset: as_u32(offset), kind: T::TABLE.borrowed }
    }
}

/// What the engine knows of a union, with functions of its type.
#[derive(Clone, Copy, Debug)]
pub struct Union {
    /// The IDL name.
    pub(super) name: &'static str,
    pub(super) is_recursive: bool,
    pub(super) discriminator: Kind,
    pub(super) members: &'static [Payload],
    /// The position of the member that the label at an address selects.
    pub(super) select: unsafe fn(*const u8) -> usize,
    /// Writes the label of the value at the first address to the second one. Returns the position of its variant and the
    /// address of its payload.
    pub(super) inspect: unsafe fn(*const u8, *mut u8) -> (usize, *const u8),
    /// Replaces the payload at the first address by a value with it and the label at the second one.
    pub(super) build: unsafe fn(*mut u8, *const u8, usize) -> bool,
    pub(super) drop: Option<unsafe fn(*mut u8)>,
}

/// The type of a payload of a union.
#[derive(Clone, Copy, Debug)]
pub struct Payload(pub(super) Kind);

/// Memory for a discriminator.
pub(super) type LabelSpace = MaybeUninit<u64>;

/// An array, unless it is one of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) element: Kind,
    pub(super) count: usize,
    /// Octets from one element to the next.
    pub(super) stride: usize,
    /// The least octets of its encoding.
    pub(super) min_size: usize,
    pub(super) needs_drop: bool,
}

/// A sequence whose elements have a layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    pub(super) element: Kind,
    /// The size of an element in memory, at least 1.
    pub(super) stride: usize,
    /// The alignment of an element in memory.
    pub(super) alignment: usize,
    /// The most elements; `u32::MAX` if there is no bound.
    pub(super) bound: u32,
    /// The least octets of an element's encoding.
    pub(super) min_size: u32,
    /// The elements, at least 1, for which there may be memory before they are read.
    pub(super) ahead: u32,
    pub(super) needs_drop: bool,
    /// The parts of the value at an address.
    pub(super) parts: unsafe fn(*const u8) -> Parts,
    /// Writes a value with these parts to an address.
    pub(super) build: unsafe fn(*mut u8, Parts),
}

/// The parts of a `Vec`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) data: *mut u8,
    pub(super) length: usize,
    pub(super) capacity: usize,
}

/// The functions of a type that has no layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codec {
    /// Writes the value at an address. For the codec of an [`Operand`](super::Operand), there is a reference to it.
    pub(super) write: unsafe fn(*const u8, &mut CdrWriter<'_>) -> CdrResult<()>,
    /// Reads a value to an address.
    pub(super) read: unsafe fn(*mut u8, &mut CdrReader<'_>) -> CdrResult<()>,
    /// Drops the value at an address.
    pub(super) drop: Option<unsafe fn(*mut u8)>,
}

/// The functions of a type that has no layout and differs from others only in its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedCodec {
    pub(super) name: &'static str,
    pub(super) write: unsafe fn(*const u8, &mut CdrWriter<'_>) -> CdrResult<()>,
    /// Reads a value of this name to an address.
    pub(super) read: unsafe fn(*mut u8, &mut CdrReader<'_>, &'static str) -> CdrResult<()>,
    pub(super) drop: Option<unsafe fn(*mut u8)>,
}

/// An argument of a call: where it is, and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'v> {
    /// The value; the first octet or element of text and sequences; a reference to the view for a codec; what an optional
    /// argument refers to, or null.
    pub(super) data: *const u8,
    /// Octets of text, elements of sequences; [`VALUE`](Self::VALUE) for a value.
    pub(super) length: usize,
    pub(super) kind: &'static Kind,
    pub(super) view: PhantomData<&'v ()>,
}

impl Operand<'_> {
    /// The length of a value: nothing in memory is as long.
    pub(super) const VALUE: usize = usize::MAX;
}
