//! Interpretive stubs: a call whose arguments, results and exceptions are given by layout tables.

use zorb_base::gather::Body;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_interp::{Expected, List, Operand, Raised, Received, Results, receive};
use zorb_invocation::client::{Invocation, NO_REPLY, invoke_two_way};
use zorb_invocation::object::ObjectRef;
use zorb_types::SystemException;

/// Calls `operation` of `object`, which may be collocated. `L` are the types of its results.
///
/// # Errors
/// The exception that the operation raises, or the system exception of the failed call.
pub fn interpret<L: List, E: Raised<Other = SystemException>>(
    object: &ObjectRef,
    operation: &str,
    arguments: &[Operand<'_>],
) -> Result<L::Values, E> {
    receive::<L, E>(|expected| call(object, operation, arguments, expected))
}

/// The part of a call that does not depend on its types.
#[inline(never)]
fn call<'v>(
    object: &ObjectRef,
    operation: &str,
    arguments: &[Operand<'_>],
    expected: Expected<'v, SystemException>,
) -> Received<'v> {
    let stub = Stub { arguments, results: expected.results() };
    let ended = invoke_two_way(object, operation, &stub);
    stub.results.end(ended, NO_REPLY)
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

/// A two-way call.
struct Stub<'c, 'v> {
    arguments: &'c [Operand<'c>],
    results: Results<'v, SystemException>,
}

impl Body for Stub<'_, '_> {
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write(self.arguments, writer)
    }
}

impl Invocation for Stub<'_, '_> {
    fn read_results(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.results.read(reader)
    }

    fn read_exception(&self, id: &str, reader: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.results.read_exception(id, reader)
    }
}
