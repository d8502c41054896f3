//! Dynamic clients and dynamic servants, over TCP and inside one ORB.

mod deferred;

use std::borrow::Cow;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use zorb_cdr::Wire;
use zorb_core::poa::{ObjectId, PoaPolicies};
use zorb_core::{ObjectRef, Orb};
use zorb_tcp::IiopProtocol;
use zorb_types::{SystemExceptionKind, Typed, minor};

use super::*;
use crate::{Dynamic, DynamicServant, ServerRequest};

/// ```idl
/// exception Refused { string why; };
/// interface Desk {
///   string repeat(in string text, inout long times, out string last) raises (Refused);
///   oneway void note(in long value);
///   attribute long noted;
///   string whoami();
///   string where() context ("place");
///   void wait_for_note();
///   any echo(in any value);
/// };
/// ```
#[derive(Default)]
struct Desk {
    noted: AtomicI32,
    gate: Mutex<bool>,
    opened: Condvar,
}

fn refused() -> TypeCode {
    TypeCode::exception("IDL:Refused:1.0", "Refused", &[("why", TypeCode::string(0))]).unwrap()
}

fn text(value: &str) -> Any {
    Any::new::<String>(value).unwrap()
}

fn number(value: i32) -> Any {
    Any::new::<i32>(&value).unwrap()
}

impl Desk {
    fn repeat(request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let list = request.arguments(vec![
            NamedValue::typed("text", Mode::In, String::type_code()),
            NamedValue::typed("times", Mode::InOut, i32::type_code()),
            NamedValue::typed("last", Mode::Out, String::type_code()),
        ])?;
        let words = list[0].value.as_ref().and_then(Any::get::<String>).unwrap();
        let times = list[1].value.as_ref().and_then(Any::get::<i32>).unwrap();
        let Ok(count) = usize::try_from(times) else {
            let refused = Any::build(refused(), |writer| {
                writer.write_latin1("IDL:Refused:1.0")?;
                String::write("too few", writer)
            })?;
            return request.set_exception(refused);
        };
        list[1].value = Some(number(times + 1));
        list[2].value = words.chars().last().map(|last| text(&last.to_string()));
        request.set_result(text(&words.repeat(count)))
    }
}

impl DynamicServant for Desk {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Desk:1.0".into()
    }

    fn is_a(&self, object: &ObjectId, type_id: &str) -> bool {
        assert_ne!(type_id, "IDL:Broken:1.0", "as a test wants it");
        type_id == "IDL:Furniture:1.0" || self.primary_interface(object) == type_id
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        match request.operation() {
            "repeat" => Self::repeat(request),
            "note" | "_set_noted" => {
                let list =
                    request.arguments(vec![NamedValue::typed("", Mode::In, i32::type_code())])?;
                let value = list[0].value.as_ref().and_then(Any::get::<i32>).unwrap();
                self.noted.store(value, Ordering::SeqCst);
                Ok(())
            }
            "_get_noted" => {
                request.arguments(Vec::new())?;
                request.set_result(number(self.noted.load(Ordering::SeqCst)))
            }
            "whoami" => {
                let id = request.object_id().map(ToString::to_string).unwrap_or_default();
                request.arguments(Vec::new())?;
                request.set_result(text(&id))
            }
            "where" => {
                request.arguments(Vec::new())?;
                let context = request.context()?.join("=");
                request.set_result(text(&context))
            }
            "wait_for_note" => {
                let mut open = self.gate.lock().unwrap();
                while !*open {
                    open = self.opened.wait(open).unwrap();
                }
                Ok(())
            }
            "echo" => {
                let list = request.arguments(vec![NamedValue::typed(
                    "",
                    Mode::In,
                    <Any as Typed>::type_code(),
                )])?;
                let value = list[0].value.clone().unwrap();
                request.set_result(value)
            }
            "early_result" => request.set_result(number(1)),
            "forgotten_output" => {
                let list = vec![NamedValue::typed("", Mode::Out, i32::type_code())];
                request.arguments(list).map(drop)
            }
            "no_exception" => request.set_exception(number(1)),
            "twice" => {
                request.arguments(Vec::new())?;
                request.arguments(Vec::new()).map(drop)
            }
            _ => Err(ServerRequest::unknown_operation()),
        }
    }
}

fn orb() -> Orb {
    let builder = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    builder.listen("iiop://127.0.0.1:0").build().unwrap()
}

