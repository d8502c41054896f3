//! The operations of NamingContextExt and BindingIterator.

use std::time::Duration;

use zorb::{Interface as _, SystemException, SystemExceptionKind};
use zorb_naming::cos_naming::naming_context::{
    AlreadyBound, BindContextError, BindError, BindNewContextError, DestroyError, InvalidName,
    NotEmpty, NotFound, NotFoundReason, RebindContextError, RebindError, ResolveError, UnbindError,
};
use zorb_naming::cos_naming::naming_context_ext::{
    InvalidAddress, ResolveStrError, ToNameError, ToStringError, ToUrlError,
};
use zorb_naming::cos_naming::{BindingType, NamingContext};
use zorb_naming::name;
use zorb_naming::naming_extensions::ExtendedContext;
use zorb_naming::naming_extensions::extended_context::BindForError;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_testkit::until;

use crate::support::{World, shown};

fn not_found(why: NotFoundReason, rest: &str) -> NotFound {
    NotFound { why, rest_of_name: name(rest).unwrap() }
}

fn kind<T: std::fmt::Debug, E: Into<zorb::Error>>(outcome: Result<T, E>) -> SystemExceptionKind {
    let exception: SystemException = outcome.unwrap_err().into().into();
    exception.kind
}

#[test]
fn names_are_bound_resolved_and_unbound() {
    let world = World::new();
    let (root, object) = (&world.root, world.object("x"));
    let context = root.bind_new_context(&name("ctx.kind").unwrap()).unwrap().unwrap();
    context.bind(&name("x").unwrap(), Some(&object)).unwrap();
    let path = name("ctx.kind/x").unwrap();
    assert_eq!(root.resolve(&path).unwrap().as_ref(), Some(&object));
    assert_eq!(root.resolve_str("ctx.kind/x").unwrap().as_ref(), Some(&object));
    let again = root.bind(&path, Some(&object));
    assert_eq!(again, Err(BindError::AlreadyBound(AlreadyBound)));
    let other = world.object("y");
    root.rebind(&path, Some(&other)).unwrap();
    assert_eq!(context.resolve(&name("x").unwrap()).unwrap(), Some(other));
    root.rebind(&path, None).unwrap();
    assert_eq!(root.resolve(&path).unwrap(), None, "nil is a value like any other");
    root.unbind(&path).unwrap();
    let missing = not_found(NotFoundReason::MissingNode, "x");
    assert_eq!(root.unbind(&path), Err(UnbindError::NotFound(missing.clone())));
    assert_eq!(root.resolve(&path), Err(ResolveError::NotFound(missing.clone())));
    assert_eq!(root.resolve_str("ctx.kind/x"), Err(ResolveStrError::NotFound(missing)));
    world.end();
}

#[test]
fn contexts_are_bound_as_contexts() {
    let world = World::new();
    let root = &world.root;
    let free = root.new_context().unwrap().unwrap();
    root.bind_context(&name("a").unwrap(), Some(&free)).unwrap();
    root.rebind_context(&name("b").unwrap(), Some(&free)).unwrap();
    free.bind(&name("x").unwrap(), Some(&world.object("x"))).unwrap();
    assert!(root.resolve(&name("b/x").unwrap()).unwrap().is_some());
    // Its own reference, whether or not it is bound as a context.
    root.bind(&name("leaf").unwrap(), Some(free.as_object())).unwrap();
    let through = root.resolve(&name("leaf/x").unwrap());
    let rest = not_found(NotFoundReason::NotContext, "leaf/x");
    assert_eq!(through, Err(ResolveError::NotFound(rest)));

    let again = root.bind_context(&name("a").unwrap(), Some(&free));
    assert_eq!(again, Err(BindContextError::AlreadyBound(AlreadyBound)));
    let again = root.bind_new_context(&name("a").unwrap());
    assert_eq!(again, Err(BindNewContextError::AlreadyBound(AlreadyBound)));
    let rest = not_found(NotFoundReason::NotObject, "a");
    let as_object = root.rebind(&name("a").unwrap(), Some(&world.object("x")));
    assert_eq!(as_object, Err(RebindError::NotFound(rest)));
    let rest = not_found(NotFoundReason::NotContext, "leaf");
    let as_context = root.rebind_context(&name("leaf").unwrap(), Some(&free));
    assert_eq!(as_context, Err(RebindContextError::NotFound(rest)));
    let nil = root.bind_context(&name("nil").unwrap(), None);
    assert_eq!(kind(nil), SystemExceptionKind::BadParam);
    world.end();
}

