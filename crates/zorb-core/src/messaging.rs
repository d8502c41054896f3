//! Reply handlers: objects that get the results of calls whose callers do not wait (CORBA Messaging, AMI callbacks).
//!
//! The IDL compiler generates the handler of an interface on request, `AMI_AccountHandler` for `Account`, and the methods
//! `sendc_OP` of references, which send a call and name the handler that gets its result.

use zorb_base::raises::Raises;
use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Wire as _};
use zorb_invocation::client::Pending;
use zorb_invocation::object::ObjectRef;
use zorb_invocation::value::Value;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use crate::codegen;

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
    /// Holds an exception.
    ///
    /// # Errors
    /// A member of the exception cannot be encoded.
    pub fn new<E: Raises>(exception: &E) -> CdrResult<Self> {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
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
        let mut reader = CdrReader::new(&self.marshaled_exception, order);
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
#[doc(hidden)]
pub fn send_to_handler<T: 'static, E: Raises>(
    call: Pending<T, E>,
    handler: Option<&ObjectRef>,
    operations: [&'static str; 2],
    write: fn(&T, &mut CdrWriter<'_>) -> CdrResult<()>,
) {
    let Some(handler) = handler.cloned() else { return call.on_reply(drop) };
    let [returned, raised] = operations;
    call.on_reply_in_thread(move |result| {
        let sent: Pending<()> = match result {
            Ok(results) => handler.send(returned, |writer| write(&results, writer), |_| Ok(())),
            Err(exception) => match ExceptionHolder::new(&exception) {
                Ok(holder) => {
                    let holder = Some(Value::new(holder));
                    handler.send(raised, |writer| Value::write(&holder, writer), |_| Ok(()))
                }
                Err(error) => return not_handled(raised, &error),
            },
        };
        sent.on_reply(move |answered| {
            if let Err(error) = answered {
                not_handled(returned, &error);
            }
        });
    });
}

#[cold]
fn not_handled(operation: &'static str, error: &(dyn std::error::Error + 'static)) {
    tracing::warn!(operation, error, "a reply handler did not get the result of a call");
}
