//! The macros of generated code for unions.

/// Implements the traits of an IDL union for an enum with payloads.
///
/// ```text
/// union!(Fee, "IDL:Bank/Fee:1.0", "Fee", Currency, {
///     FlatCents(i32 = Currency::Eur) "flat_cents",               // one label: the payload alone
///     Both { String = [Currency::Usd] [Currency::Gbp] } "both",  // several: { label, value }
///     Rate { f64 = default } "rate",                             // the default member
/// });
/// ```
/// Without a default member, `} empty Unset` names the variant for discriminators that select no member; it is
/// omitted if the labels cover all values of the discriminator. A union that contains itself through a sequence
/// begins with `recursive`, and one that a table marshals with `interpretive`, which comes first.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_union {
    (interpretive recursive $($rest:tt)*) => {
        $crate::__zorb_union!(@ interpretive true $($rest)*);
    };
    (interpretive $($rest:tt)*) => {
        $crate::__zorb_union!(@ interpretive false $($rest)*);
    };
    (recursive $($rest:tt)*) => {
        $crate::__zorb_union!(@ compiled true $($rest)*);
    };
    (@ $engine:ident $recursive:tt $name:ident, $id:literal, $idl:literal, $discriminator:ty, {
        $(
            $variant:ident
                $(($one:ty = $($only:tt)+))?
                $({ $many:ty = $([$($label:tt)+])* $($default:ident)? })?
                $member:literal
        ),* $(,)?
    } $(empty $empty:ident)?) => {
        impl $name {
            /// The discriminator.
            #[allow(dead_code)]
            pub fn discriminant(&self) -> <$discriminator as $crate::codegen::Wire>::Value {
                match self {
                    $($(
                        Self::$variant(..) => $($only)+,
                    )?)*
                    $($(
                        Self::$variant { label, .. } => {
                            // Only variants with one label have this form.
                            let _ = ::core::marker::PhantomData::<$many>;
                            *label
                        }
                    )?)*
                    $(Self::$empty { label } => *label,)?
                }
            }
        }

        $crate::__zorb_typed!(union $name, $id, $idl, $discriminator, {
            $(
                $($member: $one = [$($only)+];)?
                $(
                    $($member: $many = [$($label)+];)*
                    $($member: $many = $default;)?
                )?
            )*
        });

        const _: () = {
            #[derive(Clone, Copy, PartialEq)]
            enum __Member {
                $($variant,)*
                $($empty,)?
            }

            /// The index of the member that the discriminator selects.
            #[allow(unreachable_patterns)]
            #[inline]
            fn __select(label: &<$discriminator as $crate::codegen::Wire>::Value) -> __Member {
                match *label {
                    $($($($only)+ => __Member::$variant,)?)*
                    $($($($($label)+ => __Member::$variant,)*)?)*
                    $($($(_ => $crate::__zorb_first!(__Member::$variant, $default),)?)?)*
                    $(_ => __Member::$empty,)?
                }
            }

            $crate::__zorb_union_members!($engine $recursive $name, $idl, $discriminator, {
                $($variant $(($one))? $({ $many })?),*
            } $(empty $empty)?);
        };
    };
    ($name:ident, $($rest:tt)*) => {
        $crate::__zorb_union!(@ compiled false $name, $($rest)*);
    };
}

/// Implements `Wire` and `Tabled` for a union, where `__Member` and `__select` are in scope: the variants have the types of
/// their payloads.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_union_members {
    (interpretive $recursive:tt $name:ident, $idl:literal, $discriminator:ty, {
        $($variant:ident $(($one:ty))? $({ $many:ty })?),*
    } $(empty $empty:ident)?) => {
        fn __position(label: &<$discriminator as $crate::codegen::Wire>::Value) -> usize {
            __select(label) as usize
        }

        $crate::codegen::union_choice!($name $idl $recursive ($discriminator) __position {
            $($variant $(($one))? $({ $many })?),*
        } $(empty $empty)?);

        $crate::__zorb_by_table!(
            recursive $recursive,
            $name,
            $crate::codegen::Table::<$name>::choice(),
            <$discriminator as $crate::codegen::Wire>::MIN_SIZE
        );
    };
    (compiled $recursive:tt $name:ident, $idl:literal, $discriminator:ty, {
        $($variant:ident $(($one:ty))? $({ $many:ty })?),*
    } $(empty $empty:ident)?) => {
        /// Whether the label selects the variant of `value`.
        #[inline]
        fn __fits(
            value: &$name,
            label: &<$discriminator as $crate::codegen::Wire>::Value,
        ) -> bool {
            let selected = __select(label);
            match value {
                $($name::$variant { .. } => selected == __Member::$variant,)*
                $($name::$empty { .. } => selected == __Member::$empty,)?
            }
        }

        impl $crate::codegen::Tabled for $name {}

        impl $crate::codegen::Wire for $name {
            $crate::__zorb_own_view!();

            const MIN_SIZE: usize = <$discriminator as $crate::codegen::Wire>::MIN_SIZE;

            fn write(
                value: &Self,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                let label = value.discriminant();
                if !__fits(value, &label) {
                    return ::core::result::Result::Err(
                        writer.error($crate::codegen::CdrErrorKind::BadDiscriminator, $idl),
                    );
                }
                <$discriminator as $crate::codegen::Wire>::write(&label, writer)?;
                match value {
                    $($(
                        Self::$variant(value) => <$one as $crate::codegen::Wire>::write(
                            <$one as $crate::codegen::Wire>::view(value),
                            writer,
                        ),
                    )?)*
                    $($(
                        Self::$variant { value, .. } => <$many as $crate::codegen::Wire>::write(
                            <$many as $crate::codegen::Wire>::view(value),
                            writer,
                        ),
                    )?)*
                    $(Self::$empty { .. } => ::core::result::Result::Ok(()),)?
                }
            }

            // Recursive values are marshalled, since the reader limits their depth.
            fn passes_as_is(value: &Self, context: &$crate::codegen::Context) -> bool {
                let label = value.discriminant();
                if $recursive
                    || !__fits(value, &label)
                    || !<$discriminator as $crate::codegen::Wire>::passes_as_is(&label, context)
                {
                    return false;
                }
                match value {
                    $($(
                        Self::$variant(value) => <$one as $crate::codegen::Wire>::passes_as_is(
                            <$one as $crate::codegen::Wire>::view(value),
                            context,
                        ),
                    )?)*
                    $($(
                        Self::$variant { value, .. } => {
                            <$many as $crate::codegen::Wire>::passes_as_is(
                                <$many as $crate::codegen::Wire>::view(value),
                                context,
                            )
                        }
                    )?)*
                    $(Self::$empty { .. } => true,)?
                }
            }

            fn read(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self> {
                let label = <$discriminator as $crate::codegen::Wire>::read(reader)?;
                if $recursive {
                    reader.descend($idl)?;
                }
                let value = match __select(&label) {
                    $($(
                        __Member::$variant => {
                            Self::$variant(<$one as $crate::codegen::Wire>::read(reader)?)
                        }
                    )?)*
                    $($(
                        __Member::$variant => {
                            let value = <$many as $crate::codegen::Wire>::read(reader)?;
                            Self::$variant { label, value }
                        }
                    )?)*
                    $(__Member::$empty => Self::$empty { label },)?
                };
                if $recursive {
                    reader.ascend();
                }
                ::core::result::Result::Ok(value)
            }
        }
    };
}

/// Expands to the first parameter. The second one makes the expansion part of a repetition.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_first {
    ($first:expr, $second:tt) => {
        $first
    };
}
