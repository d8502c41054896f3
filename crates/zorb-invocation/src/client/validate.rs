//! Binding a reference before its first call.

use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::object::ObjectRef;

/// What is asked of the object. Every ORB answers it, and it is a request like any other: it goes
/// where calls will go, follows forwards, and takes the code sets along, which a LocateRequest
/// cannot.
const QUESTION: &str = "_non_existent";

/// How often it is asked. The server's thread has two buffers that take turns, and each is there
/// only when it has been used.
const TIMES: usize = 2;

/// What tells a server the band of priorities that a connection is for; the band itself is in a service
/// context. A server that does not know it answers so, and learns of the band no less.
const BIND: &str = "_bind_priority_band";

/// Does what a first call does beyond what every call does.
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
            QUESTION,
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