#[test]
fn destroyed_contexts_do_not_exist() {
    let world = World::new();
    let context = world.root.bind_new_context(&name("ctx").unwrap()).unwrap().unwrap();
    context.bind(&name("x").unwrap(), Some(&world.object("x"))).unwrap();
    assert_eq!(context.destroy(), Err(DestroyError::NotEmpty(NotEmpty)));
    context.unbind(&name("x").unwrap()).unwrap();
    assert!(!context.as_object().non_existent().unwrap());
    context.destroy().unwrap();
    assert!(context.as_object().non_existent().unwrap());
    let gone = SystemExceptionKind::ObjectNotExist;
    assert_eq!(kind(context.resolve(&name("x").unwrap())), gone);
    assert_eq!(kind(context.new_context().map(drop).and(context.list(1))), gone);
    assert_eq!(kind(context.as_object().is_a(NamingContext::REPOSITORY_ID)), gone);
    assert_eq!(kind(world.root.destroy()), SystemExceptionKind::NoPermission);
    world.end();
}

#[test]
fn lists_and_iterators_return_every_binding_once() {
    let world = World::new();
    let root = &world.root;
    assert_eq!(root.list(0).unwrap(), (Vec::new(), None), "an empty context");
    let mut expected = Vec::new();
    for number in 0..9 {
        let text = format!("{number}.object");
        root.bind(&name(&text).unwrap(), Some(&world.object("x"))).unwrap();
        expected.push((text, BindingType::Nobject));
    }
    root.bind_new_context(&name("9.ctx").unwrap()).unwrap();
    expected.push(("9.ctx".to_owned(), BindingType::Ncontext));
    let (all, none) = root.list(10).unwrap();
    assert_eq!((shown(&all), none), (expected.clone(), None));

    let (bindings, iterator) = root.list(3).unwrap();
    let iterator = iterator.unwrap();
    let mut found = shown(&bindings);
    let (more, one) = iterator.next_one().unwrap();
    assert!(more);
    found.extend(shown(&vec![one]));
    for expected in [4, 2] {
        let (more, bindings) = iterator.next_n(4).unwrap();
        assert_eq!((more, bindings.len()), (true, expected));
        found.extend(shown(&bindings));
    }
    assert_eq!(found, expected);
    assert_eq!(iterator.next_n(4).unwrap(), (false, Vec::new()));
    let (more, nothing) = iterator.next_one().unwrap();
    assert_eq!((more, nothing.binding_name.len()), (false, 0));
    assert_eq!(nothing.binding_type, BindingType::Nobject);
    assert_eq!(kind(iterator.next_n(0)), SystemExceptionKind::BadParam);
    iterator.destroy().unwrap();
    assert!(iterator.as_object().non_existent().unwrap());
    assert_eq!(kind(iterator.next_one()), SystemExceptionKind::ObjectNotExist);
    assert_eq!(kind(iterator.destroy()), SystemExceptionKind::ObjectNotExist);
    world.end();
}

#[test]
fn an_iterator_alone_returns_everything() {
    let options = NamingOptions {
        naming_listed_bindings: 2,
        naming_iterators: 2,
        ..NamingOptions::default()
    };
    let world = World::with(&options);
    for text in ["a", "b", "c", "d", "e"] {
        world.root.bind(&name(text).unwrap(), Some(&world.object("x"))).unwrap();
    }
    let (none, iterator) = world.root.list(0).unwrap();
    let iterator = iterator.unwrap();
    assert_eq!(none.len(), 0);
    let lengths = [(); 4].map(|()| iterator.next_n(100).unwrap().1.len());
    assert_eq!(lengths, [2, 2, 1, 0]);
    assert_eq!(world.root.list(100).unwrap().0.len(), 2, "the limit of one reply");
    // The third iterator is one too many.
    world.root.list(0).unwrap();
    assert!(iterator.as_object().non_existent().unwrap());
    assert_eq!(world.service.statistics().iterators, 2);
    world.end();
}

