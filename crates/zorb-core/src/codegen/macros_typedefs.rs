//! The macros of generated code for typedefs.

/// Defines the type that represents a typedef in an any.
///
/// `typedef!(NameAlias, "IDL:Bank/Name:1.0", "Name", Bounded<String, 8>);` Values and encoding are those of the
/// original type; the TypeCode is a `tk_alias`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_typedef {
    ($name:ident, $id:literal, $idl:literal, $original:ty) => {
        #[doc = ::core::concat!("The IDL type `", $idl, "` in an any, with its own name and repository id.")]
        #[allow(dead_code, nonstandard_style, unreachable_pub)]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        $crate::__zorb_typed!(@ $name, alias(
            $id,
            $idl,
            <$original as $crate::codegen::Typed>::type_desc,
        ));

        impl $crate::codegen::Tabled for $name {
            const TABLE: $crate::codegen::Table<Self> =
                $crate::codegen::Table::alias::<$original>();
        }

        impl $crate::codegen::Wire for $name {
            type Value = <$original as $crate::codegen::Wire>::Value;
            type View = <$original as $crate::codegen::Wire>::View;
            type Borrowed<'a> = <$original as $crate::codegen::Wire>::Borrowed<'a>;
            const MIN_SIZE: usize = <$original as $crate::codegen::Wire>::MIN_SIZE;
            const LAYOUT: ::core::option::Option<$crate::codegen::FixedLayout> =
                <$original as $crate::codegen::Wire>::LAYOUT;
            const ALWAYS_AS_IS: bool = <$original as $crate::codegen::Wire>::ALWAYS_AS_IS;

            #[inline]
            fn view(value: &Self::Value) -> &Self::View {
                <$original as $crate::codegen::Wire>::view(value)
            }

            #[inline]
            fn write(
                value: &Self::View,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                <$original as $crate::codegen::Wire>::write(value, writer)
            }

            #[inline]
            fn read(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self::Value> {
                <$original as $crate::codegen::Wire>::read(reader)
            }

            #[inline]
            fn read_borrowed<'a>(
                reader: &mut $crate::codegen::CdrReader<'a>,
            ) -> $crate::codegen::CdrResult<Self::Borrowed<'a>> {
                <$original as $crate::codegen::Wire>::read_borrowed(reader)
            }

            #[inline]
            fn passes_as_is(value: &Self::View, context: &$crate::codegen::Context) -> bool {
                <$original as $crate::codegen::Wire>::passes_as_is(value, context)
            }

            #[inline]
            fn write_fixed(
                value: &Self::Value,
                writer: &mut $crate::codegen::FixedWriter<'_>,
            ) -> ::core::option::Option<()> {
                <$original as $crate::codegen::Wire>::write_fixed(value, writer)
            }

            #[inline]
            fn read_fixed(
                reader: &mut $crate::codegen::FixedReader<'_>,
            ) -> ::core::option::Option<Self::Value> {
                <$original as $crate::codegen::Wire>::read_fixed(reader)
            }

            #[inline]
            fn write_fixed_array(
                values: &[Self::Value],
                writer: &mut $crate::codegen::FixedWriter<'_>,
            ) -> ::core::option::Option<()> {
                <$original as $crate::codegen::Wire>::write_fixed_array(values, writer)
            }

            #[inline]
            fn read_fixed_array<const __N: usize>(
                reader: &mut $crate::codegen::FixedReader<'_>,
            ) -> ::core::option::Option<[Self::Value; __N]> {
                <$original as $crate::codegen::Wire>::read_fixed_array(reader)
            }

            #[inline]
            fn write_slice(
                values: &[Self::Value],
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                <$original as $crate::codegen::Wire>::write_slice(values, writer)
            }

            #[inline]
            fn read_vec(
                reader: &mut $crate::codegen::CdrReader<'_>,
                count: usize,
            ) -> $crate::codegen::CdrResult<::std::vec::Vec<Self::Value>> {
                <$original as $crate::codegen::Wire>::read_vec(reader, count)
            }

            #[inline]
            fn read_elements<'a>(
                reader: &mut $crate::codegen::CdrReader<'a>,
                count: usize,
            ) -> $crate::codegen::CdrResult<::std::borrow::Cow<'a, [Self::Value]>> {
                <$original as $crate::codegen::Wire>::read_elements(reader, count)
            }
        }
    };
}
