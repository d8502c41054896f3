//! Reply handlers: generated methods that send calls for them.

use std::sync::mpsc::{Receiver, Sender, channel};

use zorb_core::codegen::SystemException;
use zorb_core::messaging::{ExceptionHolder, ReplyHandlerServant};
use zorb_core::{Interface, Orb, Raises, Result, Value};
use zorb_types::{CompletionStatus, MinorCode, SystemExceptionKind};

use super::calls::{orb, seen_from};
use crate::handlers::desk::clerk::CountError;
use crate::handlers::desk::{
    AmiChiefHandler, AmiChiefHandlerServant, AmiClerkHandler, AmiClerkHandlerServant, Chief,
    ChiefServant, Clerk, ClerkServant, Lost, Numbers,
};

struct Desk;

impl ClerkServant for Desk {
    fn name(&self) -> Result<String> {
        Ok("Ada".into())
    }

    fn set_name(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn count(&self, what: &str, start: i32) -> Result<(Numbers, i32, String), CountError> {
        match what {
            "" => Err(Lost { what: "all".into() }.into()),
            "Ж" => Err(Lost { what: what.into() }.into()),
            what => Ok((vec![start; 2], start + 1, what.to_uppercase())),
        }
    }

    fn rest(&self) -> Result<()> {
        Err(SystemException::no_permission(MinorCode(7), CompletionStatus::No))
    }

    fn note(&self, _: &str) {}
}

impl ChiefServant for Desk {
    fn find(&self, _: &str, _: i32) -> Result<Option<Clerk>> {
        Ok(None)
    }
}

/// A handler that tells what it gets.
struct Told(Sender<String>);

impl Told {
    fn tell(&self, text: impl Into<String>) -> Result<()> {
        self.0.send(text.into()).expect("the test waits");
        Ok(())
    }

    fn tell_exception<E: Raises>(
        &self,
        name: &str,
        holder: Option<&Value<ExceptionHolder>>,
    ) -> Result<()> {
        let exception: E = ExceptionHolder::exception_of(holder);
        self.tell(format!("{name} {exception:?}"))
    }
}

impl ReplyHandlerServant for Told {}

impl AmiClerkHandlerServant for Told {
    fn get_name(&self, ami_return_val: &str) -> Result<()> {
        self.tell(format!("name {ami_return_val}"))
    }

    fn get_name_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        self.tell_exception::<SystemException>("name", holder)
    }

    fn set_name(&self) -> Result<()> {
        self.tell("set")
    }

    fn set_name_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        self.tell_exception::<SystemException>("set", holder)
    }

    fn count(&self, ami_return_val: &[i32], start: i32, label: &str) -> Result<()> {
        self.tell(format!("count {ami_return_val:?} {start} {label}"))
    }

    fn count_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        let exception: CountError = ExceptionHolder::exception_of(holder);
        match exception {
            CountError::Lost(lost) => self.tell(format!("lost {}", lost.what)),
            CountError::System(exception) => {
                self.tell(format!("{:?} {:?}", exception.kind, exception.completed))
            }
        }
    }

    fn rest(&self) -> Result<()> {
        self.tell("rest")
    }

    fn rest_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        let exception: SystemException = ExceptionHolder::exception_of(holder);
        assert_eq!(exception.kind, SystemExceptionKind::NoPermission);
        self.tell("no rest")
    }
}

impl AmiChiefHandlerServant for Told {
    fn find(&self, ami_return_val: Option<&Clerk>) -> Result<()> {
        self.tell(format!("find {}", ami_return_val.is_some()))
    }

    fn find_excep(&self, holder: Option<&Value<ExceptionHolder>>) -> Result<()> {
        self.tell_exception::<SystemException>("find", holder)
    }
}

fn handler(orb: &Orb) -> (AmiChiefHandler, Receiver<String>) {
    let (sender, told) = channel();
    (orb.root_poa().activate(Told(sender)).expect("a reference"), told)
}

fn sent(sent: Result<()>) {
    sent.expect("few calls are pending");
}

/// Sends one call after the other, and compares what the handler gets.
fn check(chief: &Chief, handler: &AmiChiefHandler, told: &Receiver<String>) {
    let next = || told.recv().expect("the handler is called");
    let clerk = Some(AmiClerkHandler::from(handler.clone()));
    let clerk = clerk.as_ref();
    sent(chief.sendc_name(clerk));
    assert_eq!(next(), "name Ada");
    sent(chief.sendc_set_name(clerk, "Bea"));
    assert_eq!(next(), "set");
    sent(chief.sendc_count(clerk, "pens", 7));
    assert_eq!(next(), "count [7, 7] 8 PENS");
    sent(chief.sendc_count(clerk, "", 7));
    assert_eq!(next(), "lost all");
    // A held exception has its strings in ISO 8859-1.
    sent(chief.sendc_count(clerk, "Ж", 7));
    assert_eq!(next(), "DataConversion Yes");
    sent(chief.sendc_rest(clerk));
    assert_eq!(next(), "no rest");
    sent(chief.sendc_find(Some(handler), "Ada", 1));
    assert_eq!(next(), "find false");
    // Without a handler the result is discarded.
    sent(chief.sendc_name(None));
    sent(Clerk::from(chief.clone()).sendc_name(clerk));
    assert_eq!(next(), "name Ada");
}

#[test]
fn handlers_get_results_and_exceptions() {
    let (server, client, elsewhere) = (orb(), orb(), orb());
    let chief: Chief = server.root_poa().activate(Desk).expect("a reference");
    let there = seen_from(&client, &chief);
    // In the client, in another process so to say, and in the server.
    let (local, told) = handler(&client);
    check(&there, &local, &told);
    let (remote, told) = handler(&elsewhere);
    check(&there, &seen_from(&client, &remote), &told);
    let (collocated, told) = handler(&server);
    check(&chief, &collocated, &told);
}

#[test]
fn handlers_are_reply_handlers() {
    let client = orb();
    let (handler, _told) = handler(&client);
    let is_a = |id| handler.as_object().is_a(id).expect("an answer");
    assert!(is_a("IDL:omg.org/Messaging/ReplyHandler:1.0"));
    assert!(is_a("IDL:acme.com/Desk/AMI_ClerkHandler:1.0"));
    assert_eq!(AmiChiefHandler::REPOSITORY_ID, "IDL:acme.com/Desk/AMI_ChiefHandler:1.0");
}

#[test]
fn holders_of_other_exceptions_have_unknown_ones() {
    let lost = CountError::from(Lost { what: "all".into() });
    let holder = ExceptionHolder::new(&lost).expect("a holder");
    assert!(matches!(holder.exception(), CountError::Lost(lost) if lost.what == "all"));
    let unlisted: SystemException = holder.exception();
    assert_eq!(unlisted.kind, SystemExceptionKind::Unknown);
    let empty: SystemException = ExceptionHolder::default().exception();
    assert_eq!(empty.kind, SystemExceptionKind::Marshal);
}
