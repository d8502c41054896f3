//! The macros with which generated code makes tables.

/// The [`Table`](crate::Table) of a struct with named fields: `struct_table!(Money { cents: i64, unit: Currency })`, with
/// the IDL types of all fields in the order in which they are sent.
#[macro_export]
#[doc(hidden)]
macro_rules! struct_table {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {{
        // The fields are all there are, and have these types.
        let _: fn(&$name) = |value| {
            let $name { $($field),* } = value;
            $($crate::Table::<$type>::check((&raw const *$field).cast_mut());)*
        };
        static STRUCTURE: $crate::Structure = $crate::Structure::new::<$name>(const {
            &[$($crate::Member::new::<$type>(::core::mem::offset_of!($name, $field))),*]
        });
        // SAFETY: each member has the offset and the type of its field, and each field is a member.
        unsafe { $crate::Table::<$name>::structure(&STRUCTURE) }
    }};
}

/// The [`Table`](crate::Table) of an enumeration: `enum_table!(Currency "Currency" { Eur, Usd })`, with its IDL name and
/// all variants, in order, of an enum with `repr(u32)`.
#[macro_export]
#[doc(hidden)]
macro_rules! enum_table {
    ($name:ident $idl:literal { $($variant:ident),* $(,)? }) => {{
        // The variants are all there are.
        let _: fn($name) = |value| match value {
            $($name::$variant => {})*
        };
        // Its discriminants are the positions, and it has their size.
        static ENUMERATION: $crate::Enumeration = $crate::Enumeration::new::<$name>(
            const { &[$($name::$variant as ::core::primitive::u32),*] },
            $idl,
        );
        // SAFETY: the enumeration has the discriminants below its count, as numbers of this size.
        unsafe { $crate::Table::<$name>::enumeration(&ENUMERATION) }
    }};
}
