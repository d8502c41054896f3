//! Binding a reference before its first call.

use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::object::ObjectRef;

/// The operation that is called. Every ORB has it, and unlike a LocateRequest it is an ordinary request: it uses
/// the same routes as later calls, follows forwards, and carries the code sets.
const OPERATION: &str = "_non_existent";

/// The number of calls: the server's thread uses two buffers in turn, and allocates each on its first use.
const TIMES: usize = 2;

/// The operation that announces the priority band of a connection, which is in a service context. A server that
/// does not have the operation receives the band as well.
const BIND: &str = "_bind_priority_band";

/// Does what only a first call does.
pub(crate) fn validate(object: &ObjectRef) -> Result<(), SystemException> {
    if object.has_bands() {
        match object.invoke::<(), SystemException>(BIND, |_| Ok(()), |_| Ok(())) {
            Err(exception) if exception.kind != SystemExceptionKind::BadOperation => {
                return Err(exception);
            }
            _ => {}
        }
    }
    for _ in 0..TIMES {
        let gone = object.invoke::<bool, SystemException>(
            OPERATION,
            |_| Ok(()),
            |reader| reader.read_bool(),
        )?;
        if gone {
            let code = minor::object_not_exist::NO_MATCH;
            return Err(SystemException::object_not_exist(code, CompletionStatus::No));
        }
    }
    Ok(())
}