/// Calls `body` with the desk as a client of another ORB sees it, and as its own ORB does.
fn both_ways(body: impl Fn(&ObjectRef)) {
    let server = orb();
    let here: ObjectRef = server.root_poa().activate(Dynamic(Desk::default())).unwrap();
    let client = orb();
    let there = client.string_to_object(&here.to_ior_string()).unwrap().unwrap();
    body(&there);
    body(&here);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

fn repeat(desk: &ObjectRef, times: i32) -> Request {
    Request::new(desk, "repeat")
        .input("text", text("ab"))
        .in_out("times", number(times))
        .output("last", String::type_code())
        .returns(String::type_code())
}

fn system(error: RequestError) -> SystemException {
    error.system().cloned().unwrap_or_else(|| panic!("{error}"))
}

#[test]
fn arguments_and_results_travel() {
    both_ways(|desk| {
        let response = repeat(desk, 3).invoke().unwrap();
        assert_eq!(response.result, text("ababab"));
        let outputs: Vec<_> = response
            .outputs
            .into_iter()
            .map(|output| (output.name, output.mode, output.value.unwrap()))
            .collect();
        let expected = [
            ("times".to_owned(), Mode::InOut, number(4)),
            ("last".to_owned(), Mode::Out, text("b")),
        ];
        assert_eq!(outputs, expected);

        let nested = Any::new::<Any>(&number(5)).unwrap();
        let echo = Request::new(desk, "echo").input("value", nested.clone());
        assert_eq!(echo.returns(<Any as Typed>::type_code()).invoke().unwrap().result, nested);
    });
}

#[test]
fn large_values_travel_as_they_are() {
    both_ways(|desk| {
        for length in [0, 1, 1000, 100_000] {
            let longs = Any::new::<Vec<i32>>(&vec![7; length]).unwrap();
            let value = Any::new::<Any>(&longs).unwrap();
            let echo = Request::new(desk, "echo").input("value", value.clone());
            let response = echo.returns(<Any as Typed>::type_code()).invoke().unwrap();
            assert_eq!(response.result, value);
            // The octets are not the end of the message.
            let request = repeat(desk, 1).input("rest", value).invoke();
            assert_eq!(system(request.unwrap_err()).kind, SystemExceptionKind::Marshal);
        }
        let repeated = repeat(desk, 100_000).invoke().unwrap();
        assert_eq!(repeated.result.get::<String>().map(|text| text.len()), Some(200_000));
        assert_eq!(repeated.outputs[1].value, Some(text("b")), "behind the octets");
    });
}

#[test]
fn exceptions_come_back_as_anys_if_they_are_listed() {
    both_ways(|desk| {
        let listed = repeat(desk, -1).raises(refused()).invoke().unwrap_err();
        let RequestError::User(any) = &listed else { panic!("{listed}") };
        assert_eq!(any.type_code(), &refused());
        let mut reader = any.reader();
        assert_eq!(reader.read_latin1("").unwrap(), "IDL:Refused:1.0");
        assert_eq!(String::read(&mut reader).unwrap(), "too few");

        let unlisted = repeat(desk, -1).invoke().unwrap_err();
        let RequestError::UnknownUser(exception) = &unlisted else { panic!("{unlisted}") };
        assert_eq!((exception.id(), unlisted.id()), ("IDL:Refused:1.0", "IDL:Refused:1.0"));
        assert_eq!(&exception.decode(&refused()).unwrap(), any);
        let other = exception.decode(&i32::type_code()).unwrap_err();
        assert_eq!(other.minor, minor::marshal::EXTRA_OCTETS, "{other}");
        let wrong = TypeCode::sequence(&i64::type_code(), 0).unwrap();
        let error = exception.decode(&wrong).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Marshal);
    });
}

#[test]
fn replies_wait_for_their_types() {
    both_ways(|desk| {
        let reply = repeat(desk, 2).invoke_untyped().unwrap();
        assert_eq!(reply.exception_id(), None);
        let types = [String::type_code(), i32::type_code(), String::type_code()];
        assert_eq!(reply.values(&types).unwrap(), [text("abab"), number(3), text("b")]);
        let reply = repeat(desk, -2).invoke_untyped().unwrap();
        assert_eq!(reply.exception_id(), Some("IDL:Refused:1.0"));
        assert_eq!(reply.exception(&refused()).unwrap().type_code(), &refused());
    });
}

