//! The macros of generated code for what all types have.

/// The parts of `Wire` for a type that is its own value and view, and borrows nothing from a request.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_own_view {
    () => {
        type Value = Self;
        type View = Self;
        type Borrowed<'a> = Self;

        #[inline]
        fn view(value: &Self) -> &Self {
            value
        }

        #[inline]
        fn read_borrowed<'a>(
            reader: &mut $crate::codegen::CdrReader<'a>,
        ) -> $crate::codegen::CdrResult<Self> {
            <Self as $crate::codegen::Wire>::read(reader)
        }
    };
}

/// The parts of `FixedSize` for a type whose values are read in place as they are.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_own_in_place {
    () => {
        type InPlace<'a> = Self;

        #[inline]
        fn owned(in_place: Self) -> Self {
            in_place
        }
    };
}

/// Implements `Typed`, the TypeCode of a generated type.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_typed {
    (enumeration $name:ident, $id:literal, $idl:literal, { $($value:literal),* }) => {
        $crate::__zorb_typed!(@ $name, enumeration($id, $idl, &[$($value),*]));
    };
    (union $name:ident, $id:literal, $idl:literal, $discriminator:ty, {
        $($member:literal: $type:ty = $label:tt;)*
    }) => {
        $crate::__zorb_typed!(@ $name, union(
            $id,
            $idl,
            <$discriminator as $crate::codegen::Typed>::type_desc,
            {
                // The index of the default member, or -1.
                let mut defaults: &[bool] = &[$($crate::__zorb_typed!(? $label)),*];
                let mut index = 0;
                loop {
                    match defaults {
                        [] => break -1,
                        [true, ..] => break index,
                        [_, rest @ ..] => defaults = rest,
                    }
                    index += 1;
                }
            },
            &[$((
                $crate::__zorb_typed!(# $discriminator, $label),
                $member,
                <$type as $crate::codegen::Typed>::type_desc,
            )),*],
        ));
    };
    ($kind:ident $name:ident, $id:literal, $idl:literal, { $($member:literal: $type:ty),* }) => {
        $crate::__zorb_typed!(@ $name, $kind(
            $id,
            $idl,
            &[$(($member, <$type as $crate::codegen::Typed>::type_desc)),*],
        ));
    };
    (@ $name:ident, $make:ident($($argument:expr),* $(,)?)) => {
        impl $crate::codegen::Typed for $name {
            fn type_desc() -> &'static $crate::codegen::TypeDesc {
                static DESC: $crate::codegen::TypeDesc =
                    $crate::codegen::TypeDesc::$make($($argument),*);
                &DESC
            }
        }
    };
    // Whether a label is `default`.
    (? default) => { true };
    (? $label:tt) => { false };
    // A label as a number; 0 for `default`, where it is not used.
    (# $discriminator:ty, default) => { 0 };
    (# $discriminator:ty, [$($label:tt)+]) => {{
        const LABEL: <$discriminator as $crate::codegen::Wire>::Value = $($label)+;
        LABEL as i64
    }};
}
