//! The macro of generated code for servants that answer later (asynchronous method handling).

/// The skeletons of deferred and of asynchronous servants: as `skeleton!`, but the methods get a response, or return a
/// future.
///
/// ```text
/// deferred!(Savings, SavingsDeferredServant, SavingsAsyncServant, {
///     0 "withdraw" withdraw(amount: Money => &amount) [result: Money, recent: Vec<Money>],
///     1 "touch" touch(reason: String => &reason) oneway,
/// } inherited {
///     2..=3 in Account ["owner", "close"],
/// });
/// ```
/// The rows are those of `skeleton!`. Asynchronous methods get neither what is to be passed, but the arguments
/// themselves, nor their upcall.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_deferred {
    ($name:ident, $deferred:ident, $async:ident, $rows:tt $($inherited:tt)*) => {
        const _: () = {
            impl<__S: $deferred>
                $crate::codegen::ServedBy<$crate::codegen::DeferredServant<__S>> for $name
            {
                fn dispatch(
                    servant: &$crate::codegen::DeferredServant<__S>,
                    call: &mut $crate::codegen::ServerCall<'_>,
                ) -> $crate::codegen::Served {
                    $crate::__zorb_deferred!(@ servant call deferred_upcall $rows $($inherited)*)
                }
            }

            impl<__S: $async>
                $crate::codegen::ServedBy<$crate::codegen::AsyncServant<__S>> for $name
            {
                fn dispatch(
                    servant: &$crate::codegen::AsyncServant<__S>,
                    call: &mut $crate::codegen::ServerCall<'_>,
                ) -> $crate::codegen::Served {
                    $crate::__zorb_deferred!(@ servant call async_upcall $rows $($inherited)*)
                }
            }
        };
    };
    (@ $servant:ident $call:ident $upcall:ident {
        $($number:literal $operation:literal $method:ident $arguments:tt $results:tt),* $(,)?
    } $(inherited {
        $($range:pat in $base:ty [$($inherited:literal),* $(,)?]),* $(,)?
    })?) => {{
        const NAMES: &[&str] = &[$($operation,)* $($($($inherited,)*)*)?];
        const COUNT: usize = NAMES.len();
        static OPERATIONS: $crate::codegen::Operations<COUNT> =
            $crate::codegen::Operations::new(&[$($operation,)* $($($($inherited,)*)*)?]);
        let _ = &$servant;
        match $call.find(&OPERATIONS) {
            $(
                ::core::option::Option::Some($number) => {
                    $crate::__zorb_amh_upcall!($upcall $servant $call $method $arguments $results)
                }
            )*
            $($(
                ::core::option::Option::Some($range) => {
                    <$base as $crate::codegen::ServedBy<_>>::dispatch($servant, $call)
                }
            )*)?
            _ => $call.unknown_operation(),
        }
    }};
}

/// One upcall of a deferred or asynchronous servant.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_amh_upcall {
    (async_upcall $servant:ident $call:ident $method:ident (upcall; $($arguments:tt)*) $results:tt) => {
        $crate::__zorb_amh_upcall!(async_upcall $servant $call $method ($($arguments)*) $results)
    };
    (async_upcall $servant:ident $call:ident $method:ident
        ($($argument:ident: $type:ty => $passed:expr),*) oneway) => {{
        $(let $argument = $call.owned_argument::<$type>()?;)*
        $call.end_of_arguments()?;
        let request = $call.defer()?;
        let method = ::std::sync::Arc::clone($servant.servant()).$method($($argument),*);
        $servant.run_one_way(request, method);
        ::core::result::Result::Ok(())
    }};
    (async_upcall $servant:ident $call:ident $method:ident
        ($($argument:ident: $type:ty => $passed:expr),*) $results:tt) => {{
        $(let $argument = $call.owned_argument::<$type>()?;)*
        $call.end_of_arguments()?;
        let response = $crate::__zorb_amh_upcall!(response $call $results);
        let method = ::std::sync::Arc::clone($servant.servant()).$method($($argument),*);
        $servant.run(response, method);
        ::core::result::Result::Ok(())
    }};
    (deferred_upcall $servant:ident $call:ident $method:ident (upcall; $($arguments:tt)*) $results:tt) => {
        $crate::__zorb_amh_upcall!(
            @ $servant $call $method [&$crate::poa::Upcall::of($call)?,] ($($arguments)*) $results
        )
    };
    (deferred_upcall $servant:ident $call:ident $method:ident $arguments:tt $results:tt) => {
        $crate::__zorb_amh_upcall!(@ $servant $call $method [] $arguments $results)
    };
    (@ $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) oneway) => {{
        $(let $argument = $call.argument::<$type>()?;)*
        $call.end_of_arguments()?;
        $servant.servant().$method($($upcall)* $($passed),*);
        $call.done()
    }};
    (@ $servant:ident $call:ident $method:ident [$($upcall:tt)*]
        ($($argument:ident: $type:ty => $passed:expr),*) $results:tt) => {{
        $(let $argument = $call.argument::<$type>()?;)*
        $call.end_of_arguments()?;
        let response = $crate::__zorb_amh_upcall!(response $call $results);
        $servant.servant().$method($($upcall)* $($passed,)* response);
        ::core::result::Result::Ok(())
    }};
    (response $call:ident []) => {
        $crate::codegen::Response::without_results($call.defer()?)
    };
    (response $call:ident [$($result:ident: $result_type:ty),*]) => {
        $crate::codegen::Response::new($call.defer()?, |_writer, results| {
            let ($($result),*) = results;
            $(
                <$result_type as $crate::codegen::Wire>::write(
                    <$result_type as $crate::codegen::Wire>::view($result),
                    _writer,
                )?;
            )*
            ::core::result::Result::Ok(())
        })
    };
}
