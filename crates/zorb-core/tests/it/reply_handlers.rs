//! What reply handlers get if text or results have no encoding.

use std::sync::mpsc::{Sender, channel};

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter};
use zorb_core::codegen::{self, WString};
use zorb_core::messaging::{ExceptionHolder, ReplyHandler, ReplyHandlerServant};
use zorb_core::{Interface, Result, Value};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::pending::send_twice;
use crate::support::{client, server};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Torn {
    what: String,
}
codegen::exception!(Torn, "IDL:zorb.test/Torn:1.0", "Torn", { what: WString = "what" });
codegen::raises!(TearError, "Paper::tear", { Torn(Torn) });

/// A handler of calls of `twice`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Twice(ReplyHandler);
codegen::interface!(Twice(ReplyHandler), "IDL:zorb.test/Twice:1.0", "Twice", [ReplyHandler]);

trait TwiceServant: ReplyHandlerServant {
    fn twice(&self, result: i32) -> Result<()>;
    fn twice_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()>;
}
codegen::skeleton!(Twice, TwiceServant, {
    0 "twice" twice(result: i32 => result) [],
    1 "twice_excep" twice_excep(holder: Value<ExceptionHolder> => holder.as_ref()) [],
});

/// Tells what it gets.
struct Told(Sender<Result<i32>>);

impl ReplyHandlerServant for Told {}

impl TwiceServant for Told {
    fn twice(&self, result: i32) -> Result<()> {
        self.0.send(Ok(result)).unwrap();
        Ok(())
    }

    fn twice_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        self.0.send(Err(ExceptionHolder::exception_of(holder))).unwrap();
        Ok(())
    }
}

#[test]
fn held_exceptions_have_wide_text() {
    let torn = TearError::from(Torn { what: "Жар".into() });
    let holder = ExceptionHolder::new(&torn).unwrap();
    match holder.exception() {
        TearError::Torn(torn) => assert_eq!(torn.what, "Жар"),
        TearError::System(exception) => panic!("{exception}"),
    }
}

#[test]
fn a_handler_gets_an_exception_for_results_that_cannot_be_encoded() {
    fn unwritable(_: &i32, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Err(writer.error(CdrErrorKind::Unsupported, "a result"))
    }
    let (_server, echo) = server();
    let (client, there) = client(&echo);
    let (sender, told) = channel();
    let handler: Twice = client.root_poa().activate(Told(sender)).unwrap();
    let call = send_twice(there.object(), 4);
    let operations = ["twice", "twice_excep"];
    codegen::pass_to_handler(call, Some(handler.as_object()), operations, unwritable).unwrap();
    let exception: SystemException = told.recv().unwrap().unwrap_err();
    assert_eq!(exception.completed, CompletionStatus::Yes);
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
}
