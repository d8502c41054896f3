//! The macros of generated code for views.

/// Implements the traits of the view of a struct: `view!(Money, MoneyView, { 0 cents: i64, 1 unit: Currency });`, with the
/// number of each member.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_view {
    ($name:ident, $view:ident, { $($number:literal $field:ident: $type:ty),* $(,)? }) => {
        impl $view<'_> {
            /// The layouts of the members before each one.
            const __BEFORE: [$crate::codegen::FixedLayout; [$($number),*].len()] =
                $crate::codegen::FixedLayout::before_each(
                    [$(<$type as $crate::codegen::FixedSize>::FIXED),*],
                );
        }

        impl $crate::codegen::FixedSize for $name {
            type InPlace<'a> = $view<'a>;
            const FIXED: $crate::codegen::FixedLayout = $crate::codegen::FixedLayout::in_a_row(
                &[$(<$type as $crate::codegen::FixedSize>::FIXED),*],
            );
            const VALIDITY: $crate::codegen::Validity = $crate::codegen::Validity::of_all(
                &[$(<$type as $crate::codegen::FixedSize>::VALIDITY),*],
            );

            #[inline]
            fn in_place(place: $crate::codegen::Place<'_>) -> $view<'_> {
                $view(place)
            }

            #[inline]
            fn owned(view: $view<'_>) -> Self {
                Self {
                    $($field: <$type as $crate::codegen::FixedSize>::owned(
                        $crate::__zorb_member!(view: $view, $number $type),
                    )),*
                }
            }

            #[inline]
            fn is_valid(place: $crate::codegen::Place<'_>, last_char: u8) -> bool {
                // All of them in any case: a loop of structs that is not left is faster.
                true $(& <$type as $crate::codegen::FixedSize>::is_valid(
                    place.behind(const { &$view::__BEFORE[$number] }),
                    last_char,
                ))*
            }
        }

        impl ::core::convert::From<$view<'_>> for $name {
            #[inline]
            fn from(view: $view<'_>) -> Self {
                <Self as $crate::codegen::FixedSize>::owned(view)
            }
        }

        impl ::core::fmt::Debug for $view<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&<$name as ::core::convert::From<Self>>::from(*self), f)
            }
        }
    };
}

/// The body of a method that reads a member in place: `member!(self: MoneyView, 0 i64)`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_member {
    ($place:ident: $view:ident, $number:literal $type:ty) => {
        <$type as $crate::codegen::FixedSize>::in_place(
            $place.0.behind(const { &$view::__BEFORE[$number] }),
        )
    };
}

/// The body of a stub that passes views of the results to a function: `view_results!(self, "withdraw", [Money => amount],
/// [view result: Money, own count: i32], read)`.
///
/// `own` results are passed as values.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_view_results {
    (@ view $reader:ident $type:ty) => {
        <$crate::codegen::Views<$type> as $crate::codegen::Wire>::read_borrowed($reader)?
    };
    (@ own $reader:ident $type:ty) => {
        <$type as $crate::codegen::Wire>::read($reader)?
    };
    (@ view $result:ident) => { $result.view() };
    (@ own $result:ident) => { $result };
    (
        $reference:expr, $operation:expr, [$($type:ty => $value:expr),*],
        [$($kind:ident $result:ident: $result_type:ty),*], $read:expr
    ) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        let read = ::core::cell::Cell::new(::core::option::Option::Some($read));
        $crate::codegen::ObjectRef::invoke(
            $crate::codegen::Interface::as_object($reference),
            $operation,
            |_writer| {
                $(<$type>::write($value, _writer)?;)*
                ::core::result::Result::Ok(())
            },
            |_reader| {
                $(let $result = $crate::__zorb_view_results!(@ $kind _reader $result_type);)*
                // Nothing may be wrong with the results when the function gets them.
                _reader.expect_end("results")?;
                match read.take() {
                    ::core::option::Option::Some(read) => ::core::result::Result::Ok(
                        read($($crate::__zorb_view_results!(@ $kind $result)),*),
                    ),
                    ::core::option::Option::None => ::core::result::Result::Err(
                        _reader.error($crate::codegen::CdrErrorKind::Unsupported, "results"),
                    ),
                }
            },
        )
    }};
}
