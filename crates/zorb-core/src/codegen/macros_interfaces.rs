//! The macros of generated code for interfaces: references and skeletons.

/// Implements `Interface` and the conversions of a reference type.
///
/// `interface!(Savings(Account), "IDL:Bank/Savings:1.0", "Savings", [Account, Named]);` The parentheses contain
/// the type that the struct wraps, its first base or `ObjectRef`; the brackets all ancestors, the most derived
/// first.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_interface {
    ($name:ident($inner:ty), $id:literal, $idl:literal, [$($base:ty),* $(,)?]) => {
        impl $crate::codegen::Interface for $name {
            const REPOSITORY_ID: &'static str = $id;
            const NAME: &'static str = $idl;
            const TYPE_IDS: &'static [&'static str] = &[
                $id,
                $(<$base as $crate::codegen::Interface>::REPOSITORY_ID,)*
                <$crate::codegen::ObjectRef as $crate::codegen::Interface>::REPOSITORY_ID,
            ];

            fn from_object(object: $crate::codegen::ObjectRef) -> Self {
                Self(<$inner as $crate::codegen::Interface>::from_object(object))
            }

            #[inline]
            fn as_object(&self) -> &$crate::codegen::ObjectRef {
                <$inner as $crate::codegen::Interface>::as_object(&self.0)
            }
        }

        impl ::core::convert::AsRef<$crate::codegen::ObjectRef> for $name {
            #[inline]
            fn as_ref(&self) -> &$crate::codegen::ObjectRef {
                <$name as $crate::codegen::Interface>::as_object(self)
            }
        }

        impl ::core::convert::From<$name> for $crate::codegen::ObjectRef {
            fn from(reference: $name) -> Self {
                <$name as $crate::codegen::Interface>::as_object(&reference).clone()
            }
        }

        $(
            impl ::core::convert::From<$name> for $base {
                fn from(reference: $name) -> Self {
                    <$base as $crate::codegen::Interface>::from_object(
                        <$name as $crate::codegen::Interface>::as_object(&reference).clone(),
                    )
                }
            }
        )*
    };
}

/// The skeleton: finds the operation of a call, decodes, makes the upcall and writes the reply.
///
/// ```text
/// skeleton!(Savings, SavingsServant, {
///     0 "withdraw" withdraw(amount: Money => &amount) [result: Money, recent: Vec<Money>],
///     1 "touch" touch(reason: String => &reason) oneway,
/// } inherited {
///     2..=3 in Account ["owner", "close"],
/// });
/// ```
/// A row consists of number, operation name, method, arguments (name, IDL type, expression to pass) and results
/// (name, IDL type). The arguments begin with `upcall;` if the method gets its upcall. With `interpretive` before the name
/// of the interface, tables marshal, and the arguments are references, except for rows that end with `compiled`. The numbers continue in `inherited`. The skeletons of the base interfaces dispatch inherited
/// operations.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_skeleton {
    (interpretive $name:ident, $($rest:tt)*) => {
        $crate::__zorb_skeleton!(@ interpretive $name, $($rest)*);
    };
    ($name:ident, $($rest:tt)*) => {
        $crate::__zorb_skeleton!(@ compiled $name, $($rest)*);
    };
    (@ $engine:ident $name:ident, $servant:ident, {
        $($number:literal $operation:literal $method:ident $arguments:tt $results:tt $($row_engine:ident)?),* $(,)?
    } $(inherited {
        $($range:pat in $base:ty [$($inherited:literal),* $(,)?]),* $(,)?
    })?) => {
        impl $crate::codegen::HasServant for $name {
            type Servant = dyn $servant;
        }

        impl<__S: $servant> $crate::codegen::ServedBy<__S> for $name {
            $crate::__zorb_servant_object!(
                $engine [$($($row_engine)?)*] __S $servant { $($($base),*)? }
            );

            fn dispatch(
                servant: &__S,
                call: &mut $crate::codegen::ServerCall<'_>,
            ) -> $crate::codegen::Served {
                const NAMES: &[&str] = &[$($operation,)* $($($($inherited,)*)*)?];
                const COUNT: usize = NAMES.len();
                static OPERATIONS: $crate::codegen::Operations<COUNT> =
                    $crate::codegen::Operations::new(&[$($operation,)* $($($($inherited,)*)*)?]);
                let _ = &servant;
                let found = $crate::__zorb_find!($engine call OPERATIONS);
                $crate::codegen::probe!(Operation);
                match found {
                    $(
                        ::core::option::Option::Some($number) => {
                            $crate::__zorb_upcall!(
                                $engine $($row_engine)? servant call $method $arguments $results
                            )
                        }
                    )*
                    $($(
                        ::core::option::Option::Some($range) => {
                            <$base as $crate::codegen::ServedBy<__S>>::dispatch(servant, call)
                        }
                    )*)?
                    _ => call.unknown_operation(),
                }
            }
        }
    };
}

