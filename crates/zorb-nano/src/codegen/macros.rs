//! The macros of generated code. They take what those of the full ORB take where both have the same use for it.

/// A struct: `structure!(Reading, "IDL:Reading:1.0", "Reading", { channel: i32 = "channel" });`
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_structure {
    ($name:ident, $id:literal, $idl:literal, { $($member:ident: $type:ty = $member_idl:literal),* $(,)? }) => {
        impl $crate::Plain for $name {
            const MIN_SIZE: usize = 0 $(+ <$type as $crate::Plain>::MIN_SIZE)*;

            fn write(&self, _writer: &mut $crate::Writer<'_>) -> $crate::Result<()> {
                $($crate::Plain::write(&self.$member, _writer)?;)*
                ::core::result::Result::Ok(())
            }

            fn read(_reader: &mut $crate::Reader<'_>) -> $crate::Result<Self> {
                ::core::result::Result::Ok(Self { $($member: $crate::Plain::read(_reader)?),* })
            }
        }
    };
}

/// An exception; the arguments are those of a struct.
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_exception {
    ($name:ident, $id:literal, $($rest:tt)*) => {
        $crate::codegen::structure!($name, $id, $($rest)*);

        impl $crate::codegen::UserException for $name {
            const ID: &'static str = $id;
        }
    };
}

/// An enum: `enumeration!(Unit, "IDL:Unit:1.0", "Unit", { Celsius = "CELSIUS", Kelvin = "KELVIN" });`
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_enumeration {
    ($name:ident, $id:literal, $idl:literal, { $($value:ident = $value_idl:literal),* $(,)? }) => {
        impl $crate::Plain for $name {
            const MIN_SIZE: usize = 4;

            fn write(&self, writer: &mut $crate::Writer<'_>) -> $crate::Result<()> {
                writer.write::<u32>(&(*self as u32))
            }

            fn read(reader: &mut $crate::Reader<'_>) -> $crate::Result<Self> {
                $crate::codegen::enumerator(&[$(Self::$value),*], reader)
            }
        }
    };
}

/// The errors of an operation: `raises!(ReadError, "Sensor::read", { NoChannel(super::NoChannel) });`
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_raises {
    ($name:ident, $operation:literal, { $($variant:ident($exception:ty)),* $(,)? }) => {
        #[doc = concat!("The exceptions of `", $operation, "`.")]
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            /// A system exception.
            System($crate::SystemException),
            $(
                #[doc = concat!("The user exception `", stringify!($variant), "`.")]
                $variant($exception),
            )*
        }

        impl ::core::convert::From<$crate::SystemException> for $name {
            fn from(exception: $crate::SystemException) -> Self {
                Self::System(exception)
            }
        }

        $(
            impl ::core::convert::From<$exception> for $name {
                fn from(exception: $exception) -> Self {
                    Self::$variant(exception)
                }
            }
        )*

        impl $crate::codegen::Raises for $name {
            fn read(
                id: $crate::Text<'_>,
                members: &mut $crate::Reader<'_>,
            ) -> $crate::Result<Self> {
                $(
                    if id == *<$exception as $crate::codegen::UserException>::ID {
                        return ::core::result::Result::Ok(Self::$variant(
                            $crate::Plain::read(members)?,
                        ));
                    }
                )*
                ::core::result::Result::Err($crate::SystemException::UNLISTED)
            }

            fn write(self, results: &mut $crate::Writer<'_>) -> $crate::Result<$crate::Answer> {
                match self {
                    Self::System(exception) => ::core::result::Result::Err(exception),
                    $(Self::$variant(exception) => $crate::codegen::raise(&exception, results),)*
                }
            }
        }
    };
}

/// A reference type: `interface!(Sensor, ["IDL:Sensor:1.0", "IDL:Device:1.0"], [Device], linear, ["read", "calibrate"]);`
/// The repository ids are the interface's own and those of its bases; then the bases, and how a server looks up which
/// operations.
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_interface {
    ($name:ident, [$id:literal $(, $base_id:literal)* $(,)?], [$($base:ty),* $(,)?], $lookup:ident,
        [$($operation:literal),* $(,)?]) => {
        impl $name {
            /// What a server has to know of the interface.
            pub const INTERFACE: &'static $crate::Interface = &$crate::Interface {
                ids: &[$id $(, $base_id)*],
                operations: $crate::__nano_interface!(@ $lookup [$($operation),*]),
            };
        }

        impl $crate::TypedReference for $name {
            const ID: &'static str = $id;
        }

        impl ::core::convert::From<$crate::Reference> for $name {
            fn from(reference: $crate::Reference) -> Self {
                Self(reference)
            }
        }

        impl ::core::convert::AsRef<$crate::Reference> for $name {
            fn as_ref(&self) -> &$crate::Reference {
                &self.0
            }
        }

        $(
            impl ::core::convert::From<$name> for $base {
                fn from(reference: $name) -> Self {
                    <$base as ::core::convert::From<$crate::Reference>>::from(reference.0)
                }
            }
        )*
    };
    (@ linear $operations:tt) => { &$crate::Linear(&$operations) };
    (@ perfect_hash $operations:tt) => { &$crate::Operations::new(&$operations) };
}

