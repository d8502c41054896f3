//! The dynamic invocation interface: calls of operations that are known at run time only (CORBA 3.3
//! part 1, 11).

mod deferred;
mod error;
#[cfg(test)]
mod tests;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::{ObjectRef, OwnedReply, RawReply};
use zorb_types::{Any, CompletionStatus, Layout, SystemException, TcKind, TypeCode};

use crate::{Mode, NamedValue};

pub use error::{RequestError, UnknownUserException};

use error::{bad_reply, read_exception};

/// A request without a stub, for an operation that is known at run time only: `CORBA::Request`.
///
/// ```no_run
/// use zorb_dynamic::Request;
/// # use zorb_core::ObjectRef;
/// use zorb_types::{Any, Typed};
///
/// # fn call(object: &ObjectRef) -> Result<(), Box<dyn std::error::Error>> {
/// // string repeat(in string text, in long times) raises (Refused);
/// let reply = Request::new(object, "repeat")
///     .input("text", Any::new::<String>("zorb ")?)
///     .input("times", Any::new::<i32>(&3)?)
///     .returns(String::type_code())
///     .invoke()?;
/// assert_eq!(reply.result.get::<String>().as_deref(), Some("zorb zorb zorb "));
/// # Ok(())
/// # }
/// ```
///
/// A request may be made any number of times, from any thread; the standard's `invoke`,
/// `send_oneway` and `send_deferred` are its methods. Attributes are the operations `_get_name` and
/// `_set_name`.
#[derive(Clone, Debug)]
pub struct Request {
    target: ObjectRef,
    operation: String,
    arguments: Vec<NamedValue>,
    result: Layout,
    exceptions: Vec<TypeCode>,
    contexts: Option<Vec<String>>,
}

/// The results of a dynamic call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// The result; of type `void` if there is none.
    pub result: Any,
    /// The `inout` and `out` parameters, in order: those of the request, with the values of the
    /// reply.
    pub outputs: Vec<NamedValue>,
    /// The number of octets of the reply after the last value. Above 0, the server's IDL is probably
    /// another: calls ignore them.
    pub octets_left: usize,
}

impl Request {
    /// A request without parameters and result: `create_request`.
    pub fn new(target: &ObjectRef, operation: impl Into<String>) -> Self {
        Self {
            target: target.clone(),
            operation: operation.into(),
            arguments: Vec::new(),
            result: Layout::of(&TypeCode::plain(TcKind::Void)),
            exceptions: Vec::new(),
            contexts: None,
        }
    }

    /// Adds an `in` parameter: `add_in_arg`. The name is not sent.
    #[must_use]
    pub fn input(self, name: impl Into<String>, value: Any) -> Self {
        self.argument(NamedValue::new(name, Mode::In, value))
    }

    /// Adds an `inout` parameter: `add_inout_arg`.
    #[must_use]
    pub fn in_out(self, name: impl Into<String>, value: Any) -> Self {
        self.argument(NamedValue::new(name, Mode::InOut, value))
    }

    /// Adds an `out` parameter: `add_out_arg`.
    #[must_use]
    pub fn output(self, name: impl Into<String>, type_code: TypeCode) -> Self {
        self.argument(NamedValue::typed(name, Mode::Out, type_code))
    }

    /// Adds a parameter: `add_arg`.
    #[must_use]
    pub fn argument(mut self, argument: NamedValue) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Sets the type of the result, which is `void` before: `set_return_type`.
    #[must_use]
    pub fn returns(mut self, type_code: TypeCode) -> Self {
        self.result = Layout::of(&type_code);
        self
    }

    /// Adds a user exception that the operation may raise: an entry of its `ExceptionList`.
    #[must_use]
    pub fn raises(mut self, type_code: TypeCode) -> Self {
        self.exceptions.push(type_code);
        self
    }