/// The servant as the trait object of its servant trait, for stubs that pass arguments without marshalling: those of
/// compiled operations. `servant_object!(interpretive [compiled] S AccountServant { Named })`, with the engine of the
/// interface, of operations that have another one, and its bases.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_servant_object {
    (interpretive [] $type:ident $servant:ident {}) => {};
    (interpretive [] $type:ident $servant:ident { $($base:ty),+ }) => {
        fn servant_object(
            servant: &::std::sync::Arc<$type>,
            wanted: $crate::codegen::TypeId,
        ) -> ::core::option::Option<$crate::codegen::ServantObject> {
            $(
                let object =
                    <$base as $crate::codegen::ServedBy<$type>>::servant_object(servant, wanted);
                if object.is_some() {
                    return object;
                }
            )+
            ::core::option::Option::None
        }
    };
    ($engine:ident $rows:tt $type:ident $servant:ident { $($base:ty),* }) => {
        fn servant_object(
            servant: &::std::sync::Arc<$type>,
            wanted: $crate::codegen::TypeId,
        ) -> ::core::option::Option<$crate::codegen::ServantObject> {
            if wanted == $crate::codegen::TypeId::of::<dyn $servant>() {
                let object: ::std::sync::Arc<dyn $servant> =
                    ::std::sync::Arc::<$type>::clone(servant);
                return ::core::option::Option::Some(::std::boxed::Box::new(object));
            }
            $(
                let object =
                    <$base as $crate::codegen::ServedBy<$type>>::servant_object(servant, wanted);
                if object.is_some() {
                    return object;
                }
            )*
            ::core::option::Option::None
        }
    };
}

/// Finds the operation of a call. Interpretive skeletons do so in a function that all share.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_find {
    (interpretive $call:ident $operations:ident) => {{
        static TABLE: $crate::codegen::OperationTable<'static> = $operations.table();
        $call.find_in(&TABLE)
    }};
    (compiled $call:ident $operations:ident) => {
        $call.find(&$operations)
    };
}

/// One upcall of a skeleton.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_upcall {
    (interpretive compiled $($rest:tt)*) => { $crate::__zorb_upcall!($($rest)*) };
    (compiled $($rest:tt)*) => { $crate::__zorb_upcall!($($rest)*) };
    (interpretive $servant:ident $call:ident $method:ident (upcall; $($arguments:tt)*) $results:tt) => {
        $crate::__zorb_upcall!(
            @ interpretive $servant $call $method [&$crate::poa::Upcall::of($call)?,]
            ($($arguments)*) $results
        )
    };
    (interpretive $servant:ident $call:ident $method:ident $arguments:tt $results:tt) => {
        $crate::__zorb_upcall!(@ by table $servant $call $method $arguments $results)
    };
    (@ by table $servant:ident $call:ident $method:ident
        ($($argument:ident: $type:ty => $passed:expr),*) oneway) => {
        $call.interpret::<($($type,)*), (), $crate::codegen::SystemException>(move |($($argument,)*)| {
            $servant.$method($($passed),*);
            ::core::result::Result::Ok(())
        })
    };
    (@ by table $servant:ident $call:ident $method:ident
        ($($argument:ident: $type:ty => $passed:expr),*) [$($result:ident: $result_type:ty),*]) => {
        $call.interpret::<($($type,)*), ($($result_type,)*), _>(move |($($argument,)*)| {
            $servant.$method($($passed),*)
        })
    };
    (@ interpretive $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) oneway) => {{
        let mut space = $crate::codegen::Space::<($($type,)*)>::new();
        let ($($argument,)*) = $call.interpret_arguments(&mut space)?;
        $crate::codegen::probe!(Demarshal);
        $servant.$method($($upcall)* $($passed),*);
        $call.done()
    }};
    (@ interpretive $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) []) => {{
        let mut space = $crate::codegen::Space::<($($type,)*)>::new();
        let ($($argument,)*) = $call.interpret_arguments(&mut space)?;
        $crate::codegen::probe!(Demarshal);
        $call.reply_without_results($servant.$method($($upcall)* $($passed),*))
    }};
    (@ interpretive $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) [$($result:ident: $result_type:ty),*]) => {{
        let mut space = $crate::codegen::Space::<($($type,)*)>::new();
        let ($($argument,)*) = $call.interpret_arguments(&mut space)?;
        $crate::codegen::probe!(Demarshal);
        $call.interpret_reply::<($($result_type,)*), _>($servant.$method($($upcall)* $($passed),*))
    }};
    ($servant:ident $call:ident $method:ident (upcall; $($arguments:tt)*) $results:tt) => {
        $crate::__zorb_upcall!(
            @ $servant $call $method [&$crate::poa::Upcall::of($call)?,] ($($arguments)*) $results
        )
    };
    ($servant:ident $call:ident $method:ident $arguments:tt $results:tt) => {
        $crate::__zorb_upcall!(@ $servant $call $method [] $arguments $results)
    };
    (@ $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) oneway) => {{
        $(let $argument = $call.argument::<$type>()?;)*
        $call.end_of_arguments()?;
        $crate::codegen::probe!(Demarshal);
        $servant.$method($($upcall)* $($passed),*);
        $call.done()
    }};
    (@ $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) []) => {{
        $(let $argument = $call.argument::<$type>()?;)*
        $call.end_of_arguments()?;
        $crate::codegen::probe!(Demarshal);
        $call.reply_without_results($servant.$method($($upcall)* $($passed),*))
    }};
    (@ $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) [$($result:ident: $result_type:ty),*]) => {{
        $(let $argument = $call.argument::<$type>()?;)*
        $call.end_of_arguments()?;
        $crate::codegen::probe!(Demarshal);
        $call.reply($servant.$method($($upcall)* $($passed),*), |_writer, ($($result),*)| {
            $(
                <$result_type as $crate::codegen::Wire>::write(
                    <$result_type as $crate::codegen::Wire>::view($result),
                    _writer,
                )?;
            )*
            ::core::result::Result::Ok(())
        })
    }};
}