/// The body of a stub, with the methods of [`Writer`](crate::Writer) and [`Reader`](crate::Reader) that write the
/// arguments and read the results: `invoke!(self, client, "read", [write_plain(&channel)], [read_plain::<i32>()])`.
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_invoke {
    ($target:ident, $client:ident, $operation:literal, [$($write:ident($($given:expr),*)),* $(,)?],
        [$($read:ident $(::<$type:ty>)? ($($bound:expr)?)),* $(,)?]) => {{
        let reply = $client.call(&$target.0, $operation, &mut |_arguments| {
            $(_arguments.$write($($given),*)?;)*
            ::core::result::Result::Ok(())
        })?;
        $crate::codegen::outcome(reply, |_results| {
            ::core::result::Result::Ok(($(_results.$read $(::<$type>)? ($($bound)?)?),*))
        })
    }};
}

/// The same for a one-way operation.
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_oneway {
    ($target:ident, $client:ident, $operation:literal, [$($write:ident($($given:expr),*)),* $(,)?]) => {
        $client.send(&$target.0, $operation, &mut |_arguments| {
            $(_arguments.$write($($given),*)?;)*
            ::core::result::Result::Ok(())
        })
    };
}

/// The same to many objects: `oneway_to_all!(targets, client, "touch", [write_plain(&channel)])`.
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_oneway_to_all {
    ($targets:ident, $client:ident, $operation:literal, [$($write:ident($($given:expr),*)),* $(,)?]) => {{
        let targets = ::core::iter::IntoIterator::into_iter($targets).map(|target| &target.0);
        $client.send_to_all(targets, $operation, &mut |_arguments| {
            $(_arguments.$write($($given),*)?;)*
            ::core::result::Result::Ok(())
        })
    }};
}

/// The skeleton: decodes arguments, calls the servant, and writes the results.
///
/// ```text
/// skeleton!(SensorSkeleton, SensorServant, Sensor, {
///     0 SensorServant::read(channel: read_plain::<i32>() => channel) [result: write_plain(&result)],
///     1 SensorServant::calibrate(offset: read_plain::<i32>() => offset) oneway,
/// });
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __nano_skeleton {
    ($name:ident, $servant:ident, $interface:ident, {
        $($number:literal $method:path,
            ($($argument:ident: $read:ident $(::<$type:ty>)? ($($bound:expr)?) => $passed:expr),*)
            $results:tt),* $(,)?
    }) => {
        impl<__S: $servant> $crate::Servant for $name<__S> {
            fn interface(&self) -> &'static $crate::Interface {
                $interface::INTERFACE
            }

            fn invoke(
                &mut self,
                operation: usize,
                _arguments: &mut $crate::Reader<'_>,
                _results: &mut $crate::Writer<'_>,
            ) -> $crate::Result<$crate::Answer> {
                match operation {
                    $(
                        $number => {
                            $(let $argument = _arguments.$read $(::<$type>)? ($($bound)?)?;)*
                            _arguments.end()?;
                            $crate::__nano_skeleton!(
                                @ $method(&mut self.0 $(, $passed)*), _results, $results
                            )
                        }
                    )*
                    _ => ::core::result::Result::Err($crate::SystemException::UNKNOWN_OPERATION),
                }
            }
        }
    };
    (@ $upcall:expr, $writer:ident, oneway) => {{
        $upcall;
        ::core::result::Result::Ok($crate::Answer::Results)
    }};
    (@ $upcall:expr, $writer:ident, [$($result:ident: $write:ident($($given:expr),*)),* $(,)?]) => {
        match $upcall {
            #[allow(unused_parens, reason = "one result")]
            ::core::result::Result::Ok(($($result),*)) => {
                $($writer.$write($($given),*)?;)*
                ::core::result::Result::Ok($crate::Answer::Results)
            }
            ::core::result::Result::Err(error) => $crate::codegen::Raises::write(error, $writer),
        }
    };
}
