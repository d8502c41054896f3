//! The macros of generated code for structs and exceptions.

/// Implements the traits of an IDL struct.
///
/// `structure!(Money, "IDL:Bank/Money:1.0", "Money", { cents: i64 = "cents" });` A type that
/// contains itself through a sequence begins with `recursive`, which limits its nesting; one of numbers that have no padding
/// between them in CDR with `numbers`, and sequences of it are then moved as a whole; any type may begin with `interpretive`,
/// and is then marshalled by a table.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_structure {
    (interpretive recursive $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_interpretive_members!($name recursive $idl, { $($field: $type),* });
        $crate::__zorb_typed!(structure $name, $id, $idl, { $($member: $type),* });
    };
    (interpretive $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_interpretive_members!($name, { $($field: $type),* });
        $crate::__zorb_typed!(structure $name, $id, $idl, { $($member: $type),* });
    };
    ($name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_members!($name, $idl, false, { $($field: $type),* });
        $crate::__zorb_typed!(structure $name, $id, $idl, { $($member: $type),* });
    };
    (numbers $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_members!(
            $name, $idl, false, { $($field: $type),* },
            $crate::codegen::struct_numbers!($name { $($field: $type),* })
        );
        $crate::__zorb_typed!(structure $name, $id, $idl, { $($member: $type),* });
    };
    (recursive $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_members!($name, $idl, true, { $($field: $type),* });
        $crate::__zorb_typed!(structure $name, $id, $idl, { $($member: $type),* });
    };
}

/// Implements `Wire` for a struct or exception by a layout table.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_interpretive_members {
    ($name:ident recursive $idl:literal, { $($field:ident: $type:ty),* }) => {
        $crate::__zorb_each_member!($name { $($field: $type),* });
        $crate::__zorb_by_table!(
            recursive true,
            $name,
            $crate::codegen::struct_table!(recursive $idl $name { $($field: $type),* }),
            $crate::codegen::min_size(&[$(<$type as $crate::codegen::Wire>::MIN_SIZE),*])
        );
    };
    ($name:ident, { $($field:ident: $type:ty),* }) => {
        $crate::__zorb_each_member!($name { $($field: $type),* });
        $crate::__zorb_by_table!(
            recursive false,
            $name,
            $crate::codegen::struct_table!($name { $($field: $type),* }),
            $crate::codegen::min_size(&[$(<$type as $crate::codegen::Wire>::MIN_SIZE),*])
        );
    };
}

/// Implements `Tabled` by a table, and `Wire` by the same one: `by_table!(recursive false, Name, table, least size)`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_by_table {
    (recursive true, $name:ident, $table:expr, $min_size:expr) => {
        impl $crate::codegen::Deferred for $name {
            fn table() -> &'static $crate::codegen::Table<Self> {
                static TABLE: $crate::codegen::Table<$name> = $table;
                &TABLE
            }
        }

        $crate::__zorb_by_table!(
            recursive false,
            $name,
            $crate::codegen::Table::<$name>::deferred(),
            $min_size
        );
    };
    (recursive false, $name:ident, $table:expr, $min_size:expr) => {
        impl $crate::codegen::Tabled for $name {
            const TABLE: $crate::codegen::Table<Self> = $table;

            fn operand<'v>(view: &'v &'v Self) -> $crate::codegen::Operand<'v> {
                $crate::codegen::Operand::value::<Self>(view)
            }
        }

        // Collocated calls marshal it, which takes no code of its own.
        impl $crate::codegen::Wire for $name {
            $crate::__zorb_own_view!();

            const MIN_SIZE: usize = $min_size;

            fn write(
                value: &Self,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                $crate::codegen::write_value::<Self>(value, writer)
            }

            fn read(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self> {
                $crate::codegen::read_value::<Self>(reader)
            }
        }
    };
}

/// Makes the members of a struct or exception known one by one.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_each_member {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        impl $crate::codegen::Members for $name {
            const MEMBERS: &'static [$crate::codegen::MemberOf<Self>] =
                &[$($crate::codegen::MemberOf::new::<$type>(
                    ::core::mem::offset_of!($name, $field),
                    |value, writer| {
                        <$type as $crate::codegen::Wire>::write(
                            <$type as $crate::codegen::Wire>::view(&value.$field),
                            writer,
                        )
                    },
                )),*];
        }
    };
}

