//! The texts of exceptions and errors on all paths, and `?` in servants.
#![allow(private_interfaces, missing_docs)]

use std::error::Error as _;
use std::sync::{Arc, Barrier};

use crate::support::{Acting, Echo, EchoServant, Refused, RepeatError, builder, client, server};
use zorb_core::poa::PoaError;
use zorb_core::{CollocationStrategy, Error, ErrorContext, Interface, Orb, Phase, Result, codegen};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

fn refused() -> SystemException {
    SystemException::no_permission(minor::no_permission::REFUSED, CompletionStatus::No)
}

const REFUSED: &str = "NO_PERMISSION (refused by configuration, Zorb 1, completed NO)";

fn endpoint(orb: &Orb) -> String {
    orb.endpoints().first().unwrap().to_string()
}

/// A server whose `twice` fails, and a client's view of it.
fn failing(raised: SystemException) -> (Orb, Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let echo: Echo = orb.root_poa().activate(Acting(move |_| Err(raised.clone()))).unwrap();
    let (client, there) = client(&echo);
    (orb, client, there)
}

/// References to two servers that have ended, and their endpoints.
fn gone() -> [(String, Orb, Echo); 2] {
    let servers = [server(), server()];
    let gone = servers.each_ref().map(|(orb, echo)| {
        let (client, there) = client(echo);
        (endpoint(orb), client, there)
    });
    for (orb, _) in servers {
        orb.shutdown(true).unwrap();
    }
    gone
}

#[test]
fn concurrent_failures_name_their_own_endpoints() {
    let both = gone();
    let barrier = Arc::new(Barrier::new(2));
    let names = both.each_ref().map(|(name, ..)| name.clone());
    let calls = both.map(|(_, client, there)| {
        let barrier = Arc::clone(&barrier);
        std::thread::spawn(move || {
            let first = there.twice(1).unwrap_err();
            barrier.wait();
            let second = there.twice(1).unwrap_err();
            drop(client);
            (first, second)
        })
    });
    // The exceptions were raised on other threads, one after the other has failed.
    for (number, call) in calls.into_iter().enumerate() {
        let (first, second) = call.join().unwrap();
        for exception in [first, second] {
            assert_eq!(exception.kind, SystemExceptionKind::Transient);
            let context = exception.context().unwrap();
            assert_eq!(context.phase(), Phase::Connect);
            assert_eq!(context.operation(), Some("twice"));
            assert_eq!(context.target(), Some(&*names[number]));
            assert!(!context.is_remote());
            let start = format!("twice on {}: connecting: TRANSIENT (", names[number]);
            assert!(exception.to_string().starts_with(&start), "{exception}");
            assert!(!format!("{exception:?}").contains(&names[1 - number]), "{exception:?}");
        }
    }
}

#[test]
fn the_context_goes_into_boxes_and_to_other_threads() {
    let [(name, _client, there), _] = gone();
    let call = move || -> std::result::Result<i32, Box<dyn std::error::Error + Send + Sync>> {
        Ok(there.twice(1)?)
    };
    let boxed = std::thread::spawn(call).join().unwrap().unwrap_err();
    let exception = boxed.downcast_ref::<SystemException>().unwrap();
    assert_eq!(exception.context().unwrap().target(), Some(&*name));
    assert!(exception.source().unwrap().to_string().contains(&name));
    let error = Error::from(exception.clone());
    assert_eq!((error.phase(), error.to_string()), (Phase::Connect, boxed.to_string()));
    assert_eq!(error.hint(), Some("is the server running on that port?"));
}

