//! Checks of calls without stubs, of objects with and without skeletons; and of calls with stubs
//! of an object without a skeleton.

use zorb::SystemExceptionKind::{BadOperation, NoPermission};
use zorb::dynamic::{NamedValue, Request, RequestError, Response};
use zorb::{Any, Error, Interface as _, ObjectRef, TypeCode, Typed, codegen::CdrResult};

use super::state::await_effect;
use super::{Checked, Run, fail, present, same};
use crate::interop::data::Person;
use crate::interop::dynamic::FailError;
use crate::interop::{Dynamic, Empty, Reason};
use crate::samples;
use crate::shapes::Point;

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let object = &present(run.suite.dynamic_tests()?)?;
    check_stubs(run, object);
    check_requests(run, object.as_object());
    check_skeletons(run)
}

/// Calls with stubs.
fn check_stubs(run: &mut Run<'_>, object: &Dynamic) {
    run.check("dynamic/stub_add", || same("the sum", &object.add(40, 2)?, &42));
    let people = [samples::ada(), Person::default()];
    run.echo("dynamic/stub_echo", &people, |a, b| object.echo_person(a, b));
    let anys = ["tree", "price"].map(|kind| samples::any_of(kind).unwrap_or_default());
    run.echo("dynamic/stub_any", &anys, |a, b| object.echo_any(a, b));
    run.check("dynamic/stub_exceptions", || {
        match object.fail("four") {
            Err(FailError::Reason(Reason { why, code })) => {
                same("the members", &(why.as_str(), code), &("four", 4))?;
            }
            other => return fail(format!("not a Reason: {other:?}")),
        }
        match object.fail("") {
            Err(FailError::Empty(Empty)) => Ok(()),
            other => fail(format!("not Empty: {other:?}")),
        }
    });
    run.refused("dynamic/stub_system_exception", &[NoPermission], || object.fail("system"));
    run.check("dynamic/stub_attribute", || {
        object.set_title("by stub")?;
        same("the title", object.title()?.as_str(), "by stub")
    });
    run.check("dynamic/stub_oneway", || {
        let before = object.notes()?;
        object.note(3)?;
        await_effect(|| Ok(object.notes()? == before + 3))
    });
}

fn any<T: Typed>(value: &T::View) -> Result<Any, Error> {
    encoded(Any::new::<T>(value))
}

fn encoded(any: CdrResult<Any>) -> Result<Any, Error> {
    any.or_else(|error| fail(format!("no encoding: {error}")))
}

fn taken<T: Typed>(value: &Any) -> Result<T::Value, Error> {
    value.get::<T>().map_or_else(|| fail(format!("another type: {value:?}")), Ok)
}

fn invoke(request: &Request) -> Result<Response, Error> {
    request.invoke().or_else(failed)
}

fn failed<T>(error: RequestError) -> Result<T, Error> {
    match error.system() {
        Some(exception) => Err(exception.clone().into()),
        None => fail(error.to_string()),
    }
}

/// `T echo_X(in T a, inout T b, out T c)` with these anys.
fn echo(object: &ObjectRef, operation: &str, a: Any, b: Any, is_any: bool) -> Checked {
    // An any as parameter is a value of type `any`.
    let parameter = |value: &Any| if is_any { any::<Any>(value) } else { Ok(value.clone()) };
    let (a, b) = (parameter(&a)?, parameter(&b)?);
    let response = Request::new(object, operation)
        .input("a", a.clone())
        .in_out("b", b.clone())
        .output("c", a.type_code().clone())
        .returns(a.type_code().clone())
        .invoke()
        .or_else(failed)?;
    let outputs: Vec<Option<Any>> =
        response.outputs.into_iter().map(|NamedValue { value, .. }| value).collect();
    same("the result", &response.result, &a)?;
    same("the outputs", &outputs, &vec![Some(a), Some(b)])
}

