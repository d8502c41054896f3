//! Servant and client of Param_Test, once for each marshalling engine: their types have different names.

/// The servant and the client's calls for the types of a module.
macro_rules! engine {
    ($(#[$doc:meta])* $engine:ident = $($types:ident)::+) => {
        $(#[$doc])*
        pub(super) mod $engine {
            use zorb::poa::{Poa, PoaError};
            use zorb::{CompletionStatus, MinorCode, SystemException};
            use zorb_os::clock::MonotonicTime;

            use crate::error::{Error, Result};
            use crate::param::$engine::Values;
            use $($types)::+::{FixedStruct, NestedStruct, Test, TestServant, VarStruct};

            operations! {
                short: i16, i16, |v| *v;
                    in_short inout_short out_short result_short;
                string: String, &str, |v| v;
                    in_string inout_string out_string result_string;
                fixed_struct: FixedStruct, &FixedStruct, |v| v;
                    in_fixed_struct inout_fixed_struct out_fixed_struct result_fixed_struct;
                strings: Vec<String>, &[String], |v| v;
                    in_strings inout_strings out_strings result_strings;
                var_struct: VarStruct, &VarStruct, |v| v;
                    in_var_struct inout_var_struct out_var_struct result_var_struct;
                nested_struct: NestedStruct, &NestedStruct, |v| v;
                    in_nested_struct inout_nested_struct out_nested_struct result_nested_struct;
                structs: Vec<VarStruct>, &[VarStruct], |v| v;
                    in_structs inout_structs out_structs result_structs;
            }

            /// A client, and the values that it sends and expects.
            pub(in super::super) struct Client {
                test: Test,
                values: Values,
            }

            impl Client {
                /// A client of a new servant in this adapter, through another ORB.
                pub(in super::super) fn new(poa: &Poa, orb: &zorb::Orb) -> Result<Self> {
                    let there: std::result::Result<Test, PoaError> =
                        poa.activate(Servant(Values::default()));
                    let ior = zorb::Interface::as_object(&there?).to_ior_string();
                    Ok(Self { test: orb.resolve(&ior)?, values: Values::default() })
                }

                /// The time of a call in nanoseconds.
                fn timed<T: PartialEq>(
                    &self,
                    call: impl FnOnce(&Test) -> zorb::Result<T>,
                    expected: &T,
                ) -> Result<u64> {
                    let begun = MonotonicTime::now();
                    let result = call(&self.test)?;
                    let took = MonotonicTime::now().nanos_since(begun);
                    match result == *expected {
                        true => Ok(took),
                        false => Err(Error::new("the value changed on its way")),
                    }
                }
            }
        }
    };
}

/// Values, the servant, and the calls, from these types and operations: a value, its type, the type of an argument,
/// and how one is made from the other.
macro_rules! operations {
    ($(
        $value:ident: $owned:ty, $argument:ty, |$v:ident| $borrow:expr;
            $in:ident $inout:ident $out:ident $result:ident;
    )*) => {
        /// Knows the values that clients send.
        struct Servant(Values);

        impl TestServant for Servant {
            $(
                fn $in(&self, v: $argument) -> zorb::Result<()> {
                    let $v = &self.0.$value;
                    let expected: $argument = $borrow;
                    match v == expected {
                        true => Ok(()),
                        false => Err(SystemException::bad_param(MinorCode(0), CompletionStatus::Yes).into()),
                    }
                }

                fn $inout(&self, v: $argument) -> zorb::Result<$owned> {
                    Ok(v.to_owned())
                }

                fn $out(&self) -> zorb::Result<$owned> {
                    Ok(self.0.$value.to_owned())
                }

                fn $result(&self) -> zorb::Result<$owned> {
                    Ok(self.0.$value.to_owned())
                }
            )*
        }

        impl Client {
            /// The operations: a name, and a call that checks the result and returns its time in nanoseconds.
            pub(in super::super) const OPERATIONS: &[(&'static str, fn(&Self) -> Result<u64>)] = &[$(
                (stringify!($in), |client| {
                    let $v = &client.values.$value;
                    client.timed(|test| test.$in($borrow), &())
                }),
                (stringify!($inout), |client| {
                    let $v = &client.values.$value;
                    client.timed(|test| test.$inout($borrow), $v)
                }),
                (stringify!($out), |client| client.timed(Test::$out, &client.values.$value)),
                (stringify!($result), |client| client.timed(Test::$result, &client.values.$value)),
            )*];
        }
    };
}

engine! {
    /// Compiled.
    compiled = crate::stubs::param
}
engine! {
    /// Interpretive.
    interpretive = crate::stubs::interpretive::param
}
