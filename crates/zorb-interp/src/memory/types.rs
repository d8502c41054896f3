//! The tables of the types of IDL.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{Bounded, Octets, WChar, WString, Wire};

use super::numbers::Numbers;
use super::table::{Array, Kind, Number, Operand, Sequence, Table, Tabled};

macro_rules! plain {
    ($($type:ty: $kind:expr;)*) => {$(
        impl Tabled for $type {
            const TABLE: Table<Self> = Table::of($kind);

            fn operand<'v>(view: &'v &'v Self) -> Operand<'v> {
                Operand::value::<Self>(view)
            }
        }
    )*};
}

plain! {
    u8: Kind::Numbers(Number::U8, 1);
    i8: Kind::Numbers(Number::I8, 1);
    i16: Kind::Numbers(Number::I16, 1);
    u16: Kind::Numbers(Number::U16, 1);
    i32: Kind::Numbers(Number::I32, 1);
    u32: Kind::Numbers(Number::U32, 1);
    f32: Kind::Numbers(Number::F32, 1);
    i64: Kind::Numbers(Number::I64, 1);
    u64: Kind::Numbers(Number::U64, 1);
    f64: Kind::Numbers(Number::F64, 1);
    bool: Kind::Boolean;
    char: Kind::Char;
}

impl Tabled for String {
    const TABLE: Table<Self> = Table::new(Kind::Text(u32::MAX), Kind::BorrowedText(u32::MAX));

    fn operand<'v>(view: &'v &'v str) -> Operand<'v> {
        Operand::text::<{ u32::MAX }>(view)
    }
}

impl<const N: u32> Tabled for Bounded<String, N> {
    const TABLE: Table<Self> = Table::new(Kind::Text(N), Kind::BorrowedText(N));

    fn operand<'v>(view: &'v &'v str) -> Operand<'v> {
        Operand::text::<N>(view)
    }
}

/// Whether sequences of this type have a layout. Numbers, booleans and characters are moved in bulk by their own code.
const fn is_element<T: Tabled>() -> bool {
    let is_bulk = matches!(T::TABLE.value, Kind::Numbers(_, 1) | Kind::Boolean | Kind::Char);
    !is_bulk && size_of::<T::Value>() > 0
}

impl<T: Tabled> Tabled for Vec<T> {
    const TABLE: Table<Self> = if is_element::<T>() {
        Table::new(
            Kind::Sequence(const { &Sequence::vec::<T>(u32::MAX) }),
            Kind::Sequence(const { &Sequence::cow::<T>(u32::MAX) }),
        )
    } else {
        Table::codec()
    };

    fn operand<'v>(view: &'v &'v [T::Value]) -> Operand<'v> {
        match is_element::<T>() {
            true => Operand::sequence::<T, { u32::MAX }>(view),
            false => Operand::codec::<Self>(view),
        }
    }
}

impl<T: Tabled, const N: u32> Tabled for Bounded<Vec<T>, N> {
    const TABLE: Table<Self> = if is_element::<T>() {
        Table::new(
            Kind::Sequence(const { &Sequence::vec::<T>(N) }),
            Kind::Sequence(const { &Sequence::cow::<T>(N) }),
        )
    } else {
        Table::codec()
    };

    fn operand<'v>(view: &'v &'v [T::Value]) -> Operand<'v> {
        match is_element::<T>() {
            true => Operand::sequence::<T, N>(view),
            false => Operand::codec::<Self>(view),
        }
    }
}

impl<T: Tabled, const N: usize> Tabled for [T; N] {
    // SAFETY: at least one element is at its beginning, and they have no padding between them.
    const NUMBERS: Numbers<Self> =
        unsafe { Numbers::new(if N > 0 { T::NUMBERS.first } else { None }) };
    const TABLE: Table<Self> = match T::TABLE.value {
        // An array of arrays is several runs, and each may begin in another part of the message. An array of one, unlike
        // a number, may begin in the tail of the message.
        Kind::Numbers(number, 1) if N > 1 && N <= u32::MAX as usize => {
            Table::of(Kind::Numbers(number, N as u32))
        }
        _ if N > 0 => Table::of(Kind::Array(
            const {
                &Array {
                    element: T::TABLE.value,
                    count: N,
                    stride: size_of::<T::Value>(),
                    min_size: <Self as Wire>::MIN_SIZE,
                    needs_drop: core::mem::needs_drop::<T::Value>(),
                }
            },
        )),
        _ => Table::codec(),
    };

    fn operand<'v>(view: &'v &'v [T::Value; N]) -> Operand<'v> {
        Operand::value::<Self>(view)
    }
}

impl Tabled for Octets {}
impl<const N: u32> Tabled for Bounded<Octets, N> {}
impl Tabled for WString {}
impl<const N: u32> Tabled for Bounded<WString, N> {}
impl Tabled for WChar {}
impl<K: Wire<Value: Ord>, V: Wire> Tabled for BTreeMap<K, V> {}
impl<K: Wire<Value: Ord>, V: Wire, const N: u32> Tabled for Bounded<BTreeMap<K, V>, N> {}
