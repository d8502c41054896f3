//! The macro of generated code for `raises` clauses.

/// The error of an operation: the exceptions of its `raises` clause, and `System`.
///
/// `raises!(WithdrawError, "Bank::Account::withdraw", { InsufficientFunds(super::InsufficientFunds) });`
/// For an operation of a local interface it begins with `local`: its exceptions are never sent. For one that tables marshal,
/// it begins with `interpretive`: the error then has a layout that they describe.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_raises {
    (local $name:ident, $operation:literal, { $($variant:ident($exception:ty)),* $(,)? }) => {
        $crate::__zorb_raises!(@ enum $name, $operation, [Clone], { $($variant($exception)),* });
        $crate::__zorb_raises!(@ error $name, { $($variant($exception)),* });

        impl ::core::convert::From<$crate::codegen::SystemException> for $name {
            fn from(exception: $crate::codegen::SystemException) -> Self {
                Self::System(exception)
            }
        }
    };
    (interpretive $name:ident, $operation:literal, { $($variant:ident($exception:ty)),* $(,)? }) => {
        $crate::codegen::raised!(derive(Clone, PartialEq)
            ::core::concat!("The exceptions of `", $operation, "`.") => $name {
                $(
                    ::core::concat!("The user exception `", ::core::stringify!($variant), "`.")
                        => $variant($exception)
                        = <$exception as $crate::codegen::UserException>::REPOSITORY_ID,
                )*
            } "A system exception." => System($crate::codegen::SystemException)
        );
        $crate::__zorb_raises!(@ raises $name, $operation, { $($variant($exception)),* });
    };
    (@ enum $name:ident, $operation:literal, [$($derived:ident),*], {
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
    };
    (@ error $name:ident, { $($variant:ident($exception:ty)),* }) => {
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
        $crate::__zorb_raises!(@ enum $name, $operation, [Clone, PartialEq], {
            $($variant($exception)),*
        });
        $crate::__zorb_raises!(@ raises $name, $operation, { $($variant($exception)),* });
    };
    (@ raises $name:ident, $operation:literal, { $($variant:ident($exception:ty)),* }) => {
        $crate::__zorb_raises!(@ error $name, { $($variant($exception)),* });

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
