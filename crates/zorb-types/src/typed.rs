//! Rust types with a TypeCode.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{Bounded, Octets, WChar, WString, Wire};

use crate::{TcKind, TypeCode, TypeDesc};

/// A [`Wire`] type with a description of its IDL type, which an [`Any`](crate::Any) can hold.
///
/// Generated code implements it (see [`TypeDesc`]). The `Wire` of an exception writes its members only;
/// the ORB writes the repository id before them.
pub trait Typed: Wire {
    /// The description of the IDL type.
    fn type_desc() -> &'static TypeDesc;

    /// The TypeCode of the IDL type.
    fn type_code() -> TypeCode {
        TypeCode::from(Self::type_desc())
    }
}

macro_rules! plain {
    ($($type:ty, $kind:ident;)*) => {$(
        impl Typed for $type {
            fn type_desc() -> &'static TypeDesc {
                const { &TypeDesc::plain(TcKind::$kind) }
            }
        }
    )*};
}

plain! {
    u8, Octet;
    // `int8` of IDL 4, for which CORBA has no kind.
    i8, Octet;
    i16, Short;
    u16, UShort;
    i32, Long;
    u32, ULong;
    i64, LongLong;
    u64, ULongLong;
    f32, Float;
    f64, Double;
    bool, Boolean;
    char, Char;
    WChar, WChar;
    String, String;
    WString, WString;
    TypeCode, TypeCode;
}

impl Typed for Octets {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(u8::type_desc, 0) }
    }
}

impl<T: Typed> Typed for Vec<T> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(T::type_desc, 0) }
    }
}

impl<T: Typed, const N: usize> Typed for [T; N] {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::array(T::type_desc, N as u32) }
    }
}

impl<const N: u32> Typed for Bounded<String, N> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::string(N) }
    }
}

impl<const N: u32> Typed for Bounded<WString, N> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::wstring(N) }
    }
}

impl<const N: u32> Typed for Bounded<Octets, N> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(u8::type_desc, N) }
    }
}

impl<T: Typed, const N: u32> Typed for Bounded<Vec<T>, N> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(T::type_desc, N) }
    }
}

/// The description of a map entry. CORBA has no kind for maps: they are sequences of pairs.
fn entry<K: Typed, V: Typed>() -> &'static TypeDesc {
    const { &TypeDesc::structure("", "", &[("key", K::type_desc), ("value", V::type_desc)]) }
}

impl<K: Typed<Value: Ord>, V: Typed> Typed for BTreeMap<K, V> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(entry::<K, V>, 0) }
    }
}

impl<K: Typed<Value: Ord>, V: Typed, const N: u32> Typed for Bounded<BTreeMap<K, V>, N> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::sequence(entry::<K, V>, N) }
    }
}
