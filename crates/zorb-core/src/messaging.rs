//! Reply handlers: objects that get the results of pending calls (CORBA Messaging, AMI callbacks).
//!
//! The IDL compiler generates the handler of an interface on request, `AMI_AccountHandler` for `Account`, and the methods
//! `sendc_OP` of references, which send a call and name the handler that gets its result.

use std::cell::Cell;

use zorb_base::raises::Raises;
use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, TextCoding, Wire as _};
use zorb_invocation::client::Pending;
use zorb_invocation::object::ObjectRef;
use zorb_invocation::value::Value;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use crate::codegen;

/// How the text of a held exception is encoded: its reader does not know the connection.
const TEXT: TextCoding = TextCoding::ENCAPSULATION;

/// A reference to an object of the IDL interface `Messaging::ReplyHandler`, the base of all reply handlers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplyHandler(ObjectRef);
codegen::interface!(
    ReplyHandler(ObjectRef),
    "IDL:omg.org/Messaging/ReplyHandler:1.0",
    "ReplyHandler",
    []
);

/// Implement this to serve `Messaging::ReplyHandler`: it is the base of the servant traits of all reply handlers.
pub trait ReplyHandlerServant: Send + Sync + 'static {}
codegen::skeleton!(ReplyHandler, ReplyHandlerServant, {});

/// The exception of a call, as a reply handler gets it: the IDL valuetype `Messaging::ExceptionHolder`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExceptionHolder {
    /// Whether it is a system exception.
    is_system_exception: bool,
    /// Whether it is encoded with the least significant octet first.
    byte_order: bool,
    /// The repository id and the members, aligned from their first octet.
    marshaled_exception: Vec<u8>,
}
codegen::valuetype!(
    ExceptionHolder, "IDL:omg.org/Messaging/ExceptionHolder:1.0", "ExceptionHolder", [], {
        is_system_exception: bool = "is_system_exception" Private,
        byte_order: bool = "byte_order" Private,
        marshaled_exception: codegen::Octets = "marshaled_exception" Private,
    }
);

impl ExceptionHolder {
    /// Holds an exception. Its text is encoded as in an encapsulation, where nothing is negotiated: a `string` in
    /// ISO 8859-1, a `wstring` in UTF-16.
    ///
    /// # Errors
    /// A member of the exception cannot be encoded.
    pub fn new<E: Raises>(exception: &E) -> CdrResult<Self> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE).with_text(TEXT);
        let is_system_exception = match exception.user() {
            Ok(user) => {
                user.write(&mut writer)?;
                false
            }
            Err(system) => {
                system.write(&mut writer)?;
                true
            }
        };
        let byte_order = ByteOrder::NATIVE == ByteOrder::Little;
        Ok(Self { is_system_exception, byte_order, marshaled_exception: octets })
    }

    /// The exception that a handler has got, as the error of the operation. Of a null holder it is `UNKNOWN` (OMG 1).
    pub fn exception_of<E: Raises>(holder: Option<&Value<Self>>) -> E {
        match holder.and_then(Value::get) {
            Some(holder) => holder.exception(),
            None => unlisted(),
        }
    }

    /// The exception, as the error of the operation: `raise_exception` of the standard.
    ///
    /// A user exception that the operation does not raise is `UNKNOWN` (OMG 1), and octets that cannot be decoded are
    /// `MARSHAL`.
    pub fn exception<E: Raises>(&self) -> E {
        self.read().unwrap_or_else(|error| {
            let exception =
                SystemException::from_cdr(error, CompletionStatus::Maybe, Transfer::ReceiveReply);
            E::from_system(exception)
        })
    }

    fn read<E: Raises>(&self) -> CdrResult<E> {
        let order = if self.byte_order { ByteOrder::Little } else { ByteOrder::Big };
        let mut reader = CdrReader::new(&self.marshaled_exception, order).with_text(TEXT);
        if self.is_system_exception {
            return Ok(E::from_system(SystemException::read(&mut reader)?));
        }
        let id = reader.read_latin1("exception id")?;
        Ok(E::read(&id, &mut reader)?.unwrap_or_else(unlisted))
    }
}

#[cold]
fn unlisted<E: Raises>() -> E {
    let code = minor::unknown::UNLISTED_USER_EXCEPTION;
    E::from_system(SystemException::unknown(code, CompletionStatus::Maybe))
}

/// Passes the result of a call to a reply handler when it ends; without one, discards it. `operations` are those of the
/// handler for results and for exceptions, and `write` writes the results.
///
/// # Errors
/// `TRANSIENT` if the limit of pending calls has refused the call.
#[doc(hidden)]
pub fn send_to_handler<T: 'static, E: Raises>(
    call: Pending<T, E>,
    handler: Option<&ObjectRef>,
    operations: [&'static str; 2],
    write: fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
) -> Result<(), SystemException> {
    let [returned, raised] = operations;
    let Some(handler) = handler.cloned() else { return call.discard() };
    call.on_reply_in_thread(move |result| {
        let results = match result {
            Ok(results) => results,
            Err(exception) => return send_exception(&handler, raised, &exception),
        };
        let is_unwritable = Cell::new(false);
        let arguments = |writer: &mut CdrWriter<'_>| {
            let written = write(&results, writer);
            is_unwritable.set(written.is_err());
            written
        };
        let mut sent: Pending<()> = handler.send(returned, arguments, |_| Ok(()));
        if is_unwritable.get()
            && let Some(Err(mut exception)) = sent.try_take()
        {
            // The call itself has ended with results.
            exception.completed = CompletionStatus::Yes;
            return send_exception(&handler, raised, &exception);
        }
        log_failure(sent, returned);
    })
}

/// Passes an exception to a reply handler, or if that cannot be encoded, the system exception for this.
fn send_exception<E: Raises>(handler: &ObjectRef, operation: &'static str, exception: &E) {
    let holder = ExceptionHolder::new(exception).or_else(|error| {
        let completed = CompletionStatus::Yes;
        let unwritable = SystemException::from_cdr(error, completed, Transfer::SendRequest);
        ExceptionHolder::new(&unwritable)
    });
    match holder {
        Ok(holder) => {
            let holder = Some(Value::new(holder));
            let write = |writer: &mut CdrWriter<'_>| Value::write(&holder, writer);
            log_failure(handler.send(operation, write, |_| Ok(())), operation);
        }
        Err(error) => not_handled(operation, &error),
    }
}

/// Logs what the call of a reply handler raises.
fn log_failure(sent: Pending<()>, operation: &'static str) {
    sent.on_reply(move |answered| {
        if let Err(error) = answered {
            not_handled(operation, &error);
        }
    });
}

#[cold]
fn not_handled(operation: &'static str, error: &(dyn std::error::Error + 'static)) {
    tracing::warn!(operation, error, "a reply handler did not get the result of a call");
}
