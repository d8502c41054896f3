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
            const FIXED: $crate::codegen::FixedLayout = $crate::codegen::FixedLayout::consecutive(
                &[$(<$type as $crate::codegen::FixedSize>::FIXED),*],
            );
            const VALIDITY: $crate::codegen::Validity = $crate::codegen::Validity::of_all(
                &[$(<$type as $crate::codegen::FixedSize>::VALIDITY),*],
            );

            #[inline]
            fn in_place(position: $crate::codegen::Position<'_>) -> $view<'_> {
                $view(position)
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
            fn is_valid(position: $crate::codegen::Position<'_>, last_char: u8) -> bool {
                // All of them in any case: a loop of structs that is not left is faster.
                true $(& <$type as $crate::codegen::FixedSize>::is_valid(
                    position.after(const { &$view::__BEFORE[$number] }),
                    last_char,
                ))*
            }
        }

        $crate::__zorb_copy_of_view!($name, $view, FixedSize::owned);
    };
}

/// Implements the traits of the view of a struct with strings or sequences: `variable_view!(Note, NoteView, { 0 id: i64,
/// 1 text: String });`, with the number of each member.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_variable_view {
    ($name:ident, $view:ident, { $($number:literal $field:ident: $type:ty),* $(,)? }) => {
        impl<'a> $view<'a> {
            /// The position of a member, or that after the last one.
            fn __position(self, number: usize) -> $crate::codegen::Position<'a> {
                let position = self.0;
                $(
                    if number == $number {
                        return position;
                    }
                    let position = <$type as $crate::codegen::Viewed>::after(position);
                )*
                position
            }
        }

        impl $crate::codegen::Viewed for $name {
            type ReadAs<'a> = $view<'a>;
            type Positions<'a> = $crate::codegen::VariablePositions<'a, Self>;

            #[inline]
            fn read_at(position: $crate::codegen::Position<'_>) -> $view<'_> {
                $view(position)
            }

            fn after(position: $crate::codegen::Position<'_>) -> $crate::codegen::Position<'_> {
                $view(position).__position(::core::primitive::usize::MAX)
            }

            #[inline]
            fn positions(
                position: $crate::codegen::Position<'_>,
                count: usize,
            ) -> $crate::codegen::VariablePositions<'_, Self> {
                $crate::codegen::VariablePositions::new(position, count)
            }

            fn value(view: $view<'_>) -> Self {
                let position = view.0;
                $(
                    let $field = <$type as $crate::codegen::Viewed>::value(
                        <$type as $crate::codegen::Viewed>::read_at(position),
                    );
                    let position = <$type as $crate::codegen::Viewed>::after(position);
                )*
                let _ = position;
                Self { $($field),* }
            }

            fn check(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> ::core::option::Option<()> {
                $(<$type as $crate::codegen::Viewed>::check(reader)?;)*
                ::core::option::Option::Some(())
            }

            fn copy(
                reader: &mut $crate::codegen::CdrReader<'_>,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                $(<$type as $crate::codegen::Viewed>::copy(reader, writer)?;)*
                ::core::result::Result::Ok(())
            }
        }

        $crate::__zorb_copy_of_view!($name, $view, Viewed::value);
    };
}

/// Implements the conversion of a view to a struct, by a function of `codegen`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_copy_of_view {
    ($name:ident, $view:ident, $trait:ident::$copy:ident) => {
        impl ::core::convert::From<$view<'_>> for $name {
            #[inline]
            fn from(view: $view<'_>) -> Self {
                <Self as $crate::codegen::$trait>::$copy(view)
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
    ($value:ident: $view:ident, $number:literal $type:ty) => {
        <$type as $crate::codegen::FixedSize>::in_place(
            $value.0.after(const { &$view::__BEFORE[$number] }),
        )
    };
}

/// As `member`, in a struct with strings or sequences.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_variable_member {
    ($value:ident: $view:ident, $number:literal $type:ty) => {
        <$type as $crate::codegen::Viewed>::read_at($value.__position($number))
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
