//! The macros of generated code for valuetypes.

/// Implements the traits of an IDL valuetype for its state struct.
///
/// ```text
/// valuetype!(Savings: Account, "IDL:Bank/Savings:1.0", "Savings", truncatable to [Account],
///     [Account, Named], operations [Savings as SavingsOperations, Account as AccountOperations],
///     { rate: f64 = "rate" Public });
/// ```
/// The parameters are the base whose state is the member `base` (after the colon, if there is one), the types to
/// which a value may be truncated, all types that it inherits from or supports, and the types that declare its
/// operations, with their traits. With `custom`, the program marshals the state.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_valuetype {
    ($name:ident $(: $base:ty)?, $id:literal, $idl:literal, $(truncatable to [$($to:ty),*],)?
        $(custom $custom:ident,)? [$($ancestor:ty),* $(,)?],
        $(operations [$($operated:ty as $operations:path),* $(,)?],)? {
        $($field:ident: $type:ty = $member:literal $visibility:ident),* $(,)?
    }) => {
        $crate::__zorb_value_kind!($name, $id, $idl, [$($ancestor),*], {
            ::core::option::Option::Some($crate::codegen::KnownValue::of::<Self>())
        }, value(
            $id,
            $idl,
            $crate::__zorb_value_modifier!($(truncatable [$($to),*])? $(custom $custom)?),
            {
                let base = ::core::option::Option::None::<$crate::codegen::TypeFn>;
                $(
                    let _ = base;
                    let base = ::core::option::Option::Some(
                        <$base as $crate::codegen::ValueKind>::type_desc as $crate::codegen::TypeFn,
                    );
                )?
                base
            },
            &[$((
                $member,
                <$type as $crate::codegen::Typed>::type_desc,
                $crate::codegen::Visibility::$visibility,
            )),*],
        ));

        impl $crate::codegen::ValueType for $name {
            const IDS: &'static [&'static str] =
                &[$id, $($(<$to as $crate::codegen::ValueKind>::REPOSITORY_ID),*)?];
            const IS_CUSTOM: bool = false $(|| ::core::stringify!($custom).len() > 0)?;
            const IS_CHUNKED: bool = Self::IDS.len() > 1 || Self::IS_CUSTOM;

            fn inherits(kind: $crate::codegen::TypeId) -> bool {
                kind == $crate::codegen::TypeId::of::<Self>()
                    $(|| kind == $crate::codegen::TypeId::of::<$ancestor>())*
            }

            fn part(
                &self,
                kind: $crate::codegen::TypeId,
            ) -> ::core::option::Option<&dyn ::core::any::Any> {
                if kind == $crate::codegen::TypeId::of::<Self>() {
                    return ::core::option::Option::Some(self);
                }
                $(
                    if let ::core::option::Option::Some(part) =
                        <$base as $crate::codegen::ValueType>::part(&self.base, kind)
                    {
                        return ::core::option::Option::Some(part);
                    }
                )?
                ::core::option::Option::None
            }

            $crate::__zorb_value_operations!($name $(base $base)? {
                $($($operated as $operations),*)?
            });
            $crate::__zorb_value_state!($(custom $custom)? $(base $base)? {
                $($field: $type),*
            });
        }
    };
}

/// Finds the operations of a value by the type that declares them.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_operations {
    ($name:ident {}) => {};
    ($name:ident $(base $base:ty)? { $($operated:ty as $operations:path),* }) => {
        fn operations(
            &self,
            kind: $crate::codegen::TypeId,
        ) -> ::core::option::Option<$crate::codegen::Operated<'_>> {
            $(
                if kind == $crate::codegen::TypeId::of::<$operated>()
                    && let ::core::option::Option::Some(cast) =
                        $crate::__zorb_value_cast!($name as $operations)
                {
                    return ::core::option::Option::Some($crate::codegen::Operated::new(self, cast));
                }
            )*
            $(
                if let ::core::option::Option::Some(operated) =
                    <$base as $crate::codegen::ValueType>::operations(&self.base, kind)
                {
                    return ::core::option::Option::Some(operated);
                }
            )?
            let _ = kind;
            ::core::option::Option::None
        }
    };
}

/// The conversion of a state to a trait object, if the program implements the trait for the state. Rust prefers
/// an inherent method to a trait's, and the inherent one exists only if the bound holds. Only the crate of the
/// type can implement the trait, so no implementation is missed.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_cast {
    ($name:ident as $operations:path) => {{
        #[allow(dead_code)]
        struct __ZorbProbe<__T>(::core::marker::PhantomData<__T>);

        #[allow(dead_code)]
        impl<__T: $operations> __ZorbProbe<__T> {
            fn cast(&self) -> ::core::option::Option<&'static dyn ::core::any::Any> {
                fn of<__T: $operations>(
                    state: &dyn ::core::any::Any,
                ) -> ::core::option::Option<&(dyn $operations + 'static)> {
                    match state.downcast_ref::<__T>() {
                        ::core::option::Option::Some(state) => ::core::option::Option::Some(state),
                        ::core::option::Option::None => ::core::option::Option::None,
                    }
                }
                ::core::option::Option::Some(
                    const { &$crate::codegen::Cast::<dyn $operations>(of::<__T>) },
                )
            }
        }

        #[allow(dead_code)]
        trait __ZorbOtherwise {
            fn cast(&self) -> ::core::option::Option<&'static dyn ::core::any::Any> {
                ::core::option::Option::None
            }
        }

        impl<__T> __ZorbOtherwise for __ZorbProbe<__T> {}

        __ZorbProbe::<$name>(::core::marker::PhantomData).cast()
    }};
}

