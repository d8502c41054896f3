//! The macros of generated code for bit masks and bit sets.

/// Implements the traits and methods of an IDL bit mask for a newtype of a number.
///
/// `bitmask!(Access, u16, "IDL:Files/Access:1.0", "Access");` Generated code defines the named bits as constants.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_bitmask {
    ($name:ident, $number:ty, $id:literal, $idl:literal) => {
        #[allow(dead_code)]
        impl $name {
            /// The mask with these bits, including those without a name.
            pub const fn from_bits(bits: $number) -> Self {
                Self(bits)
            }

            /// All bits as a number.
            pub const fn bits(self) -> $number {
                self.0
            }

            /// Whether no bit is set.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all bits of `other` are set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl ::core::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl ::core::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }

        impl ::core::ops::BitAnd for $name {
            type Output = Self;

            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        /// The bits of the first without those of the second.
        impl ::core::ops::Sub for $name {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }
        }

        $crate::__zorb_typed!(@ $name, alias(
            $id,
            $idl,
            <$number as $crate::codegen::Typed>::type_desc,
        ));

        $crate::__zorb_as_number!($name, $number, value => {
            let _ = &value;
            ::core::result::Result::Ok(value.0)
        }, number => Self(number));
    };
}

/// Implements the traits of an IDL bit set for a struct: fields with offset and width.
///
/// `bitset!(Flags, u8, "IDL:Files/Flags:1.0", "Flags", { kind: u8 = 0 3, hidden: bool = 3 1 });`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_bitset {
    ($name:ident, $number:ty, $id:literal, $idl:literal, {
        $($field:ident: $type:ty = $offset:literal $width:literal),* $(,)?
    }) => {
        $crate::__zorb_typed!(@ $name, alias(
            $id,
            $idl,
            <$number as $crate::codegen::Typed>::type_desc,
        ));

        $crate::__zorb_as_number!($name, $number, value => {
            let _ = &value;
            let mut bits = 0_u64;
            let _ = &mut bits;
            $(
                match $crate::codegen::put_field::<$type>(value.$field, $offset, $width) {
                    ::core::option::Option::Some(field) => bits |= field,
                    ::core::option::Option::None => {
                        return ::core::result::Result::Err(
                            $crate::codegen::CdrErrorKind::BoundExceeded,
                        );
                    }
                }
            )*
            ::core::result::Result::Ok(bits as $number)
        }, number => {
            let _ = &number;
            Self {
                $($field: $crate::codegen::take_field::<$type>(
                    ::core::convert::From::from(number),
                    $offset,
                    $width,
                )),*
            }
        });
    };
}

/// Implements `Wire` for a type that is sent as a number.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_as_number {
    ($name:ident, $number:ty, $value:ident => $to:expr, $received:ident => $from:expr) => {
        const _: () = {
            impl $name {
                #[inline]
                fn __number(
                    $value: &Self,
                ) -> ::core::result::Result<$number, $crate::codegen::CdrErrorKind> {
                    $to
                }

                #[inline]
                fn __of_number($received: $number) -> Self {
                    $from
                }
            }

            impl $crate::codegen::Tabled for $name {}

            impl $crate::codegen::FixedSize for $name {
                $crate::__zorb_own_in_place!();

                const FIXED: $crate::codegen::FixedLayout =
                    <$number as $crate::codegen::FixedSize>::FIXED;
                const VALIDITY: $crate::codegen::Validity = $crate::codegen::Validity::All;

                #[inline]
                fn in_place(position: $crate::codegen::Position<'_>) -> Self {
                    Self::__of_number(<$number as $crate::codegen::FixedSize>::in_place(position))
                }

                #[inline]
                fn is_valid(_: $crate::codegen::Position<'_>, _: u8) -> bool {
                    true
                }
            }

            impl $crate::codegen::Wire for $name {
                $crate::__zorb_own_view!();

                const MIN_SIZE: usize = <$number as $crate::codegen::Wire>::MIN_SIZE;
                const LAYOUT: ::core::option::Option<$crate::codegen::FixedLayout> =
                    <$number as $crate::codegen::Wire>::LAYOUT;

                #[inline]
                fn write(
                    value: &Self,
                    writer: &mut $crate::codegen::CdrWriter<'_>,
                ) -> $crate::codegen::CdrResult<()> {
                    match Self::__number(value) {
                        ::core::result::Result::Ok(number) => {
                            <$number as $crate::codegen::Wire>::write(&number, writer)
                        }
                        ::core::result::Result::Err(kind) => ::core::result::Result::Err(
                            writer.error(kind, ::core::stringify!($name)),
                        ),
                    }
                }

                #[inline]
                fn read(
                    reader: &mut $crate::codegen::CdrReader<'_>,
                ) -> $crate::codegen::CdrResult<Self> {
                    <$number as $crate::codegen::Wire>::read(reader).map(Self::__of_number)
                }

                #[inline]
                fn write_fixed(
                    value: &Self,
                    writer: &mut $crate::codegen::FixedWriter<'_>,
                ) -> ::core::option::Option<()> {
                    <$number as $crate::codegen::Wire>::write_fixed(
                        &Self::__number(value).ok()?,
                        writer,
                    )
                }

                #[inline]
                fn read_fixed(
                    reader: &mut $crate::codegen::FixedReader<'_>,
                ) -> ::core::option::Option<Self> {
                    <$number as $crate::codegen::Wire>::read_fixed(reader).map(Self::__of_number)
                }
            }
        };
    };
}
