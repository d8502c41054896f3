//! Calls without stubs.

use std::borrow::Cow;
use std::sync::Mutex;

use zorb::dynamic::{DynAny, DynAnyError, DynamicServant, Request, RequestError, ServerRequest};
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

/// The result of the request that succeeds first. The other requests are cancelled.
pub fn first_success(requests: Vec<Request>) -> Result<Option<Any>, SystemException> {
    let mut pending = Request::send_multiple_deferred(requests)?;
    while let Some((_, response)) = pending.wait()? {
        if let Ok(response) = response {
            return Ok(Some(response.result));
        }
    }
    Ok(None)
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

/// Sums a member over all structs of a sequence; their other members do not matter.
pub fn sum(structs: Any, member: &str) -> Result<f64, DynAnyError> {
    let mut structs = DynAny::of(structs)?;
    let mut sum = 0.0;
    for index in 0..structs.component_count()? {
        sum += structs.component(index)?.as_struct()?.member(member)?.get::<f64>()?;
    }
    Ok(sum)
}

/// The first `count` square numbers.
pub fn squares(count: usize) -> Result<Any, DynAnyError> {
    let mut squares = DynAny::new(&<Vec<i32>>::type_code())?;
    squares.as_sequence()?.set_length(count)?;
    for number in (0..).take(count) {
        squares.insert::<i32>(&(number * number))?;
        squares.next_component()?;
    }
    squares.to_any()
}

#[cfg(test)]
mod tests {
    use zorb::dynamic::Dynamic;
    use zorb::{Orb, SystemExceptionKind, TypeCode};

    use super::*;

    #[test]
    fn values_are_gone_through_by_their_types() {
        assert_eq!(squares(4).unwrap().get::<Vec<i32>>(), Some(vec![0, 1, 4, 9]));
        let members = [("name", String::type_code()), ("weight", f64::type_code())];
        let parcel = TypeCode::structure("IDL:Parcel:1.0", "Parcel", &members).unwrap();
        let mut parcels = DynAny::new(&TypeCode::sequence(&parcel, 0).unwrap()).unwrap();
        parcels.as_sequence().unwrap().set_length(2).unwrap();
        for index in 0..2 {
            let parcel = parcels.component(index).unwrap().as_struct().unwrap();
            parcel.member("weight").unwrap().insert::<f64>(&1.25).unwrap();
        }
        assert_eq!(sum(parcels.to_any().unwrap(), "weight"), Ok(2.5));
    }

    #[test]
    fn a_request_reaches_the_servant_by_its_name() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servant = std::sync::Arc::new(Dynamic(Recorder::default()));
        let object: ObjectRef = orb.root_poa().activate_shared(&servant).unwrap();
        let error = ask(&object, "noon").unwrap_err();
        let error = error.system().unwrap();
        assert_eq!(error.kind, SystemExceptionKind::BadOperation);
        assert_eq!(*servant.0.requests.lock().unwrap(), ["seconds_since"]);
        let id = Any::new::<String>("IDL:example.org/Recorder:1.0").unwrap();
        let is_a = Request::new(&object, "_is_a").input("id", id).returns(bool::type_code());
        let requests = vec![Request::new(&object, "unknown"), is_a];
        assert_eq!(first_success(requests).unwrap().unwrap().get::<bool>(), Some(true));
    }
}
