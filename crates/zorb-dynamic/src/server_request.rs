//! The dynamic skeleton interface: servants of interfaces that are known at run time only (CORBA
//! 3.3 part 1, 12).

use std::borrow::Cow;
use std::fmt;

use zorb_cdr::{CdrReader, CdrResult, Wire};
use zorb_core::poa::{ObjectId, Upcall};
use zorb_core::{Interface, OBJECT_ID, ObjectRef, Served, ServedBy, ServerCall};
use zorb_types::{Any, CompletionStatus, SystemException, TcKind, Transfer, minor};

use crate::NamedValue;

/// A servant whose operations are not known at compile time:
/// `PortableServer::DynamicImplementation`.
///
/// Activate it as [`Dynamic`]. A servant can serve several objects in an adapter with
/// [multiple ids](zorb_core::poa::PoaPolicies::multiple_ids), and distinguish them by their ids.
pub trait DynamicServant: Send + Sync + 'static {
    /// The repository id of the most derived interface of an object: `_primary_interface`.
    fn primary_interface(&self, object: &ObjectId) -> Cow<'_, str>;

    /// Whether an object supports an interface: `_is_a`. Default: the primary interface and `Object`.
    fn is_a(&self, object: &ObjectId, type_id: &str) -> bool {
        type_id == OBJECT_ID || self.primary_interface(object) == type_id
    }

    /// Serves a request: decodes its arguments, and sets a result or an exception.
    ///
    /// # Errors
    /// A system exception for the client; for unknown operations
    /// [`ServerRequest::unknown_operation`].
    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException>;
}

/// Wraps a dynamic servant for activation.
///
/// ```
/// use std::borrow::Cow;
/// use zorb_core::{ObjectRef, poa::{ObjectId, Poa, PoaError}};
/// use zorb_dynamic::{Dynamic, DynamicServant, Mode, NamedValue, ServerRequest};
/// use zorb_types::{Any, SystemException, Typed};
///
/// /// `interface Twice { long twice(in long value); };`
/// struct Doubling;
///
/// impl DynamicServant for Doubling {
///     fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
///         "IDL:Twice:1.0".into()
///     }
///
///     fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
///         if request.operation() != "twice" {
///             return Err(ServerRequest::unknown_operation());
///         }
///         let list = vec![NamedValue::typed("value", Mode::In, i32::type_code())];
///         let arguments = request.arguments(list)?;
///         let value = arguments[0].value.as_ref().and_then(Any::get::<i32>).unwrap_or_default();
///         request.set_result(Any::new::<i32>(&value.wrapping_mul(2))?)
///     }
/// }
///
/// fn activate(poa: &Poa) -> Result<ObjectRef, PoaError> {
///     poa.activate::<_, ObjectRef>(Dynamic(Doubling))
/// }
/// ```
#[derive(Debug)]
pub struct Dynamic<S>(pub S);

impl<S: DynamicServant> ServedBy<Dynamic<S>> for ObjectRef {
    fn dispatch(servant: &Dynamic<S>, call: &mut ServerCall<'_>) -> Served {
        let mut request = ServerRequest { call, list: None, outcome: None };
        servant.0.invoke(&mut request)?;
        request.finish()
    }

    fn type_id<'s>(servant: &'s Dynamic<S>, id: &ObjectId) -> Cow<'s, str> {
        servant.0.primary_interface(id)
    }

    fn is_a(servant: &Dynamic<S>, id: &ObjectId, type_id: &str) -> bool {
        servant.0.is_a(id, type_id) || Self::TYPE_IDS.contains(&type_id)
    }
}

/// A request to a dynamic servant: `CORBA::ServerRequest`.
pub struct ServerRequest<'r, 'c> {
    call: &'r mut ServerCall<'c>,
    list: Option<Vec<NamedValue>>,
    outcome: Option<Outcome>,
}

enum Outcome {
    Result(Any),
    Exception(Any),
}

impl fmt::Debug for ServerRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest")
            .field("operation", &self.operation())
            .field("list", &self.list)
            .finish_non_exhaustive()
    }
}

impl ServerRequest<'_, '_> {
    /// The name of the operation: `operation`. Attributes are read with `_get_name` and set with
    /// `_set_name`.
    pub fn operation(&self) -> &str {
        self.call.operation_name()
    }

    /// The target object.
    pub fn object_id(&self) -> Option<&ObjectId> {
        self.call.object_id()
    }

