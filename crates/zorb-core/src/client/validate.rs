//! Binding a reference before its first call.

use zorb_types::{CompletionStatus, SystemException, minor};

use crate::object::ObjectRef;

/// What is asked of the object. Every ORB answers it, and it is a request like any other: it goes
/// where calls will go, follows forwards, and takes the code sets along, which a LocateRequest
/// cannot.
const QUESTION: &str = "_non_existent";

/// How often it is asked. The server's thread has two buffers that take turns, and each is there
/// only when it has been used.
const TIMES: usize = 2;

/// Does what a first call does beyond what every call does.
pub(crate) fn validate(object: &ObjectRef) -> Result<(), SystemException> {
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