/// Calls without stubs of an object without a skeleton.
fn check_requests(run: &mut Run<'_>, object: &ObjectRef) {
    run.check("dynamic/request_add", || {
        let response = invoke(
            &Request::new(object, "add")
                .input("left", any::<i32>(&40)?)
                .input("right", any::<i32>(&2)?)
                .returns(i32::type_code()),
        )?;
        same("the sum", &taken::<i32>(&response.result)?, &42)
    });
    run.check("dynamic/request_echo", || {
        let (a, b) = (any::<Person>(&samples::ada())?, any::<Person>(&Person::default())?);
        echo(object, "echo_person", a, b, false)
    });
    run.check("dynamic/request_any", || {
        let kinds = ["tree", "price"].map(|kind| samples::any_of(kind).unwrap_or_default());
        let [a, b] = kinds;
        echo(object, "echo_any", a, b, true)
    });
    run.check("dynamic/request_exception", || {
        let request = Request::new(object, "fail")
            .input("why", any::<String>("four")?)
            .raises(Empty::type_code())
            .raises(Reason::type_code());
        match request.invoke() {
            Err(RequestError::User(exception)) => {
                let expected = Reason { why: "four".into(), code: 4 };
                same("the exception", &taken::<Reason>(&exception)?, &expected)
            }
            other => fail(format!("not a Reason: {other:?}")),
        }
    });
    run.check("dynamic/request_unlisted_exception", || {
        let request = Request::new(object, "fail").input("why", any::<String>("four")?);
        match request.invoke() {
            Err(RequestError::UnknownUser(unknown)) => {
                same("the id", unknown.id(), Reason::type_code().id())?;
                let exception = unknown.decode(&Reason::type_code())?;
                same("the code", &taken::<Reason>(&exception)?.code, &4)
            }
            other => fail(format!("not an unknown exception: {other:?}")),
        }
    });
    for (name, operation, why, kind) in [
        ("dynamic/request_system_exception", "fail", Some("system"), NoPermission),
        ("dynamic/request_bad_operation", "no_such_operation", None, BadOperation),
    ] {
        run.check(name, || {
            let mut request = Request::new(object, operation);
            if let Some(why) = why {
                request = request.input("why", any::<String>(why)?);
            }
            match request.invoke() {
                Err(RequestError::System(exception)) => same("it", &exception.kind, &kind),
                other => fail(format!("no system exception: {other:?}")),
            }
        });
    }
    run.check("dynamic/request_attribute", || {
        let title = any::<String>("by request")?;
        invoke(&Request::new(object, "_set_title").input("", title.clone()))?;
        let get = Request::new(object, "_get_title").returns(String::type_code());
        same("the title", &invoke(&get)?.result, &title)
    });
    run.check("dynamic/request_oneway", || {
        let notes = || {
            let get = Request::new(object, "_get_notes").returns(i32::type_code());
            taken::<i32>(&invoke(&get)?.result)
        };
        let before = notes()?;
        Request::new(object, "note").input("number", any::<i32>(&4)?).send_oneway()?;
        await_effect(|| Ok(notes()? == before + 4))
    });
    run.check("dynamic/request_deferred", || {
        let request = |left: i32| {
            Ok::<_, Error>(
                Request::new(object, "add")
                    .input("left", any::<i32>(&left)?)
                    .input("right", any::<i32>(&1)?)
                    .returns(i32::type_code())
                    .send_deferred()?,
            )
        };
        for (expected, deferred) in [(2, request(1)?), (3, request(2)?)] {
            let response = deferred.wait().or_else(failed)?;
            same("the sum", &taken::<i32>(&response.result)?, &expected)?;
        }
        Ok(())
    });
}

/// Calls without stubs of objects with skeletons.
fn check_skeletons(run: &mut Run<'_>) -> Checked {
    let records = present(run.suite.record_types()?)?;
    run.check("dynamic/skeleton_struct", || {
        let (a, b) = (samples::mixed(), samples::mixed());
        let mixed = |value| any::<crate::interop::data::Mixed>(value);
        echo(records.as_object(), "echo_mixed", mixed(&a)?, mixed(&b)?, false)?;
        let made_type = made_at_run_time()?;
        let point = any::<Point>(&Point { x: 1, y: 2 })?;
        let point = encoded(Any::read_value(made_type, &mut point.reader()))?;
        echo(records.as_object(), "echo_point", point.clone(), point, false)
    });
    let unions = present(run.suite.union_types()?)?;
    run.check("dynamic/skeleton_union", || {
        let value = samples::any_of("by_char").unwrap_or_default();
        echo(unions.as_object(), "echo_by_char", value.clone(), value, false)
    });
    let recursion = present(run.suite.recursive_types()?)?;
    run.check("dynamic/skeleton_recursive", || {
        let value = samples::any_of("expression").unwrap_or_default();
        echo(recursion.as_object(), "echo_expression", value.clone(), value, false)
    });
    let decimals = present(run.suite.decimal_types()?)?;
    run.check("dynamic/skeleton_fixed", || {
        let value = samples::any_of("price").unwrap_or_default();
        echo(decimals.as_object(), "echo_price", value.clone(), value, false)
    });
    let faults = present(run.suite.fault_tests()?)?;
    run.check("dynamic/skeleton_untyped", || {
        let reply = Request::new(faults.as_object(), "divide")
            .input("a", any::<i32>(&-17)?)
            .input("b", any::<i32>(&5)?)
            .invoke_untyped()?;
        let values = reply.values(&[i32::type_code(), i32::type_code()])?;
        same("the values", &values, &vec![any::<i32>(&-3)?, any::<i32>(&-2)?])
    });
    Ok(())
}

/// The type of a point, as a program makes it that has never seen its IDL.
fn made_at_run_time() -> Result<TypeCode, Error> {
    let number = i32::type_code();
    TypeCode::structure(Point::type_code().id(), "Point", &[("x", number.clone()), ("y", number)])
        .or_else(|error| fail(error.to_string()))
}
