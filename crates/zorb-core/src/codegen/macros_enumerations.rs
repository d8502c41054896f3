//! The macros of generated code for enumerations.

/// Implements the traits of an IDL enumeration; the first enumerator is the default.
///
/// `enumeration!(Currency, "IDL:Bank/Currency:1.0", "Currency", { Eur = "EUR", Usd = "USD" });`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_enumeration {
    (interpretive $name:ident, $id:literal, $idl:literal, { $($variant:ident = $member:literal),* $(,)? }) => {
        impl $crate::codegen::Tabled for $name {
            const TABLE: $crate::codegen::Table<Self> =
                $crate::codegen::enum_table!($name $idl { $($variant),* });

            fn operand<'v>(view: &'v &'v Self) -> $crate::codegen::Operand<'v> {
                $crate::codegen::Operand::value::<Self>(view)
            }
        }

        $crate::__zorb_enumeration!(@ $name, $id, $idl, { $($variant = $member),* });
    };
    ($name:ident, $id:literal, $idl:literal, { $($variant:ident = $member:literal),* $(,)? }) => {
        impl $crate::codegen::Tabled for $name {}

        $crate::__zorb_enumeration!(@ $name, $id, $idl, { $($variant = $member),* });
    };
    (@ $name:ident, $id:literal, $idl:literal, { $first:ident = $first_idl:literal $(, $variant:ident = $member:literal)* $(,)? }) => {
        $crate::__zorb_typed!(enumeration $name, $id, $idl, { $first_idl $(, $member)* });

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self::$first
            }
        }

        impl ::core::convert::TryFrom<u32> for $name {
            type Error = $crate::codegen::UnknownEnumerator;

            #[inline]
            fn try_from(
                value: u32,
            ) -> ::core::result::Result<Self, $crate::codegen::UnknownEnumerator> {
                const VALUES: &[$name] = &[$name::$first $(, $name::$variant)*];
                match VALUES.get(value as usize) {
                    ::core::option::Option::Some(&found) => ::core::result::Result::Ok(found),
                    ::core::option::Option::None => ::core::result::Result::Err(
                        $crate::codegen::UnknownEnumerator { enumeration: $idl, value },
                    ),
                }
            }
        }

        impl ::core::convert::From<$name> for u32 {
            #[inline]
            fn from(value: $name) -> u32 {
                value as u32
            }
        }

        impl $crate::codegen::FixedSize for $name {
            $crate::__zorb_own_in_place!();

            const FIXED: $crate::codegen::FixedLayout =
                <u32 as $crate::codegen::FixedSize>::FIXED;
            const VALIDITY: $crate::codegen::Validity = $crate::codegen::Validity::Some;

            #[inline]
            fn in_place(position: $crate::codegen::Position<'_>) -> Self {
                let value = <u32 as $crate::codegen::FixedSize>::in_place(position);
                <Self as ::core::convert::TryFrom<u32>>::try_from(value).unwrap_or_default()
            }

            #[inline]
            fn is_valid(position: $crate::codegen::Position<'_>, _: u8) -> bool {
                let value = <u32 as $crate::codegen::FixedSize>::in_place(position);
                <Self as ::core::convert::TryFrom<u32>>::try_from(value).is_ok()
            }
        }

        impl $crate::codegen::Wire for $name {
            $crate::__zorb_own_view!();

            const MIN_SIZE: usize = 4;
            const LAYOUT: ::core::option::Option<$crate::codegen::FixedLayout> =
                <u32 as $crate::codegen::Wire>::LAYOUT;
            const ALWAYS_AS_IS: bool = true;

            #[inline]
            fn write(
                value: &Self,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                writer.write_u32(*value as u32);
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn read(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self> {
                reader.step(4);
                let value = reader.read_u32()?;
                match <Self as ::core::convert::TryFrom<u32>>::try_from(value) {
                    ::core::result::Result::Ok(found) => ::core::result::Result::Ok(found),
                    ::core::result::Result::Err(_) => ::core::result::Result::Err(
                        reader.error($crate::codegen::CdrErrorKind::BadEnum, $idl),
                    ),
                }
            }

            #[inline]
            fn write_fixed(
                value: &Self,
                writer: &mut $crate::codegen::FixedWriter<'_>,
            ) -> ::core::option::Option<()> {
                <u32 as $crate::codegen::Wire>::write_fixed(&(*value as u32), writer)
            }

            #[inline]
            fn read_fixed(
                reader: &mut $crate::codegen::FixedReader<'_>,
            ) -> ::core::option::Option<Self> {
                let value = <u32 as $crate::codegen::Wire>::read_fixed(reader)?;
                let found = <Self as ::core::convert::TryFrom<u32>>::try_from(value);
                reader.refuse(found.is_err());
                ::core::option::Option::Some(found.unwrap_or_default())
            }
        }
    };
}
