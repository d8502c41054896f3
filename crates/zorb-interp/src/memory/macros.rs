//! The macros with which generated code makes tables.

/// The [`Table`](crate::Table) of a struct with named fields: `struct_table!(Money { cents: i64, unit: Currency })`, with
/// the IDL types of all fields in the order in which they are sent. A struct that contains itself begins with `recursive`
/// and its IDL name.
#[macro_export]
#[doc(hidden)]
macro_rules! struct_table {
    (recursive $idl:literal $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $crate::struct_table!(@ recursive ($idl) $name { $($field: $type),* })
    };
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $crate::struct_table!(@ new () $name { $($field: $type),* })
    };
    (@ $make:ident ($($idl:literal)?) $name:ident { $($field:ident: $type:ty),* }) => {{
        // The fields are all there are, and have these types.
        let _: fn(&$name) = |value| {
            let $name { $($field),* } = value;
            $($crate::Table::<$type>::check((&raw const *$field).cast_mut());)*
        };
        static STRUCTURE: $crate::Structure = $crate::Structure::$make::<$name>(
            const {
                &[$($crate::Member::new::<$type>(::core::mem::offset_of!($name, $field))),*]
            },
            $($idl)?
        );
        // SAFETY: each member has the offset and the type of its field, and each field is a member.
        unsafe { $crate::Table::<$name>::structure(&STRUCTURE) }
    }};
}

/// The [`Numbers`](crate::Numbers) of a struct with named fields, as for [`struct_table!`](crate::struct_table).
#[macro_export]
#[doc(hidden)]
macro_rules! struct_numbers {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {{
        // The fields are all there are, and have these types.
        let _: fn(&$name) = |value| {
            let $name { $($field),* } = value;
            $($crate::Table::<$type>::check((&raw const *$field).cast_mut());)*
        };
        // SAFETY: each part has the offset and the type of its field, and each field is a part.
        unsafe {
            $crate::Numbers::<$name>::structure(
                &[$($crate::Part::new::<$type>(::core::mem::offset_of!($name, $field))),*],
            )
        }
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

/// Implements [`Choice`](crate::Choice) for an enum with a variant for each member of a union, in a scope of its own:
/// `union_choice!(Fee "Fee" false (Currency) select { Flat(i32), Rate { f64 } } empty Unset)`, with the IDL name, whether
/// it contains itself, the discriminator's type, and a function from a discriminator to a position. Variants with one label
/// have the payload alone, those with several also the `label`, and the variant without payload only that. The enum's
/// `discriminant` returns the label.
#[macro_export]
#[doc(hidden)]
macro_rules! union_choice {
    ($name:ident $idl:literal $recursive:literal ($discriminator:ty) $select:path {
        $($variant:ident $(($one:ty))? $({ $many:ty })?),* $(,)?
    } $(empty $empty:ident)?) => {
        enum __Position {
            $($variant,)*
            $($empty,)?
        }

        static __UNION: $crate::Union = $crate::Union::new::<$name>($idl, $recursive);

        // SAFETY: the variants are all there are, and their payloads have the types at their positions.
        unsafe impl $crate::Choice for $name {
            type Discriminator = $discriminator;
            const MEMBERS: &'static [$crate::Payload] = &[
                $({
                    // Positions count variants: each has exactly one payload.
                    let [payload]: [$crate::Payload; 1] =
                        [$($crate::Payload::of::<$one>(),)? $($crate::Payload::of::<$many>(),)?];
                    payload
                },)*
                $({
                    let _ = __Position::$empty;
                    $crate::Payload::NONE
                },)?
            ];
            const UNION: &'static $crate::Union = &__UNION;

            fn label(&self) -> $crate::UnionLabel<Self> {
                Self::discriminant(self)
            }

            fn select(label: &$crate::UnionLabel<Self>) -> ::core::primitive::usize {
                $select(label)
            }

            fn payload(&self) -> (::core::primitive::usize, *const ::core::primitive::u8) {
                match self {
                    $($(Self::$variant(value) => (
                        __Position::$variant as ::core::primitive::usize,
                        $crate::Payload::address::<$one>(value),
                    ),)?)*
                    $($(Self::$variant { label: _, value } => (
                        __Position::$variant as ::core::primitive::usize,
                        $crate::Payload::address::<$many>(value),
                    ),)?)*
                    $(Self::$empty { label: _ } => (
                        __Position::$empty as ::core::primitive::usize,
                        ::core::ptr::from_ref(self).cast(),
                    ),)?
                }
            }

            unsafe fn build(
                label: $crate::UnionLabel<Self>,
                position: ::core::primitive::usize,
                payload: *const ::core::primitive::u8,
            ) -> ::core::option::Option<Self> {
                let _ = (label, payload);
                $($(if position == __Position::$variant as ::core::primitive::usize {
                    // SAFETY: the payload has the type at the position.
                    let value = unsafe { $crate::Payload::take::<$one>(payload) };
                    return ::core::option::Option::Some(Self::$variant(value));
                })?)*
                $($(if position == __Position::$variant as ::core::primitive::usize {
                    // SAFETY: the payload has the type at the position.
                    let value = unsafe { $crate::Payload::take::<$many>(payload) };
                    return ::core::option::Option::Some(Self::$variant { label, value });
                })?)*
                $(if position == __Position::$empty as ::core::primitive::usize {
                    return ::core::option::Option::Some(Self::$empty { label });
                })?
                ::core::option::Option::None
            }
        }
    };
}

/// Defines the error of an operation, and its layout: `raised!(derive(Clone) "The exceptions of f." => WithdrawError {
/// "Too little." => Overdrawn(Overdrawn) = "IDL:Bank/Overdrawn:1.0", } "A system exception." => System(SystemException))`, with
/// the documentation, the exceptions and their repository ids, and the error that is in no `raises` clause.
#[macro_export]
#[doc(hidden)]
macro_rules! raised {
    (derive($($derived:ident),*) $doc:expr => $name:ident {
        $($of_variant:expr => $variant:ident($exception:ty) = $id:expr,)*
    } $of_other:expr => $other:ident($system:ty)) => {
        #[doc = $doc]
        #[allow(clippy::all, dead_code, unreachable_pub)]
        #[derive($($derived),*)]
        #[repr(u32)]
        pub enum $name {
            $(
                #[doc = $of_variant]
                $variant($exception),
            )*
            #[doc = $of_other]
            $other($system),
        }

        impl $crate::Raised for $name {
            type Other = $system;
            const CLAUSE: $crate::Clause<Self> = {
                const LISTED: &[$crate::Exception] =
                    &[$($crate::Exception::new::<$exception>($id)),*];
                // SAFETY: the enum has this representation and these variants, in this order.
                unsafe { $crate::Clause::<$name>::listed(LISTED) }
            };
        }
    };
}