/// Sets the trait of the operations: `with_operations!(Shape, ShapeOperations);`, or
/// `with_operations!(abstract Named, NamedServant);` for an abstract interface.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_with_operations {
    (abstract $name:ident, $operations:path) => {
        impl $crate::codegen::WithOperations for $name {
            type Operations = dyn $operations;

            fn of_object(&self) -> ::core::option::Option<&Self::Operations> {
                ::core::option::Option::Some(self)
            }
        }
    };
    ($name:ident, $operations:path) => {
        impl $crate::codegen::WithOperations for $name {
            type Operations = dyn $operations;
        }
    };
}

/// Writes and reads the state.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_state {
    (custom $custom:ident $($rest:tt)*) => {
        fn write_state(
            &self,
            writer: &mut $crate::codegen::CdrWriter<'_>,
        ) -> $crate::codegen::CdrResult<()> {
            $crate::codegen::CustomMarshal::marshal(self, writer)
        }

        fn read_state(
            reader: &mut $crate::codegen::CdrReader<'_>,
        ) -> $crate::codegen::CdrResult<Self> {
            <Self as $crate::codegen::CustomMarshal>::unmarshal(reader)
        }
    };
    ($(base $base:ty)? { $($field:ident: $type:ty),* }) => {
        fn write_state(
            &self,
            writer: &mut $crate::codegen::CdrWriter<'_>,
        ) -> $crate::codegen::CdrResult<()> {
            let _ = &writer;
            $(<$base as $crate::codegen::ValueType>::write_state(&self.base, writer)?;)?
            $(
                <$type as $crate::codegen::Wire>::write(
                    <$type as $crate::codegen::Wire>::view(&self.$field),
                    writer,
                )?;
            )*
            ::core::result::Result::Ok(())
        }

        fn read_state(
            reader: &mut $crate::codegen::CdrReader<'_>,
        ) -> $crate::codegen::CdrResult<Self> {
            let _ = &reader;
            ::core::result::Result::Ok(Self {
                $(base: <$base as $crate::codegen::ValueType>::read_state(reader)?,)?
                $($field: <$type as $crate::codegen::Wire>::read(reader)?,)*
            })
        }
    };
}

/// The modifier of a valuetype in its TypeCode.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_modifier {
    () => {
        $crate::codegen::ValueModifier::None
    };
    (truncatable $to:tt) => {
        $crate::codegen::ValueModifier::Truncatable
    };
    ($($other:tt)*) => {
        $crate::codegen::ValueModifier::Custom
    };
}

/// Implements the traits of an IDL abstract valuetype for an empty type:
/// `abstract_valuetype!(Shape, "IDL:Shape:1.0", "Shape", [Drawn]);`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_abstract_valuetype {
    ($name:ident, $id:literal, $idl:literal, [$($ancestor:ty),* $(,)?]) => {
        $crate::__zorb_value_kind!($name, $id, $idl, [$($ancestor),*], {
            ::core::option::Option::None
        }, value(
            $id,
            $idl,
            $crate::codegen::ValueModifier::Abstract,
            ::core::option::Option::None,
            &[],
        ));
    };
}

/// Implements the traits of an IDL value box for a newtype: `value_box!(Name, "IDL:Name:1.0", "Name", String);`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_box {
    ($name:ident, $id:literal, $idl:literal, $type:ty) => {
        $crate::__zorb_value_kind!(
            $name,
            $id,
            $idl,
            [],
            { ::core::option::Option::Some($crate::codegen::KnownValue::of::<Self>()) },
            value_box($id, $idl, <$type as $crate::codegen::Typed>::type_desc)
        );

        impl $crate::codegen::ValueType for $name {
            const IDS: &'static [&'static str] = &[$id];
            const IS_CUSTOM: bool = false;
            const IS_CHUNKED: bool = false;

            fn inherits(kind: $crate::codegen::TypeId) -> bool {
                kind == $crate::codegen::TypeId::of::<Self>()
            }

            fn part(
                &self,
                kind: $crate::codegen::TypeId,
            ) -> ::core::option::Option<&dyn ::core::any::Any> {
                if kind == $crate::codegen::TypeId::of::<Self>() {
                    return ::core::option::Option::Some(self);
                }
                ::core::option::Option::None
            }

            fn write_state(
                &self,
                writer: &mut $crate::codegen::CdrWriter<'_>,
            ) -> $crate::codegen::CdrResult<()> {
                <$type as $crate::codegen::Wire>::write(
                    <$type as $crate::codegen::Wire>::view(&self.0),
                    writer,
                )
            }

            fn read_state(
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<Self> {
                <$type as $crate::codegen::Wire>::read(reader).map(Self)
            }
        }
    };
}

/// Implements the traits that all valuetypes have.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_value_kind {
    ($name:ident, $id:literal, $idl:literal, [$($ancestor:ty),*], $known:block,
        $make:ident($($argument:expr),* $(,)?)) => {
        impl $crate::codegen::ValueKind for $name {
            const REPOSITORY_ID: &'static str = $id;
            const NAME: &'static str = $idl;

            fn known() -> ::core::option::Option<$crate::codegen::KnownValue> $known

            fn type_desc() -> &'static $crate::codegen::TypeDesc {
                static DESC: $crate::codegen::TypeDesc =
                    $crate::codegen::TypeDesc::$make($($argument),*);
                &DESC
            }
        }

        $(impl $crate::codegen::Inherits<$ancestor> for $name {})*
    };
}