#[test]
fn iterators_expire() {
    let options =
        NamingOptions { naming_iterator_lifetime: Duration::ZERO, ..NamingOptions::default() };
    let world = World::with(&options);
    world.root.bind(&name("a").unwrap(), None).unwrap();
    let iterator = world.root.list(0).unwrap().1.unwrap();
    assert_eq!(kind(iterator.next_one()), SystemExceptionKind::ObjectNotExist);
    world.end();
}

#[test]
fn names_are_converted() {
    let world = World::new();
    let root = &world.root;
    let text = r"a\.b\/c\\d.e f/.k/.";
    assert_eq!(root.to_name(text).unwrap(), name(text).unwrap());
    assert_eq!(root.to_string(&name(text).unwrap()).unwrap(), text);
    assert_eq!(root.to_string(&[]), Err(ToStringError::InvalidName(InvalidName)));
    for malformed in ["", "/", "a//b", "a.", "a.b.c", r"a\x", r"a\"] {
        assert_eq!(root.to_name(malformed), Err(ToNameError::InvalidName(InvalidName)));
        let refused = root.resolve_str(malformed);
        assert_eq!(refused, Err(ResolveStrError::InvalidName(InvalidName)));
    }
    let url = root.to_url(&format!(":{}", world.address()), "a b/c").unwrap();
    assert_eq!(url, format!("corbaname::{}#a%20b/c", world.address()));
    let refused = root.to_url("", "a");
    assert_eq!(refused, Err(ToUrlError::InvalidAddress(InvalidAddress)));
    root.bind_new_context(&name("a b").unwrap()).unwrap();
    root.bind(&name("a b/c").unwrap(), Some(root.as_object())).unwrap();
    let found: NamingContext = world.client.resolve(&url).unwrap();
    assert!(found.resolve(&name("a b").unwrap()).unwrap().is_some());
    world.end();
}

#[test]
fn a_name_with_a_lease_goes_away() {
    let world = World::new();
    let object = world.object("x");
    let extended: ExtendedContext = world.root.as_object().unchecked_narrow();
    let x = name("x").unwrap();
    extended.bind_for(&x, Some(&object), 3600).unwrap();
    let taken = extended.bind_for(&x, Some(&object), 1).unwrap_err();
    assert!(matches!(taken, BindForError::AlreadyBound(_)), "{taken:?}");
    assert_eq!(world.root.resolve(&x).unwrap(), Some(object.clone()));
    assert_eq!(world.service.statistics().leases, 1);
    extended.rebind_for(&x, Some(&object), 1).unwrap();
    until(|| world.root.resolve(&x).is_err());
    assert_eq!(world.service.statistics().leases, 0);
    for (seconds, kind) in [
        (0, SystemExceptionKind::BadParam),
        (86_401, SystemExceptionKind::ImpLimit),
        (u32::MAX, SystemExceptionKind::ImpLimit),
    ] {
        let refused = extended.rebind_for(&x, Some(&object), seconds).unwrap_err();
        assert_eq!(SystemException::from(refused).kind, kind);
    }
    world.end();
}

#[test]
fn pages_show_a_context_once() {
    let world =
        World::with(&NamingOptions { naming_listed_bindings: 3, ..NamingOptions::default() });
    let inner = world.root.bind_new_context(&name("inner").unwrap()).unwrap().unwrap();
    let before = world.service.statistics().changes;
    for number in 0..7 {
        let object = world.object("x");
        inner.bind(&name(&format!("n{number}.kind")).unwrap(), Some(&object)).unwrap();
    }
    assert_eq!(world.service.statistics().changes, before + 7);
    let root = world.service.page(NamingService::ROOT, &[], 100).unwrap();
    let [only] = &root.bindings[..] else { panic!("{root:?}") };
    assert!(only.is_context && root.next.is_none());
    let (mut shown, mut after) = (Vec::new(), Some(Vec::new()));
    while let Some(next) = after {
        let page = world.service.page(only.context.unwrap(), &next, 100).unwrap();
        assert!(page.bindings.len() <= 3, "as the option says");
        shown.extend(page.bindings.into_iter().map(|it| (it.id, it.kind, it.context)));
        after = page.next;
    }
    let expected = |number| (format!("n{number}"), "kind".to_owned(), None);
    assert_eq!(shown, (0..7).map(expected).collect::<Vec<_>>());
    assert!(world.service.page(12, &[], 1).is_none(), "there is no such context");
    world.end();
}
