//! The servant of `Dynamic`, which knows its operations from a table alone.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::dynamic::{DynamicServant, Mode, NamedValue, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{Any, CompletionStatus, Interface as _, MinorCode, SystemException, TypeCode, Typed};

use crate::interop::data::Person;
use crate::interop::{Dynamic, Empty, Reason};

/// Adds, echoes, raises and remembers.
#[derive(Default)]
pub(super) struct Untyped(Mutex<State>);

#[derive(Default)]
struct State {
    notes: i32,
    title: String,
}

impl Untyped {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `T echo_T(in T a, inout T b, out T c)`.
    fn echo(
        request: &mut ServerRequest<'_, '_>,
        type_code: TypeCode,
    ) -> Result<(), SystemException> {
        let parameters = [("a", Mode::In), ("b", Mode::InOut), ("c", Mode::Out)];
        let list = parameters.map(|(name, mode)| NamedValue::typed(name, mode, type_code.clone()));
        let [a, b, c] = request.arguments(list.into())? else {
            return Err(broken());
        };
        c.value = b.value.take();
        b.value.clone_from(&a.value);
        let result = a.value.clone().ok_or_else(broken)?;
        request.set_result(result)
    }

    fn raise(request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let [why] = arguments(request, [String::type_code()])?;
        let why = taken::<String>(&why)?;
        let exception = match why.as_str() {
            "system" => {
                return Err(SystemException::no_permission(MinorCode(7), CompletionStatus::No));
            }
            "" => Any::new::<Empty>(&Empty)?,
            _ => {
                let code = i32::try_from(why.len()).unwrap_or(i32::MAX);
                Any::new::<Reason>(&Reason { why, code })?
            }
        };
        request.set_exception(exception)
    }
}

fn broken() -> SystemException {
    SystemException::internal(MinorCode::NONE, CompletionStatus::No)
}

/// The values of `in` parameters of these types.
fn arguments<const N: usize>(
    request: &mut ServerRequest<'_, '_>,
    types: [TypeCode; N],
) -> Result<[Any; N], SystemException> {
    let list = types.map(|type_code| NamedValue::typed("", Mode::In, type_code));
    let values = request.arguments(list.into())?.iter_mut();
    let values: Vec<Any> = values.filter_map(|argument| argument.value.take()).collect();
    values.try_into().map_err(|_| broken())
}

fn taken<T: Typed>(value: &Any) -> Result<T::Value, SystemException> {
    value.get::<T>().ok_or_else(broken)
}

impl DynamicServant for Untyped {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        Dynamic::REPOSITORY_ID.into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        match request.operation() {
            "add" => {
                let [left, right] = arguments(request, [i32::type_code(), i32::type_code()])?;
                let sum = taken::<i32>(&left)?.wrapping_add(taken::<i32>(&right)?);
                request.set_result(Any::new::<i32>(&sum)?)
            }
            "echo_person" => Self::echo(request, Person::type_code()),
            "echo_any" => Self::echo(request, <Any as Typed>::type_code()),
            "fail" => Self::raise(request),
            "note" => {
                let [number] = arguments(request, [i32::type_code()])?;
                let number = taken::<i32>(&number)?;
                let mut state = self.state();
                state.notes = state.notes.wrapping_add(number);
                Ok(())
            }
            "_get_notes" => {
                let [] = arguments(request, [])?;
                request.set_result(Any::new::<i32>(&self.state().notes)?)
            }
            "_get_title" => {
                let [] = arguments(request, [])?;
                request.set_result(Any::new::<String>(&self.state().title)?)
            }
            "_set_title" => {
                let [title] = arguments(request, [String::type_code()])?;
                self.state().title = taken::<String>(&title)?;
                Ok(())
            }
            _ => Err(ServerRequest::unknown_operation()),
        }
    }
}