#[test]
fn attributes_and_oneways_are_operations() {
    both_ways(|desk| {
        let noted = || {
            let get = Request::new(desk, "_get_noted").returns(i32::type_code());
            get.invoke().unwrap().result.get::<i32>()
        };
        Request::new(desk, "_set_noted").input("", number(7)).invoke().unwrap();
        assert_eq!(noted(), Some(7));
        Request::new(desk, "note").input("", number(9)).send_oneway().unwrap();
        // On the same connection, so after the oneway; but another thread may serve it.
        while noted() != Some(9) {
            std::thread::yield_now();
        }
    });
}

#[test]
fn contexts_follow_the_arguments() {
    both_ways(|desk| {
        let asked = Request::new(desk, "where").returns(String::type_code());
        let answer = asked.clone().context("place", "here").invoke().unwrap().result;
        assert_eq!(answer, text("place=here"));
        assert_eq!(asked.clone().with_context().invoke().unwrap().result, text(""));
        // The stubs of some ORBs send none.
        assert_eq!(asked.invoke().unwrap().result, text(""));
    });
}

#[test]
fn servants_out_of_order_are_told() {
    both_ways(|desk| {
        let call = |operation: &str| system(Request::new(desk, operation).invoke().unwrap_err());
        assert_eq!(call("early_result").minor, minor::bad_inv_order::RESULT_ORDER);
        assert_eq!(call("twice").minor, minor::bad_inv_order::ARGUMENTS_ORDER);
        assert_eq!(call("no_exception").minor, minor::bad_param::NOT_AN_EXCEPTION);
        assert_eq!(call("forgotten_output").minor, minor::marshal::SERVER_REQUEST_ARGUMENTS);
        let unknown = call("nothing");
        assert_eq!(unknown.minor, minor::bad_operation::OPERATION_UNKNOWN);
        assert_eq!(unknown.context().unwrap().operation(), Some("nothing"));
        let lacking = Request::new(desk, "note").argument(NamedValue::typed(
            "value",
            Mode::In,
            i32::type_code(),
        ));
        assert_eq!(system(lacking.invoke().unwrap_err()).kind, SystemExceptionKind::BadParam);
        let wrong = Request::new(desk, "_set_noted").input("", Any::new::<u8>(&1).unwrap());
        let error = system(wrong.invoke().unwrap_err());
        assert_eq!(
            (error.kind, error.completed),
            (SystemExceptionKind::Marshal, CompletionStatus::No)
        );
    });
}

#[test]
fn one_servant_is_many_objects() {
    let server = orb();
    let policies = PoaPolicies::new().user_ids().multiple_ids();
    let poa = server.root_poa().create("desks", policies).unwrap();
    let servant = Arc::new(Dynamic(Desk::default()));
    for name in ["left", "right"] {
        let desk: ObjectRef = poa.activate_shared_with_id(name, &servant).unwrap();
        let whoami = Request::new(&desk, "whoami").returns(String::type_code());
        assert_eq!(whoami.invoke().unwrap().result, text(name));
    }
}

#[test]
fn servants_say_what_they_are() {
    both_ways(|desk| {
        assert_eq!(desk.ior().type_id, "IDL:Desk:1.0");
        assert_eq!(desk.repository_id().unwrap(), "IDL:Desk:1.0");
        assert!(desk.is_a("IDL:Furniture:1.0").unwrap());
        assert!(desk.is_a(zorb_core::OBJECT_ID).unwrap());
        assert!(!desk.is_a("IDL:Refused:1.0").unwrap());
        assert!(!desk.non_existent().unwrap());
    });
}

#[test]
fn a_panic_in_a_pseudo_operation_fails_only_its_call() {
    both_ways(|desk| {
        let is_a = |id: &str| {
            Request::new(desk, "_is_a").input("id", text(id)).returns(bool::type_code()).invoke()
        };
        let exception = system(is_a("IDL:Broken:1.0").unwrap_err());
        assert_eq!(exception.kind, SystemExceptionKind::Unknown);
        assert_eq!(exception.minor, minor::unknown::SERVANT_PANICKED);
        assert_eq!(is_a("IDL:Furniture:1.0").unwrap().result, Any::new::<bool>(&true).unwrap());
    });
}
