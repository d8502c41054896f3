//! Calls without stubs.

use std::borrow::Cow;
use std::sync::Mutex;

use zorb::dynamic::{DynamicServant, Request, RequestError, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{Any, ObjectRef, SystemException, Typed};

/// `long long seconds_since(in string start) raises (BadTime);` without the stub.
pub fn ask(object: &ObjectRef, start: &str) -> Result<Option<i64>, RequestError> {
    let start = Any::new::<String>(start).map_err(SystemException::from)?;
    let response = Request::new(object, "seconds_since")
        .input("start", start)
        .returns(i64::type_code())
        .invoke()?;
    Ok(response.result.get::<i64>())
}

/// Answers every operation of any interface with `BAD_OPERATION`, but counts them.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The operations' names.
    pub requests: Mutex<Vec<String>>,
}

impl DynamicServant for Recorder {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:example.org/Recorder:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        self.requests.lock().unwrap().push(request.operation().to_owned());
        Err(ServerRequest::unknown_operation())
    }
}

#[cfg(test)]
mod tests {
    use zorb::dynamic::Dynamic;
    use zorb::{Orb, SystemExceptionKind};

    use super::*;

    #[test]
    fn a_request_reaches_the_servant_by_its_name() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servant = std::sync::Arc::new(Dynamic(Recorder::default()));
        let object: ObjectRef = orb.root_poa().activate_shared(&servant).unwrap();
        let error = ask(&object, "noon").unwrap_err().system().unwrap();
        assert_eq!(error.kind, SystemExceptionKind::BadOperation);
        assert_eq!(*servant.0.requests.lock().unwrap(), ["seconds_since"]);
    }
}
