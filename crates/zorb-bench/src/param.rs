//! The values of Param_Test, and marshalling them without calls, once for each engine: their types have different names.

mod marshal;

use std::hint::black_box;

use crate::error::{Error, Result};
use marshal::{Compiled, Interpretive, demarshal, marshal};

/// Octets of each string in a sequence or struct. A string parameter has four times as many.
pub(crate) const STRING: usize = 32;
/// Elements of a sequence.
pub(crate) const STRUCTS: usize = 9;

/// The names of the engines.
pub(crate) const ENGINES: [&str; 2] = ["compiled", "interpretive"];
/// What engines do with the values of each type.
pub(crate) const DIRECTIONS: [&str; 2] = ["marshal", "demarshal"];

/// Marshals or demarshals a value so many times.
type Work<V> = fn(&V, u32) -> Result<()>;

/// The values for the types of a module.
macro_rules! values {
    ($(#[$doc:meta])* $engine:ident, $marshals:ident = $($types:ident)::+ { $($value:ident: $owned:ty;)* }) => {
        $(#[$doc])*
        pub(crate) mod $engine {
            use super::{Compiled, DIRECTIONS, Interpretive, STRING, STRUCTS, Work, demarshal, marshal};
            use $($types)::+::{FixedStruct, NestedStruct, VarStruct};

            type Engine = $marshals;
            /// The other one.
            const _: Option<(Compiled, Interpretive)> = None;

            /// A value of each type.
            pub(crate) struct Values {
                $(pub(crate) $value: $owned),*
            }

            /// The types: a name, and what [the engine does](DIRECTIONS).
            pub(crate) const TYPES: &[(&str, [Work<Values>; DIRECTIONS.len()])] = &[$(
                (stringify!($value), [
                    |values, times| marshal::<Engine, $owned>(&values.$value, times),
                    |values, times| demarshal::<Engine, $owned>(&values.$value, times),
                ])
            ),*];

            impl Default for Values {
                fn default() -> Self {
                    let text = |octets| "Param_Test ".chars().cycle().take(octets).collect();
                    let strings: Vec<String> = vec![text(STRING); STRUCTS];
                    let var_struct =
                        VarStruct { dummy1: text(STRING), dummy2: text(STRING), seq: strings.clone() };
                    Self {
                        short: -12_345,
                        string: text(4 * STRING),
                        fixed_struct: FixedStruct {
                            l: 1 << 20,
                            c: 'c',
                            s: -1,
                            o: 200,
                            f: 0.5,
                            b: true,
                            d: 1e9,
                        },
                        strings,
                        nested_struct: NestedStruct { vs: var_struct.clone() },
                        structs: vec![var_struct.clone(); STRUCTS],
                        var_struct,
                    }
                }
            }
        }
    };
    ($(#[$doc:meta])* $engine:ident, $marshals:ident = $($types:ident)::+) => {
        values! {
            $(#[$doc])*
            $engine, $marshals = $($types)::+ {
                short: i16;
                string: String;
                fixed_struct: FixedStruct;
                strings: Vec<String>;
                var_struct: VarStruct;
                nested_struct: NestedStruct;
                structs: Vec<VarStruct>;
            }
        }
    };
}

values! {
    /// Compiled.
    compiled, Compiled = crate::stubs::param
}
values! {
    /// Interpretive.
    interpretive, Interpretive = crate::stubs::interpretive::param
}

/// The names of the types.
pub(crate) fn types() -> impl Iterator<Item = &'static str> {
    compiled::TYPES.iter().map(|(name, _)| *name)
}

/// Where callgrind writes its counts: it knows this name.
#[inline(never)]
fn mark_marshalling(phase: &str) {
    black_box(phase);
}

/// The name of [`mark_marshalling`] for callgrind.
pub(crate) const MARK: &str = "*mark_marshalling*";

/// Marshals and demarshals the values of all types by each engine, with a mark before and after each. The first phase is
/// empty, and its counts are those of a phase without work.
///
/// # Errors
/// `times` is no number, or a value changed on its way.
pub(crate) fn marshal_all(times: &str) -> Result<u8> {
    let times: u32 = times.parse().map_err(|_| Error::new("expected a number"))?;
    let (compiled, interpretive) = (compiled::Values::default(), interpretive::Values::default());
    let between_marks = |work: &dyn Fn(u32) -> Result<()>| -> Result<()> {
        // Until buffers have their size.
        work(2)?;
        mark_marshalling("begin");
        work(times)?;
        mark_marshalling("end");
        Ok(())
    };
    between_marks(&|_| Ok(()))?;
    for ((_, code), (_, tables)) in compiled::TYPES.iter().zip(interpretive::TYPES) {
        for (code, tables) in code.iter().zip(tables) {
            between_marks(&|times| code(&compiled, times))?;
            between_marks(&|times| tables(&interpretive, times))?;
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_are_marshalled_and_demarshalled() {
        assert_eq!(marshal_all("3").unwrap(), 0);
        marshal_all("x").unwrap_err();
        assert_eq!(types().count(), interpretive::TYPES.len());
    }
}