    /// The object, operation and client of the request.
    ///
    /// # Errors
    /// None in practice.
    pub fn upcall(&self) -> Result<Upcall<'_>, SystemException> {
        Upcall::of(self.call)
    }

    /// Decodes the arguments: `arguments`. The list contains all parameters of the operation in order; `in` and
    /// `inout` parameters get their values. The servant sets the values of `inout` and `out` parameters in the returned
    /// list.
    ///
    /// # Errors
    /// `MARSHAL` if the request does not contain such values, or if anything but a [context](Self::context) follows
    /// them and the ORB does not allow that (`AllowExtraOctets`); `BAD_INV_ORDER` (OMG 7) on a second call, or after
    /// an exception was set.
    pub fn arguments(
        &mut self,
        mut list: Vec<NamedValue>,
    ) -> Result<&mut [NamedValue], SystemException> {
        if self.list.is_some() || self.outcome.is_some() {
            return Err(order(minor::bad_inv_order::ARGUMENTS_ORDER));
        }
        let read = self.call.arguments().read_in_parts(|reader| {
            list.iter_mut().filter(|parameter| parameter.mode.is_sent()).try_for_each(
                |parameter| {
                    parameter.value = Some(Any::read_value(parameter.type_code.clone(), reader)?);
                    Ok(())
                },
            )?;
            reader.end_attempt("arguments")?;
            expect_context_or_end(reader)
        });
        read.map_err(|error| {
            SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
        })?;
        Ok(self.list.insert(list))
    }

    /// The list that [`arguments`](Self::arguments) filled; empty before.
    pub fn list(&mut self) -> &mut [NamedValue] {
        self.list.as_deref_mut().unwrap_or_default()
    }

    /// The context of an operation with a `context` clause, as alternating names and values: `ctx`. Empty if the
    /// client sent none, as stubs of some ORBs do.
    ///
    /// # Errors
    /// `MARSHAL` if it is malformed; `BAD_INV_ORDER` (OMG 8) before the arguments were decoded.
    pub fn context(&mut self) -> Result<Vec<String>, SystemException> {
        if self.list.is_none() || self.outcome.is_some() {
            return Err(order(minor::bad_inv_order::CONTEXT_ORDER));
        }
        if self.call.arguments().remaining() == 0 {
            return Ok(Vec::new());
        }
        self.call.argument::<Vec<String>>().map(Cow::into_owned)
    }

    /// Sets the result, if the operation has one: `set_result`.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 9) if the arguments were not decoded, or a result or exception was set.
    pub fn set_result(&mut self, result: Any) -> Result<(), SystemException> {
        if self.list.is_none() || self.outcome.is_some() {
            return Err(order(minor::bad_inv_order::RESULT_ORDER));
        }
        self.outcome = Some(Outcome::Result(result));
        Ok(())
    }

    /// Sets a user exception for the client, which replaces a result: `set_exception`. For system exceptions,
    /// return an error from [`DynamicServant::invoke`].
    ///
    /// # Errors
    /// `BAD_PARAM` (OMG 21) if the any does not contain an exception.
    pub fn set_exception(&mut self, exception: Any) -> Result<(), SystemException> {
        if exception.type_code().resolved().kind() != TcKind::Except {
            let minor = minor::bad_param::NOT_AN_EXCEPTION;
            return Err(SystemException::bad_param(minor, CompletionStatus::Maybe));
        }
        self.outcome = Some(Outcome::Exception(exception));
        Ok(())
    }

    /// The exception for operations that the object does not have.
    pub fn unknown_operation() -> SystemException {
        let minor = minor::bad_operation::OPERATION_UNKNOWN;
        SystemException::bad_operation(minor, CompletionStatus::No)
    }

    /// Writes the reply.
    fn finish(self) -> Served {
        let Self { call, list, outcome } = self;
        match outcome {
            Some(Outcome::Exception(exception)) => {
                let code = exception.type_code();
                call.reply_dynamic(Some(code.resolved().id()), |writer| {
                    exception.write_value(writer)
                })
            }
            outcome => {
                let list = list.unwrap_or_default();
                let returned = || list.iter().filter(|parameter| parameter.mode.is_returned());
                if returned().any(|parameter| parameter.value.is_none()) {
                    // The servant did not set an out parameter.
                    let minor = minor::marshal::SERVER_REQUEST_ARGUMENTS;
                    return Err(SystemException::marshal(minor, CompletionStatus::Yes));
                }
                call.reply_dynamic(None, |writer| {
                    if let Some(Outcome::Result(result)) = &outcome {
                        result.write_value(writer)?;
                    }
                    returned()
                        .filter_map(|parameter| parameter.value.as_ref())
                        .try_for_each(|value| value.write_value(writer))
                })
            }
        }
    }
}

/// Checks that nothing is left but a context, which stays there.
fn expect_context_or_end(reader: &mut CdrReader<'_>) -> CdrResult<()> {
    if reader.remaining() == 0 {
        return reader.expect_end("arguments");
    }
    let mut context = reader.clone();
    match <Vec<String>>::read(&mut context) {
        Ok(pairs) if pairs.len() % 2 == 0 && context.remaining() == 0 => Ok(()),
        _ => reader.expect_end("arguments"),
    }
}

fn order(minor: zorb_types::MinorCode) -> SystemException {
    SystemException::bad_inv_order(minor, CompletionStatus::No)
}
