//! Names that lead through the contexts of other servers.

use std::time::Duration;

use zorb::codegen::{Served, ServedBy, ServerCall};
use zorb::{
    CompletionStatus, Interface as _, ObjectRef, Orb, Ref, SystemException, SystemExceptionKind,
};
use zorb_naming::cos_naming::naming_context::{
    BindError, CannotProceed, NotFound, NotFoundReason, ResolveError,
};
use zorb_naming::cos_naming::{Name, NamingContext};
use zorb_naming::name;
use zorb_naming::server::NamingOptions;

use crate::support::World;

/// Binds the root of `other` in `world`.
fn join(world: &World, other: &World, as_name: &str) {
    let root = world.client.string_to_object(&other.root.to_ior_string()).unwrap().unwrap();
    let root: NamingContext = root.unchecked_narrow();
    world.root.bind_context(&name(as_name).unwrap(), Some(&root)).unwrap();
}

fn path(text: &str) -> Name {
    name(text).unwrap()
}

#[test]
fn operations_continue_in_another_server() {
    let (one, two) = (World::new(), World::new());
    join(&one, &two, "two");
    let object = one.object("x");
    one.root.bind(&path("two/x"), Some(&object)).unwrap();
    assert_eq!(
        two.root.resolve(&path("x")).unwrap().map(|it| it.to_ior_string()),
        Some(object.to_ior_string())
    );
    assert_eq!(one.root.resolve(&path("two/x")).unwrap(), Some(object.clone()));
    one.root.rebind(&path("two/x"), None).unwrap();
    assert_eq!(one.root.resolve_str("two/x").unwrap(), None);
    one.root.unbind(&path("two/x")).unwrap();
    let context = one.root.bind_new_context(&path("two/ctx")).unwrap().unwrap();
    context.bind(&path("y"), Some(&object)).unwrap();
    assert_eq!(one.root.resolve(&path("two/ctx/y")).unwrap(), Some(object.clone()));
    one.root.rebind_context(&path("two/again"), Some(&context)).unwrap();
    assert_eq!(two.service.statistics().bindings, 3);
    assert!(two.root.resolve(&path("again/y")).unwrap().is_some());
    assert_eq!(one.service.statistics().bindings, 1);

    let rest = NotFound { why: NotFoundReason::MissingNode, rest_of_name: path("no/z") };
    let missing = one.root.resolve(&path("two/ctx/no/z"));
    assert_eq!(missing, Err(ResolveError::NotFound(rest)));
    let again = one.root.bind(&path("two/ctx/y"), Some(&object));
    assert!(matches!(again, Err(BindError::AlreadyBound(_))), "{again:?}");
    one.end();
    two.end();
}

#[test]
fn a_dead_context_leaves_the_rest_to_the_client() {
    let (one, two) = (World::new(), World::new());
    join(&one, &two, "two");
    let dead = two.root.to_ior_string();
    two.end();
    for outcome in [
        one.root.resolve(&path("two/x/y")).map(drop).map_err(BindError::from),
        one.root.bind(&path("two/x/y"), None),
    ] {
        let Err(BindError::CannotProceed(CannotProceed { cxt, rest_of_name })) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(rest_of_name, path("x/y"));
        assert_eq!(cxt.map(|it| it.to_ior_string()), Some(dead.clone()));
    }
    // The binding itself can still be read and removed.
    assert!(one.root.resolve(&path("two")).unwrap().is_some());
    one.root.unbind(&path("two")).unwrap();
    one.end();
}

#[test]
fn without_federation_clients_continue_themselves() {
    let options = NamingOptions { naming_foreign_calls: 0, ..NamingOptions::default() };
    let (one, two) = (World::with(&options), World::new());
    join(&one, &two, "two");
    two.root.bind(&path("x"), None).unwrap();
    let Err(ResolveError::CannotProceed(left)) = one.root.resolve(&path("two/x")) else {
        panic!("it went on");
    };
    assert_eq!(left.cxt.unwrap().resolve(&left.rest_of_name).unwrap(), None);
    one.end();
    two.end();
}