#[test]
fn display_is_one_line_and_debug_adds_sources_and_hint() {
    let [(_, _client, there), _] = gone();
    let exception = there.twice(1).unwrap_err();
    let (line, source) = (exception.to_string(), exception.source().unwrap().to_string());
    assert!(!line.contains('\n') && !line.contains(&source), "{line}");
    let hint = exception.hint().unwrap();
    assert_eq!(format!("{exception:?}"), format!("{line}: {source}\n  hint: {hint}"));
    assert_eq!(format!("{:?}", Error::from(exception.clone())), format!("{exception:?}"));
    assert_eq!(format!("{:?}", RepeatError::from(exception.clone())), format!("{exception:?}"));
    let panic = std::thread::spawn(move || there.twice(1).unwrap()).join().unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().ends_with(&format!("{exception:?}")));
}

#[test]
fn no_error_says_the_text_of_its_source() {
    let [(_, client, there), _] = gone();
    let unknown = client.resolve::<Echo>("corbaloc:none:x/y").unwrap_err();
    let option = builder().option("MaxForwards", "many").build().unwrap_err();
    let listen = builder().listen("iiop://127.0.0.1:x").build().unwrap_err();
    let refused = there.twice(1).unwrap_err();
    let poa = PoaError::System(refused.clone());
    let outside = Error::from(std::io::Error::other("outside"));
    let errors = [unknown, option, listen, outside, refused.into(), poa.into()];
    for error in &errors {
        let mut error: &dyn std::error::Error = error;
        assert!(!error.to_string().is_empty());
        while let Some(source) = error.source() {
            assert!(!error.to_string().contains(&source.to_string()), "{error}: {source}");
            error = source;
        }
    }
}

#[test]
fn a_remote_exception_says_so_and_brings_no_more_than_the_wire_carries() {
    let context = ErrorContext::new(Phase::Upcall).with_source("a secret").with_hint("a hint");
    let (orb, _client, there) = failing(refused().with_context(context));
    let exception = there.twice(1).unwrap_err();
    assert_eq!(exception, refused());
    let name = endpoint(&orb);
    assert_eq!(exception.to_string(), format!("twice on {name}: the server raised {REFUSED}"));
    assert_eq!(format!("{exception:?}"), exception.to_string());
    assert!(exception.is_remote() && exception.hint().is_none() && exception.source().is_none());
    assert_eq!(exception.context().unwrap().phase(), Phase::Wait);
}

#[test]
fn collocated_exceptions_name_the_operation_and_keep_their_context() {
    let (orb, _client, there) = failing(refused());
    let here: Echo = orb.resolve(&there.object().to_ior_string()).unwrap();
    for strategy in [CollocationStrategy::ThruPoa, CollocationStrategy::Marshalled] {
        let here = here.with_collocation(strategy);
        let exception = here.twice(1).unwrap_err();
        assert_eq!(exception.to_string(), format!("twice: in the servant: {REFUSED}"));
        assert!(!exception.is_remote());
    }
    // A servant passes on the exception of its own call unchanged.
    let inner = there.clone();
    let outer: Echo = orb.root_poa().activate(Acting(move |n| inner.twice(n))).unwrap();
    let exception = outer.twice(1).unwrap_err();
    assert!(exception.is_remote());
    let name = endpoint(&orb);
    assert_eq!(exception.to_string(), format!("twice on {name}: the server raised {REFUSED}"));
}

#[derive(Clone, Debug, PartialEq)]
struct Denied {}

codegen::exception!(Denied, "IDL:zorb.test/Denied:1.0", "Denied", {});
codegen::raises!(BothError, "Other::both", { Denied(Denied), Refused(Refused) });
codegen::raises!(DeniedError, "Other::denied", { Denied(Denied) });

fn repeat() -> Result<(), RepeatError> {
    Err(Refused { why: "no".into() }.into())
}

fn denied(outcome: std::result::Result<(), Error>) -> Result<(), DeniedError> {
    Ok(outcome?)
}

#[test]
fn a_listed_user_exception_of_another_operation_stays_one() {
    fn both() -> Result<(), BothError> {
        repeat()?;
        Ok(())
    }
    assert_eq!(both(), Err(BothError::Refused(Refused { why: "no".into() })));
    fn again() -> Result<(), BothError> {
        both()?;
        Ok(())
    }
    assert_eq!(again(), both());
}

