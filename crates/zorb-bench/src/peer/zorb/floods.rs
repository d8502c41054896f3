//! One-way calls by each marshalling engine, and the servants that take them: their types have different names.

use zorb::poa::Poa;
use zorb::{ObjectRef, SequenceView};

use super::tallies::Tallies;
use crate::error::Result;
use crate::operation::Operation;
use crate::peer::arguments::Engine;
use crate::peer::client::{Flooding, Refusal, Tally};
use crate::values::{Value, sequence, set_first};

/// The calls of an operation.
pub(super) fn flood(
    engine: Engine,
    target: &ObjectRef,
    operation: Operation,
    elements: usize,
) -> Result<Box<dyn Flooding>, Refusal> {
    let object = target.clone();
    let calls = match (engine, operation) {
        (Engine::Compiled, _) => compiled::flood(object, operation, elements),
        (Engine::Interpretive, _) => interpretive::flood(object, operation, elements),
        (Engine::View, Operation::SendStructs | Operation::SendPadded) => {
            viewed::flood(object, operation, elements)
        }
        (Engine::View | Engine::Dsi, _) => {
            return Err(Refusal::Unsupported(format!("{operation} has only skeletons")));
        }
    };
    calls.ok_or_else(|| Refusal::Unsupported(format!("{operation} has a reply")))
}

/// One-way calls through stubs for `S`.
struct Calls<S, T> {
    suite: S,
    values: Vec<T>,
    call: fn(&S, &[T]) -> zorb::Result<()>,
    tally: fn(&S) -> zorb::Result<Tally>,
}

impl<S: Send, T: Value> Flooding for Calls<S, T> {
    fn send(&mut self, number: u32) -> Result<()> {
        set_first(&mut self.values, number);
        Ok((self.call)(&self.suite, &self.values)?)
    }

    fn number_of(&self, number: u32) -> u64 {
        let first = T::first(number).number();
        let last = self.values.last().filter(|_| self.values.len() > 1);
        first + last.map_or(first, T::number)
    }

    fn sync(&mut self) -> Result<Tally> {
        Ok((self.tally)(&self.suite)?)
    }
}

/// The stubs of an engine.
macro_rules! stubs {
    ($(#[$doc:meta])* $engine:ident = $($types:ident)::+, { $($servant:tt)* }) => {
        $(#[$doc])*
        pub(super) mod $engine {
            use $($types)::+::Suite;

            use super::*;

            fn tally(suite: &Suite) -> zorb::Result<Tally> {
                let $($types)::+::Tally { calls, elements, sum, cpu_ns } = suite.sync()?;
                Ok(Tally { calls, elements, sum, cpu_ns })
            }

            fn calls<T: Value>(
                suite: Suite,
                elements: usize,
                call: fn(&Suite, &[T]) -> zorb::Result<()>,
            ) -> Box<dyn Flooding> {
                Box::new(Calls { suite, values: sequence(elements), call, tally })
            }

            pub(super) fn flood(
                target: ObjectRef,
                operation: Operation,
                elements: usize,
            ) -> Option<Box<dyn Flooding>> {
                let suite: Suite = target.unchecked_narrow();
                Some(match operation {
                    Operation::SendShorts => calls(suite, elements, Suite::send_shorts),
                    Operation::SendChars => calls(suite, elements, Suite::send_chars),
                    Operation::SendLongs => calls(suite, elements, Suite::send_longs),
                    Operation::SendOctets => calls(suite, elements, Suite::send_octets),
                    Operation::SendDoubles => calls(suite, elements, Suite::send_doubles),
                    Operation::SendStructs => calls(suite, elements, Suite::send_structs),
                    Operation::SendPadded => calls(suite, elements, Suite::send_padded),
                    _ => return None,
                })
            }

            $($servant)*
        }
    };
}

/// A servant that takes structs as these types.
macro_rules! servant {
    ($($types:ident)::+, $structs:ty, $padded:ty) => {
        use $($types)::+::{BinStruct, PaddedStruct, SuiteServant};

        /// Serves the floods.
        #[derive(Debug, Default)]
        struct Servant(Tallies);

        impl SuiteServant for Servant {
            fn ping(&self) -> zorb::Result<()> {
                Ok(())
            }

            fn send_shorts(&self, data: &[i16]) {
                self.0.count(data);
            }

            fn send_chars(&self, data: &[char]) {
                self.0.count(data);
            }

            fn send_longs(&self, data: &[i32]) {
                self.0.count(data);
            }

            fn send_octets(&self, data: &[u8]) {
                self.0.count(data);
            }

            fn send_doubles(&self, data: &[f64]) {
                self.0.count(data);
            }

            fn send_structs(&self, data: $structs) {
                data.count_in(&self.0);
            }

            fn send_padded(&self, data: $padded) {
                data.count_in(&self.0);
            }

            fn sync(&self) -> zorb::Result<$($types)::+::Tally> {
                let Tally { calls, elements, sum, cpu_ns } = self.0.take();
                Ok($($types)::+::Tally { calls, elements, sum, cpu_ns })
            }
        }

        pub(in super::super) fn activate(poa: &Poa) -> Result<ObjectRef, zorb::poa::PoaError> {
            let suite: Suite = poa.activate(Servant::default())?;
            Ok(suite.into())
        }
    };
}

/// Structs as a servant gets them.
trait Structs {
    fn count_in(self, tallies: &Tallies);
}

impl<T: Value> Structs for &[T] {
    fn count_in(self, tallies: &Tallies) {
        tallies.count(self);
    }
}

macro_rules! views {
    ($($type:ident),*) => {$(
        impl Structs for SequenceView<'_, crate::stubs::viewed::bench::$type> {
            fn count_in(self, tallies: &Tallies) {
                let number = |index| self.get(index).map_or(0, |value| value.l().number());
                tallies.add(self.len(), number(0) + number(self.len().saturating_sub(1)));
            }
        }
    )*};
}
views!(BinStruct, PaddedStruct);

stubs! {
    /// Compiled; the servant serves everything else, too.
    compiled = crate::stubs::bench, {}
}
stubs! {
    /// Interpretive.
    interpretive = crate::stubs::interpretive::bench, {
        servant!(crate::stubs::interpretive::bench, &[BinStruct], &[PaddedStruct]);
    }
}
stubs! {
    /// Compiled, with a servant that gets structs in place.
    viewed = crate::stubs::viewed::bench, {
        servant!(
            crate::stubs::viewed::bench,
            SequenceView<'_, BinStruct>,
            SequenceView<'_, PaddedStruct>
        );
    }
}
