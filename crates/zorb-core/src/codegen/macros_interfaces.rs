//! The macros of generated code for interfaces: references, stubs, skeletons, `raises` clauses.

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

/// The body of a stub: `invoke!(self, withdraw, [Money => amount], [Money, Vec<Money>])`.
///
/// The name of the operation follows that of the servant's method if it differs, as in
/// `set_owner "_set_owner"`. Between them is `(upcall)` if the method gets its upcall. An operation of another interface names this interface: `self as Named`. An argument
/// is an IDL type and a view; results are IDL types: none, one, or a tuple. With an expression instead of the
/// method, the call is always marshalled.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_invoke {
    ($reference:ident, $method:ident $($rest:tt)*) => {
        $crate::__zorb_invoke!($reference as Self, $method $($rest)*)
    };
    ($reference:ident as $base:ty, $method:ident $(($upcall:ident))?, $arguments:tt, $results:tt) => {
        $crate::__zorb_invoke!(
            @ $reference, $base, $method $(($upcall))?, ::core::stringify!($method), $arguments,
            $results
        )
    };
    (
        $reference:ident as $base:ty, $method:ident $(($upcall:ident))? $operation:literal,
        $arguments:tt, $results:tt
    ) => {
        $crate::__zorb_invoke!(
            @ $reference, $base, $method $(($upcall))?, $operation, $arguments, $results
        )
    };
    (@ $reference:ident, $base:ty, $method:ident $(($upcall:ident))?, $operation:expr, [
        $($type:ty => $(& $value:ident)? $($view:ident)?),*
    ], [$($result:ty),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::call::<$base, _, _, _, _>(
            $crate::codegen::Interface::as_object($reference),
            $operation,
            $crate::__zorb_arguments!([$($type => $(& $value)? $($view)?),*]),
            |&($($($value)? $($view)?,)*), servant, _object| {
                servant.$method(
                    $($crate::__zorb_collocated!($upcall _object $operation),)?
                    $($(*$value)? $($view)?),*
                )
            },
            $crate::codegen::Results::new(
                |_reader, outcome: &$crate::codegen::Outcome<_, _>| {
                    #[allow(clippy::let_unit_value)]
                    let results = ($(<$result as $crate::codegen::Wire>::read(_reader)?),*);
                    outcome.set(::core::result::Result::Ok(results));
                    ::core::result::Result::Ok(())
                },
                |_results, _writer| $crate::__zorb_results!(write(_results, _writer) [$($result),*]),
                |_results, _context| $crate::__zorb_results!(passes(_results, _context) [$($result),*]),
            ),
        )
    }};
    ($reference:expr, $operation:expr, [$($type:ty => $value:expr),*], [$($result:ty),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::Interface::as_object($reference).invoke(
            $operation,
            |_writer| {
                $(<$type>::write($value, _writer)?;)*
                ::core::result::Result::Ok(())
            },
            |_reader| {
                #[allow(clippy::let_unit_value)]
                let results = ($(<$result>::read(_reader)?),*);
                ::core::result::Result::Ok(results)
            },
        )
    }};
}

/// The upcall of a collocated call, for a servant that gets it.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_collocated {
    (upcall $object:ident $operation:expr) => {
        &$crate::poa::Upcall::collocated($object, $operation)
    };
}

/// The arguments of a stub, in a tuple.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_arguments {
    ([$($type:ty => $(& $value:ident)? $($view:ident)?),*]) => {
        $crate::codegen::Arguments::new(
            ($($(&$value)? $($view)?,)*),
            |&($($($value)? $($view)?,)*), _writer| {
                $(<$type>::write($($value)? $($view)?, _writer)?;)*
                ::core::result::Result::Ok(())
            },
            |&($($($value)? $($view)?,)*), _context| {
                true $(&& <$type>::passes_as_is($($value)? $($view)?, _context))*
            },
        )
    };
}

/// Writes the results of a stub, or checks whether they pass without marshalling.
///
/// Each step binds one more member of the tuple to `x`; hygiene makes the names different, since each comes from
/// an expansion of its own.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_results {
    ($action:ident($results:ident, $with:ident) [$($type:ty),*]) => {
        $crate::__zorb_results!(@ $action $results $with [] [$($type,)*])
    };
    (@ $action:ident $results:ident $with:ident [$($x:ident: $type:ty,)*] [$next:ty, $($rest:ty,)*]) => {
        $crate::__zorb_results!(@ $action $results $with [$($x: $type,)* x: $next,] [$($rest,)*])
    };
    (@ passes $results:ident $with:ident [$($x:ident: $type:ty,)*] []) => {{
        let ($($x),*) = $results;
        true $(&& <$type as $crate::codegen::Wire>::passes_as_is(
            <$type as $crate::codegen::Wire>::view($x),
            $with,
        ))*
    }};
    (@ write $results:ident $with:ident [$($x:ident: $type:ty,)*] []) => {{
        let ($($x),*) = $results;
        $(
            <$type as $crate::codegen::Wire>::write(
                <$type as $crate::codegen::Wire>::view($x),
                $with,
            )?;
        )*
        ::core::result::Result::Ok(())
    }};
}

