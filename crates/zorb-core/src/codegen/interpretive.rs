//! Interpretive stubs: a call whose arguments and results are given by layout tables.

use zorb_base::gather::Body;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_interp::{List, Operand, Results, receive};
use zorb_invocation::client::{Invocation, NO_REPLY, Outcome, invoke_two_way};
use zorb_invocation::object::ObjectRef;
use zorb_types::SystemException;

/// Calls `operation` of `object`, which may be collocated. `L` are the types of its results.
///
/// # Errors
/// The exception that the operation raises, or the system exception of the failed call.
pub fn interpret<L: List, E: Raises>(
    object: &ObjectRef,
    operation: &str,
    arguments: &[Operand<'_>],
) -> Result<L::Values, E> {
    receive::<L, E>(
        |results| call(object, operation, arguments, results),
        || E::from_system(NO_REPLY),
    )
}

/// The part of a call that does not depend on the results.
#[inline(never)] // one for all operations that raise the same
fn call<E: Raises>(
    object: &ObjectRef,
    operation: &str,
    arguments: &[Operand<'_>],
    results: &Results<'_>,
) -> Result<(), E> {
    let stub = Stub { arguments, results, outcome: Outcome::missing() };
    let ended = invoke_two_way(object, operation, &stub);
    stub.outcome.after(ended)
}

/// Sends a one-way request to `object`, which may be collocated.
///
/// # Errors
/// The system exception that prevented sending it.
pub fn interpret_one_way(
    object: &ObjectRef,
    operation: &str,
    arguments: &[Operand<'_>],
) -> Result<(), SystemException> {
    object.invoke_oneway(operation, |writer| write(arguments, writer))
}

fn write(arguments: &[Operand<'_>], writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    arguments.iter().try_for_each(|argument| argument.write(writer))
}

/// A two-way call, for code that does not depend on its types.
struct Stub<'c, E> {
    arguments: &'c [Operand<'c>],
    results: &'c Results<'c>,
    /// What the operation raised, if anything.
    outcome: Outcome<(), E>,
}

impl<E> Body for Stub<'_, E> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write(self.arguments, writer)
    }
}

impl<E: Raises> Invocation for Stub<'_, E> {
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.results.read(reader)?;
        self.outcome.set(Ok(()));
        Ok(())
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.outcome.read_exception(id, reader)
    }
}