#[test]
fn servers_that_contain_each_other_end_with_the_name() {
    // Half of them for each client: four.
    let options = NamingOptions { naming_foreign_calls: 8, ..NamingOptions::default() };
    let (one, two) = (World::with(&options), World::with(&options));
    join(&one, &two, "next");
    join(&two, &one, "next");
    let object = one.object("x");
    one.root.bind(&path("x"), Some(&object)).unwrap();
    assert_eq!(one.root.resolve(&path("next/next/x")).unwrap(), Some(object.clone()));
    // Eight steps need four calls of each server; one more is left to the client.
    let steps = |count: usize| path(&format!("{}x", "next/".repeat(count)));
    assert_eq!(one.root.resolve(&steps(8)).unwrap(), Some(object.clone()));
    let Err(ResolveError::CannotProceed(left)) = one.root.resolve(&steps(20)) else {
        panic!("it went on");
    };
    assert_eq!(left.rest_of_name, steps(11));
    let longest = steps(127);
    assert!(matches!(one.root.resolve(&longest), Err(ResolveError::CannotProceed(_))));
    assert!(matches!(one.root.resolve(&steps(128)), Err(ResolveError::InvalidName(_))));
    assert_eq!(one.root.resolve(&steps(8)).unwrap(), Some(object), "all calls have ended");
    one.end();
    two.end();
}

#[test]
fn a_context_that_never_answers_is_given_up() {
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("corbaloc::1.2@{}/NameService", silent.local_addr().unwrap());
    let bind = |timeout_ms| {
        let naming_foreign_timeout = Duration::from_millis(timeout_ms);
        let options = NamingOptions { naming_foreign_timeout, ..NamingOptions::default() };
        let one = World::with(&options);
        let context: ObjectRef = one.client.string_to_object(&url).unwrap().unwrap();
        let context: NamingContext = context.unchecked_narrow();
        one.root.bind_context(&path("silent"), Some(&context)).unwrap();
        let resolved = one.root.resolve(&path("silent/x"));
        assert!(matches!(resolved, Err(ResolveError::CannotProceed(_))), "{resolved:?}");
        let bound = one.root.bind(&path("silent/x"), None);
        one.end();
        bound
    };
    // On a slow machine the time may be over before the call is sent: then it cannot have been bound.
    let mut bound = [50, 100, 200, 400, 800, 1600, 3200, 6400].into_iter().map(bind);
    let bound = bound.find(|bound| !matches!(bound, Err(BindError::CannotProceed(_))));
    // It may have been bound.
    assert!(matches!(bound, Some(Err(BindError::System(_)))), "{bound:?}");
}

#[test]
fn a_reference_to_an_own_context_needs_no_call() {
    let options = NamingOptions { naming_foreign_calls: 0, ..NamingOptions::default() };
    let one = World::with(&options);
    let context = one.root.bind_new_context(&path("ctx")).unwrap().unwrap();
    let root: NamingContext = one.root.clone().into();
    context.bind_context(&path("up"), Some(&root)).unwrap();
    assert!(one.root.resolve(&path("ctx/up/ctx/up/ctx")).unwrap().is_some());
    one.end();
}

#[test]
fn the_own_root_by_its_url_needs_no_call() {
    let options = NamingOptions { naming_foreign_calls: 0, ..NamingOptions::default() };
    let one = World::with(&options);
    let (host, port) = ("localhost", one.address());
    let port = port.rsplit_once(':').unwrap().1;
    for url in [
        format!("corbaloc::{}/NameService", one.address()),
        format!("corbaloc::{host}:{port}/NameService"),
    ] {
        let root: NamingContext =
            one.client.string_to_object(&url).unwrap().unwrap().unchecked_narrow();
        one.root.rebind_context(&path("up"), Some(&root)).unwrap();
        assert!(one.root.resolve(&path("up/up/up")).unwrap().is_some(), "{url}");
    }
    one.end();
}

/// A context of a server that does not keep to the standard.
#[derive(Debug)]
struct Answers;

impl ServedBy<Answers> for NamingContext {
    fn dispatch(_: &Answers, call: &mut ServerCall<'_>) -> Served {
        let _name = call.argument::<Name>()?;
        call.reply(Ok::<_, SystemException>(()), |writer, ()| {
            Ref::write_option(None::<&Self>, writer)
        })
    }
}

#[test]
fn a_new_context_elsewhere_that_is_nil_is_an_error() {
    let one = World::new();
    let other = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let context: NamingContext = other.root_poa().activate(Answers).unwrap();
    other.serve().unwrap();
    let text = context.to_ior_string();
    let context: NamingContext =
        one.client.string_to_object(&text).unwrap().unwrap().unchecked_narrow();
    one.root.bind_context(&path("other"), Some(&context)).unwrap();
    let refused: SystemException = one.root.bind_new_context(&path("other/x")).unwrap_err().into();
    assert_eq!(refused.kind, SystemExceptionKind::InvObjref);
    assert_eq!(refused.completed, CompletionStatus::Yes);
    assert_eq!(one.service.statistics().contexts, 1);
    one.end();
    other.shutdown(true).unwrap();
}