#[test]
fn an_unlisted_user_exception_of_another_operation_is_unknown() {
    fn other() -> Result<(), DeniedError> {
        repeat()?;
        Ok(())
    }
    let Err(DeniedError::System(exception)) = other() else { panic!("a system exception") };
    assert_eq!(exception.minor, minor::unknown::UNLISTED_USER_EXCEPTION);
    assert_eq!(exception.kind, SystemExceptionKind::Unknown);
    assert_eq!(exception.source().unwrap().to_string(), "Refused (why \"no\")");
    fn system() -> Result<()> {
        repeat()?;
        Ok(())
    }
    assert_eq!(system(), Err(exception));
}

#[test]
fn errors_of_operations_take_every_failure_of_the_orb() {
    assert_eq!(denied(Err(refused().into())), Err(DeniedError::System(refused())));
    // A user exception keeps its type in `Error`.
    let error = Error::from(repeat().unwrap_err());
    assert_eq!(error.downcast_ref::<Refused>().unwrap().why, "no");
    let listed = Error::from(DeniedError::from(Denied {}));
    assert_eq!(denied(Err(listed)), Err(DeniedError::Denied(Denied {})));
    fn adapter() -> Result<(), DeniedError> {
        Err(PoaError::ObjectNotActive)?
    }
    let Err(DeniedError::System(exception)) = adapter() else { panic!("a system exception") };
    assert_eq!(exception.minor, minor::obj_adapter::REFUSED);
    let error = Error::from(PoaError::ObjectNotActive);
    assert_eq!(error.source().unwrap().to_string(), "the object id has no servant");
    assert_eq!(error.downcast_ref(), Some(&PoaError::ObjectNotActive));
    let text = format!("{error:?}");
    assert!(text.starts_with("using an object adapter: OBJ_ADAPTER ("), "{text}");
    assert!(text.ends_with(": the object id has no servant"), "{text}");
    let Err(DeniedError::System(exception)) = denied(Err(std::io::Error::other("no disk").into()))
    else {
        panic!("a system exception")
    };
    assert_eq!(exception.kind, SystemExceptionKind::Unknown);
    assert_eq!(exception.source().unwrap().to_string(), "no disk");
}

#[test]
fn question_marks_work_in_a_servant() {
    struct Outer(Echo);
    impl EchoServant for Outer {
        fn twice(&self, value: i32) -> Result<i32> {
            self.0.repeat("x", value)?;
            Ok(value)
        }
        fn repeat(&self, text: &str, times: i32) -> Result<String, RepeatError> {
            self.0.twice(times)?;
            self.0.repeat(text, times).map_err(Error::from)?;
            self.0.repeat(text, times)
        }
        fn mirror(&self, _: &[u8]) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }
        fn note(&self, _: i32) {}
        fn noted(&self) -> Result<i32> {
            Ok(0)
        }
        fn call_back(&self, _: Option<&Echo>, _: i32) -> Result<i32> {
            Ok(0)
        }
        fn panic_now(&self) -> Result<()> {
            Ok(())
        }
        fn wait_for(&self, _: i32) -> Result<()> {
            Ok(())
        }
    }
    let (orb, inner) = server();
    let outer: Echo = orb.root_poa().activate(Outer(inner)).unwrap();
    let (_client, there) = client(&outer);
    assert_eq!(there.repeat("x", 2), Ok("xx".to_owned()));
    let refused = Refused { why: "-1 is negative".into() };
    assert_eq!(there.repeat("x", -1), Err(RepeatError::Refused(refused)));
    let unlisted = there.twice(-1).unwrap_err();
    assert_eq!(unlisted.minor, minor::unknown::UNLISTED_USER_EXCEPTION);
    assert!(unlisted.is_remote());
}
