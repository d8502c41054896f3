//! The macros of generated code for stubs.

/// The body of a stub: `invoke!(self, withdraw, [Money => amount], [Money, Vec<Money>])`.
///
/// The name of the operation follows that of the servant's method if it differs, as in
/// `set_owner "_set_owner"`. Between them is `(upcall)` if the method gets its upcall. An operation of another interface names this interface: `self as Named`. An argument
/// is an IDL type and a view; results are IDL types: none, one, or a tuple. With an expression instead of the
/// method, the call is always marshalled. With `interpretive` before the reference, tables marshal it.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_invoke {
    (interpretive $reference:ident $(as $base:ty)?, $method:ident $(($upcall:ident))?, $arguments:tt, $results:tt) => {
        $crate::__zorb_invoke!(
            interpretive @ $reference, ::core::stringify!($method), $arguments, $results
        )
    };
    (
        interpretive $reference:ident $(as $base:ty)?, $method:ident $(($upcall:ident))? $operation:literal,
        $arguments:tt, $results:tt
    ) => {
        $crate::__zorb_invoke!(interpretive @ $reference, $operation, $arguments, $results)
    };
    (interpretive @ $reference:ident, $operation:expr, [$($type:ty => $view:expr),*], [$($result:ty),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Tabled as _;
        $crate::codegen::interpret::<($($result,)*), _>(
            $crate::codegen::Interface::as_object($reference),
            $operation,
            &[$(<$type>::operand(&$view)),*],
        )
    }};
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
    ($reference:expr, $operation:expr, $arguments:tt, $results:tt) => {
        $crate::__zorb_marshalled!(
            invoke, $crate::codegen::Interface::as_object($reference), $operation, $arguments, $results
        )
    };
}

/// A call by a function of `ObjectRef` that takes a target or several, the operation, a function that writes the arguments,
/// and one that reads the results: `invoke`, `send` or `send_to_all`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_marshalled {
    (
        $function:ident, $target:expr, $operation:expr, [$($type:ty => $value:expr),*],
        [$($result:ty),*]
    ) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        $crate::codegen::ObjectRef::$function(
            $target,
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
    ($reference:expr, $operation:expr, $arguments:tt, $results:tt) => {
        $crate::__zorb_marshalled!(
            send,
            $crate::codegen::Interface::as_object($reference),
            $operation,
            $arguments,
            $results
        )
    };
}

/// The body of a function that sends a call to many objects: `send_to_all!(targets, "withdraw", [Money => amount],
/// [Money])`, where `targets` are references of a type, and the other parameters those of `send!`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_send_to_all {
    ($targets:expr, $operation:expr, $arguments:tt, $results:tt) => {
        $crate::__zorb_marshalled!(
            send_to_all,
            $crate::__zorb_objects!($targets),
            $operation,
            $arguments,
            $results
        )
    };
}

/// The same for a one-way call: `send_oneway_to_all!(targets, "touch", [String => reason])`.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_send_oneway_to_all {
    ($targets:expr, $operation:expr, [$($type:ty => $value:expr),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Wire as _;
        let objects = $crate::__zorb_objects!($targets);
        $crate::codegen::ObjectRef::send_oneway_to_all(objects, $operation, |_writer| {
            $(<$type>::write($value, _writer)?;)*
            ::core::result::Result::Ok(())
        })
    }};
}

/// The body of a method that sends a call whose result a reply handler gets: `send_to_handler!(Self::send_withdraw(self,
/// amount), handler, ["withdraw", "withdraw_excep"], [Money])`, with the names of the handler's operations and the results.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_send_to_handler {
    ($call:expr, $handler:expr, $names:expr, $results:tt) => {
        $crate::codegen::pass_to_handler(
            $call,
            ::core::option::Option::map($handler, $crate::codegen::Interface::as_object),
            $names,
            |_results, _writer| $crate::__zorb_results!(write(_results, _writer) $results),
        )
    };
}

/// References of a type as `ObjectRef`s.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_objects {
    ($references:expr) => {
        ::core::iter::Iterator::map(
            ::core::iter::IntoIterator::into_iter($references),
            $crate::codegen::Interface::as_object,
        )
    };
}

/// The body of a one-way stub: `oneway!(self, touch, [String => reason])`, with the parameters of `invoke!`
/// except the results.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_oneway {
    (interpretive $reference:ident $(as $base:ty)?, $method:ident $(($upcall:ident))?, $arguments:tt) => {
        $crate::__zorb_oneway!(interpretive @ $reference, ::core::stringify!($method), $arguments)
    };
    (
        interpretive $reference:ident $(as $base:ty)?, $method:ident $(($upcall:ident))? $operation:literal,
        $arguments:tt
    ) => {
        $crate::__zorb_oneway!(interpretive @ $reference, $operation, $arguments)
    };
    (interpretive @ $reference:ident, $operation:expr, [$($type:ty => $view:expr),*]) => {{
        #[allow(unused_imports)]
        use $crate::codegen::Tabled as _;
        $crate::codegen::interpret_one_way(
            $crate::codegen::Interface::as_object($reference),
            $operation,
            &[$(<$type>::operand(&$view)),*],
        )
    }};
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