    /// Adds a property to the request's context, for operations with a `context` clause. Requests contain a
    /// context if a property was added or [`with_context`](Self::with_context) was called.
    #[must_use]
    pub fn context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.contexts.get_or_insert_default().extend([name.into(), value.into()]);
        self
    }

    /// Sends a context, even without properties.
    #[must_use]
    pub fn with_context(mut self) -> Self {
        self.contexts.get_or_insert_default();
        self
    }

    /// The target object: `target`.
    pub fn target(&self) -> &ObjectRef {
        &self.target
    }

    /// The operation's name: `operation`.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The parameters: `arguments`.
    pub fn arguments(&self) -> &[NamedValue] {
        &self.arguments
    }

    /// Makes the call and waits for its reply: `invoke`.
    ///
    /// # Errors
    /// The exception of the call: see [`RequestError`]. `BAD_PARAM` if an argument has no value.
    pub fn invoke(&self) -> Result<Response, RequestError> {
        self.check()?;
        let write = |writer: &mut CdrWriter<'_>| self.write(writer);
        self.target.invoke_dynamic(&self.operation, write, |reply| self.read(reply))?
    }

    /// Makes the call and returns the reply undecoded, for types that are known later.
    ///
    /// # Errors
    /// The system exception of the call.
    pub fn invoke_untyped(&self) -> Result<UntypedReply, SystemException> {
        self.check()?;
        let write = |writer: &mut CdrWriter<'_>| self.write(writer);
        let read = |reply: &RawReply<'_>| reply.to_owned_reply();
        self.target.invoke_dynamic(&self.operation, write, read).map(UntypedReply)
    }

    /// Sends the request without waiting for a reply: `send_oneway`.
    ///
    /// # Errors
    /// The request could not be sent.
    pub fn send_oneway(&self) -> Result<(), SystemException> {
        self.check()?;
        self.target.invoke_oneway(&self.operation, |writer| self.write(writer))
    }

    fn check(&self) -> Result<(), SystemException> {
        let lacks_value =
            |argument: &NamedValue| argument.mode.is_sent() && argument.value.is_none();
        if self.arguments.iter().any(lacks_value) {
            let minor = zorb_types::MinorCode::default();
            return Err(SystemException::bad_param(minor, CompletionStatus::No));
        }
        Ok(())
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        for argument in self.arguments.iter().filter(|argument| argument.mode.is_sent()) {
            if let Some(value) = &argument.value {
                value.write_value(writer)?;
            }
        }
        if let Some(contexts) = &self.contexts {
            <Vec<String> as zorb_cdr::Wire>::write(contexts, writer)?;
        }
        Ok(())
    }

    fn read(&self, reply: &RawReply<'_>) -> CdrResult<Result<Response, RequestError>> {
        let mut reader = reply.reader();
        if let Some(id) = reply.exception_id() {
            let listed = self.exceptions.iter().find(|exception| exception.id() == id);
            return Ok(Err(match listed {
                Some(type_code) => RequestError::User(
                    reader.read_in_parts(|reader| read_exception(type_code, reader))?,
                ),
                None => RequestError::UnknownUser(Box::new(UnknownUserException::new(
                    reply.to_owned_reply()?,
                ))),
            }));
        }
        let (result, outputs) = reader.read_in_parts(|reader| {
            let result = Any::read_with(&self.result, reader)?;
            let mut outputs = Vec::new();
            for argument in self.arguments.iter().filter(|argument| argument.mode.is_returned()) {
                let value = Any::read_value(argument.type_code.clone(), reader)?;
                outputs.push(NamedValue { value: Some(value), ..argument.clone() });
            }
            reader.end_attempt("results")?;
            Ok((result, outputs))
        })?;
        Ok(Ok(Response { result, outputs, octets_left: reader.remaining() }))
    }
}

/// An undecoded reply, for types that are known later.
#[derive(Clone, Debug)]
pub struct UntypedReply(OwnedReply);

impl UntypedReply {
    /// The repository id of the user exception; `None` if the operation succeeded.
    pub fn exception_id(&self) -> Option<&str> {
        self.0.exception_id()
    }

    /// The result (unless it is `void`) and the `inout` and `out` parameters, of these types.
    ///
    /// # Errors
    /// `MARSHAL` or a similar exception if the reply does not contain them.
    pub fn values(&self, types: &[TypeCode]) -> Result<Vec<Any>, SystemException> {
        let read = |reader: &mut CdrReader<'_>| {
            let values = types.iter().map(|each| Any::read_value(each.clone(), reader));
            let values = values.collect::<CdrResult<Vec<Any>>>()?;
            reader.expect_end("results")?;
            Ok(values)
        };
        self.0.reader().read_in_parts(read).map_err(bad_reply)
    }

    /// The user exception, of this type.
    ///
    /// # Errors
    /// `MARSHAL` or a similar exception if it is of another type.
    pub fn exception(&self, type_code: &TypeCode) -> Result<Any, SystemException> {
        let read = self.0.reader().read_in_parts(|reader| read_exception(type_code, reader));
        read.map_err(bad_reply)
    }
}