/// The body of a method that sends a call without waiting: `send!(self, "withdraw", [Money => amount], [Money])`, with
/// the parameters of `invoke!` except that the operation is named.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_send {
    ($reference:expr, $operation:expr, [$($type:ty => $value:expr),*], [$($result:ty),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::Interface::as_object($reference).send(
            $operation,
            |_writer| {
                $(<$type>::write($value, _writer)?;)*
                ::core::result::Result::Ok(())
            },
            |_reader| {
                #[allow(clippy::let_unit_value)]
                let results = ($(<$result as $crate::codegen::Wire>::read(_reader)?),*);
                ::core::result::Result::Ok(results)
            },
        )
    }};
}

/// The body of a one-way stub: `oneway!(self, touch, [String => reason])`, with the parameters of `invoke!`
/// except the results.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_oneway {
    ($reference:ident, $method:ident $($rest:tt)*) => {
        $crate::__zorb_oneway!($reference as Self, $method $($rest)*)
    };
    ($reference:ident as $base:ty, $method:ident $(($upcall:ident))?, $arguments:tt) => {
        $crate::__zorb_oneway!(
            @ $reference, $base, $method $(($upcall))?, ::core::stringify!($method), $arguments
        )
    };
    (
        $reference:ident as $base:ty, $method:ident $(($upcall:ident))? $operation:literal,
        $arguments:tt
    ) => {
        $crate::__zorb_oneway!(
            @ $reference, $base, $method $(($upcall))?, $operation, $arguments
        )
    };
    (@ $reference:ident, $base:ty, $method:ident $(($upcall:ident))?, $operation:expr, [
        $($type:ty => $(& $value:ident)? $($view:ident)?),*
    ]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::call_one_way::<$base, _, _>(
            $crate::codegen::Interface::as_object($reference),
            $operation,
            $crate::__zorb_arguments!([$($type => $(& $value)? $($view)?),*]),
            |&($($($value)? $($view)?,)*), servant, _object| {
                servant.$method(
                    $($crate::__zorb_collocated!($upcall _object $operation),)?
                    $($(*$value)? $($view)?),*
                )
            },
        )
    }};
    ($reference:expr, $operation:expr, [$($type:ty => $value:expr),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::Interface::as_object($reference).invoke_oneway($operation, |_writer| {
            $(<$type>::write($value, _writer)?;)*
            ::core::result::Result::Ok(())
        })
    }};
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
/// (name, IDL type). The arguments begin with `upcall;` if the method gets its upcall. The numbers continue in `inherited`. The skeletons of the base interfaces dispatch inherited
/// operations.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_skeleton {
    ($name:ident, $servant:ident, {
        $($number:literal $operation:literal $method:ident $arguments:tt $results:tt),* $(,)?
    } $(inherited {
        $($range:pat in $base:ty [$($inherited:literal),* $(,)?]),* $(,)?
    })?) => {
        impl $crate::codegen::HasServant for $name {
            type Servant = dyn $servant;
        }

        impl<__S: $servant> $crate::codegen::ServedBy<__S> for $name {
            fn servant_object(
                servant: &::std::sync::Arc<__S>,
                wanted: $crate::codegen::TypeId,
            ) -> ::core::option::Option<$crate::codegen::ServantObject> {
                if wanted == $crate::codegen::TypeId::of::<dyn $servant>() {
                    let object: ::std::sync::Arc<dyn $servant> = ::std::sync::Arc::<__S>::clone(servant);
                    return ::core::option::Option::Some(::std::boxed::Box::new(object));
                }
                $($(
                    let object =
                        <$base as $crate::codegen::ServedBy<__S>>::servant_object(servant, wanted);
                    if object.is_some() {
                        return object;
                    }
                )*)?
                ::core::option::Option::None
            }

            fn dispatch(
                servant: &__S,
                call: &mut $crate::codegen::ServerCall<'_>,
            ) -> $crate::codegen::Served {
                const NAMES: &[&str] = &[$($operation,)* $($($($inherited,)*)*)?];
                const COUNT: usize = NAMES.len();
                static OPERATIONS: $crate::codegen::Operations<COUNT> =
                    $crate::codegen::Operations::new(&[$($operation,)* $($($($inherited,)*)*)?]);
                let _ = &servant;
                let found = call.find(&OPERATIONS);
                $crate::codegen::probe!(Operation);
                match found {
                    $(
                        ::core::option::Option::Some($number) => {
                            $crate::__zorb_upcall!(servant call $method $arguments $results)
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

/// One upcall of a skeleton.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_upcall {
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

/// The error of an operation: the exceptions of its `raises` clause, and `System`.
///
/// `raises!(WithdrawError, "Bank::Account::withdraw", { InsufficientFunds(super::InsufficientFunds) });`
/// For an operation of a local interface it begins with `local`: its exceptions are never sent.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_raises {
    (local $name:ident, $operation:literal, { $($variant:ident($exception:ty)),* $(,)? }) => {
        $crate::__zorb_raises!(@ $name, $operation, [Clone], { $($variant($exception)),* });

        impl ::core::convert::From<$crate::codegen::SystemException> for $name {
            fn from(exception: $crate::codegen::SystemException) -> Self {
                Self::System(exception)
            }
        }
    };
    (@ $name:ident, $operation:literal, [$($derived:ident),*], {
        $($variant:ident($exception:ty)),*
    }) => {
        #[doc = ::core::concat!("The exceptions of `", $operation, "`.")]
        #[allow(clippy::all, dead_code, unreachable_pub)]
        #[derive($($derived),*)]
        pub enum $name {
            $(
                #[doc = ::core::concat!("The user exception `", ::core::stringify!($variant), "`.")]
                $variant($exception),
            )*
            /// A system exception.
            System($crate::codegen::SystemException),
        }

        const _: () = {
            fn exception(error: &$name) -> &dyn ::core::error::Error {
                match error {
                    $($name::$variant(exception) => exception,)*
                    $name::System(exception) => exception,
                }
            }

            impl ::core::fmt::Debug for $name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::core::fmt::Debug::fmt(exception(self), f)
                }
            }

            impl ::core::fmt::Display for $name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::core::fmt::Display::fmt(exception(self), f)
                }
            }

            impl ::core::error::Error for $name {
                fn source(
                    &self,
                ) -> ::core::option::Option<&(dyn ::core::error::Error + 'static)> {
                    ::core::error::Error::source(exception(self))
                }
            }
        };

        $(
            impl ::core::convert::From<$exception> for $name {
                fn from(exception: $exception) -> Self {
                    Self::$variant(exception)
                }
            }
        )*
    };
    ($name:ident, $operation:literal, { $($variant:ident($exception:ty)),* $(,)? }) => {
        $crate::__zorb_raises!(@ $name, $operation, [Clone, PartialEq], {
            $($variant($exception)),*
        });

        impl $crate::codegen::Numbered for $name {
            type Number = $crate::__zorb_number!(
                ::core::concat!(::core::module_path!(), "::", $operation)
            );
        }

        // Makes `?` work in servants.
        impl<__To> $crate::codegen::RaisedIn<__To> for $name
        where
            __To: $crate::codegen::Numbered,
            <$name as $crate::codegen::Numbered>::Number:
                $crate::codegen::OtherThan<__To, __To::Number>,
        {
        }

        impl<__E: $crate::codegen::RaisedIn<$name>> ::core::convert::From<__E> for $name {
            fn from(failure: __E) -> Self {
                $crate::codegen::raised_in(failure)
            }
        }

        impl ::core::convert::From<$name> for $crate::codegen::SystemException {
            fn from(raised: $name) -> Self {
                $crate::codegen::Error::from(raised).into()
            }
        }

        impl $crate::codegen::Raises for $name {
            fn from_system(exception: $crate::codegen::SystemException) -> Self {
                Self::System(exception)
            }

            fn from_user(
                exception: $crate::codegen::AnyError,
            ) -> ::core::result::Result<Self, $crate::codegen::AnyError> {
                $(
                    let exception = match exception.downcast::<$exception>() {
                        ::core::result::Result::Ok(listed) => {
                            return ::core::result::Result::Ok(Self::$variant(*listed));
                        }
                        ::core::result::Result::Err(other) => other,
                    };
                )*
                ::core::result::Result::Err(exception)
            }

            fn into_user(self) -> $crate::codegen::AnyError {
                match self {
                    $(Self::$variant(exception) => ::std::boxed::Box::new(exception),)*
                    Self::System(exception) => ::std::boxed::Box::new(exception),
                }
            }

            fn read(
                id: &str,
                reader: &mut $crate::codegen::CdrReader<'_>,
            ) -> $crate::codegen::CdrResult<::core::option::Option<Self>> {
                $(
                    if id == <$exception as $crate::codegen::UserException>::REPOSITORY_ID {
                        return <$exception as $crate::codegen::Wire>::read(reader)
                            .map(|exception| ::core::option::Option::Some(Self::$variant(exception)));
                    }
                )*
                ::core::result::Result::Ok(::core::option::Option::None)
            }

            fn user(
                &self,
            ) -> ::core::result::Result<
                &dyn $crate::codegen::AnyUserException,
                &$crate::codegen::SystemException,
            > {
                match self {
                    $(Self::$variant(exception) => ::core::result::Result::Ok(exception),)*
                    Self::System(exception) => ::core::result::Result::Err(exception),
                }
            }

            fn into_system(
                self,
            ) -> ::core::result::Result<$crate::codegen::SystemException, Self> {
                match self {
                    Self::System(exception) => ::core::result::Result::Ok(exception),
                    $(Self::$variant(_) => ::core::result::Result::Err(self),)*
                }
            }
        }
    };
}