/// Implements `Wire` for a struct or exception: its members in order. The last argument is there if they are numbers.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_members {
    ($name:ident, $idl:literal, $recursive:literal, { $($field:ident: $type:ty),* } $(, $numbers:expr)?) => {
        $crate::__zorb_each_member!($name { $($field: $type),* });

        impl $crate::codegen::Tabled for $name {
            $(const NUMBERS: $crate::codegen::Numbers<Self> = $numbers;)?
        }

        impl $crate::codegen::Wire for $name {
            $crate::__zorb_own_view!();

            const MIN_SIZE: usize =
                $crate::codegen::min_size(&[$(<$type as $crate::codegen::Wire>::MIN_SIZE),*]);
            const LAYOUT: ::core::option::Option<$crate::codegen::FixedLayout> =
                $crate::codegen::FixedLayout::members(
                    &[$(<$type as $crate::codegen::Wire>::LAYOUT),*],
                );
            const ALWAYS_AS_IS: bool =
                !$recursive $(&& <$type as $crate::codegen::Wire>::ALWAYS_AS_IS)*;
            $(
                const IN_MEMORY: ::core::option::Option<$crate::codegen::InMemory<Self>> =
                    $numbers.in_memory();
            )?

            // Recursive values are marshalled, since the reader limits their depth.
            #[inline]
            fn passes_as_is(value: &Self, context: &$crate::codegen::Context) -> bool {
                let _ = (value, context);
                !$recursive
                    $(&& <$type as $crate::codegen::Wire>::passes_as_is(
                        <$type as $crate::codegen::Wire>::view(&value.$field),
                        context,
                    ))*
            }

            #[inline]
            fn write(
                value: &Self,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                let _ = (value, &writer);
                $(
                    <$type as $crate::codegen::Wire>::write(
                        <$type as $crate::codegen::Wire>::view(&value.$field),
                        writer,
                    )?;
                )*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn read(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self> {
                let _ = &reader;
                if $recursive {
                    reader.descend($idl)?;
                }
                let value = Self {
                    $($field: <$type as $crate::codegen::Wire>::read(reader)?),*
                };
                if $recursive {
                    reader.ascend();
                }
                ::core::result::Result::Ok(value)
            }

            #[inline]
            fn write_fixed(
                value: &Self,
                writer: &mut $crate::codegen::FixedWriter<'_>,
            ) -> ::core::option::Option<()> {
                let _ = (value, &writer);
                $(<$type as $crate::codegen::Wire>::write_fixed(
                    &value.$field,
                    writer,
                )?;)*
                ::core::option::Option::Some(())
            }

            #[inline]
            fn read_fixed(
                reader: &mut $crate::codegen::FixedReader<'_>,
            ) -> ::core::option::Option<Self> {
                let _ = &reader;
                ::core::option::Option::Some(Self {
                    $($field: <$type as $crate::codegen::Wire>::read_fixed(reader)?),*
                })
            }
        }
    };
}

/// Implements the traits of an IDL exception for a struct.
///
/// `exception!(NotFound, "IDL:Bank/NotFound:1.0", "Bank::NotFound", { name: String = "name" });`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_exception {
    (interpretive $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_interpretive_members!($name, { $($field: $type),* });
        $crate::__zorb_exception!(@ $name, $id, $idl, { $($field: $type = $member),* });
    };
    ($name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* $(,)? }) => {
        $crate::__zorb_members!($name, $idl, false, { $($field: $type),* });
        $crate::__zorb_exception!(@ $name, $id, $idl, { $($field: $type = $member),* });
    };
    (@ $name:ident, $id:literal, $idl:literal, { $($field:ident: $type:ty = $member:literal),* }) => {
        $crate::__zorb_typed!(exception $name, $id, $idl, { $($member: $type),* });

        impl $crate::codegen::UserException for $name {
            const REPOSITORY_ID: &'static str = $id;
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($idl)?;
                let mut separator = " (";
                let _ = &mut separator;
                $(
                    ::core::write!(f, "{separator}{} {:?}", $member, &self.$field)?;
                    separator = ", ";
                )*
                if separator == " (" { ::core::result::Result::Ok(()) } else { f.write_str(")") }
            }
        }

        impl ::core::error::Error for $name {}
    };
}
