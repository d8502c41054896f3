//! The model alone: every operation on every kind of binding.

use super::*;
use NotFoundReason::{MissingNode, NotContext, NotObject};

fn tree() -> Tree {
    Tree::new(NamingOptions::default())
}

fn name(text: &str) -> Path {
    Path::parse(text).unwrap()
}

const OBJECT: Bound<'_> = Bound::Object(b"object");
const FOREIGN: Bound<'_> = Bound::Foreign(b"foreign");

/// What a name with this binding resolves to.
fn found(bound: Bound<'_>) -> Found {
    match bound {
        Bound::Object(reference) | Bound::Foreign(reference) => {
            Found::Reference(reference.to_vec())
        }
        Bound::Context(id) => Found::Context(id),
    }
}

/// What `name` resolves to.
fn look_up(tree: &Tree, start: ContextId, name: &Path) -> Result<Found, Refusal> {
    let mut reference = StoredReference::default();
    // Of an earlier one.
    reference.extend_from_slice(b"other");
    let context = tree.resolve(start, name, &mut reference)?;
    Ok(context.map_or_else(|| Found::Reference(reference.to_vec()), Found::Context))
}

/// Makes a change from the root on.
fn make(tree: &mut Tree, text: &str, operation: Operation<'_>) -> Result<(), Refusal> {
    let change = tree.plan(ContextId::ROOT, &name(text), operation)?;
    tree.apply(change);
    Ok(())
}

/// `ctx`, a context, with the object `ctx/object`; the object `object`; the foreign context `foreign`.
fn sample() -> Tree {
    let mut tree = tree();
    make(&mut tree, "ctx", Operation::BindNew(ContextId(7))).unwrap();
    make(&mut tree, "ctx/object", Operation::Bind(OBJECT)).unwrap();
    make(&mut tree, "object", Operation::Bind(OBJECT)).unwrap();
    make(&mut tree, "foreign", Operation::Bind(FOREIGN)).unwrap();
    tree
}

#[test]
fn references_of_any_size_resolve_octet_for_octet() {
    for size in [1, 4, 255, 256, 257, 1_000] {
        let octets: Vec<u8> = (0..=u8::MAX).cycle().take(size).collect();
        let mut tree = tree();
        make(&mut tree, "long", Operation::Bind(Bound::Foreign(&octets))).unwrap();
        let resolved = look_up(&tree, ContextId::ROOT, &name("long"));
        assert_eq!(resolved, Ok(found(Bound::Foreign(&octets))), "{size} octets");
    }
}

#[test]
fn names_lead_through_contexts() {
    let tree = sample();
    let resolve = |text: &str| look_up(&tree, ContextId::ROOT, &name(text));
    assert_eq!(resolve("ctx"), Ok(found(Bound::Context(ContextId(7)))));
    assert_eq!(resolve("ctx/object"), Ok(found(OBJECT)));
    assert_eq!(resolve("foreign"), Ok(found(FOREIGN)));
    assert_eq!(look_up(&tree, ContextId(7), &name("object")), Ok(found(OBJECT)));
    assert_eq!(look_up(&tree, ContextId(8), &name("object")), Err(Refusal::NoContext));
}

#[test]
fn the_rest_of_a_name_begins_with_what_failed() {
    let tree = sample();
    let mut operations = vec![None];
    let context = Operation::BindNew(ContextId(9));
    operations.extend(
        [Operation::Bind(OBJECT), Operation::Rebind(FOREIGN), Operation::Unbind, context].map(Some),
    );
    for operation in operations {
        let refusal = |text: &str| match operation {
            None => look_up(&tree, ContextId::ROOT, &name(text)).err(),
            Some(operation) => tree.plan(ContextId::ROOT, &name(text), operation).err(),
        };
        assert_eq!(refusal("none/x/y"), Some(Refusal::NotFound(MissingNode, 0)));
        assert_eq!(refusal("ctx/none/y"), Some(Refusal::NotFound(MissingNode, 1)));
        assert_eq!(refusal("object/x"), Some(Refusal::NotFound(NotContext, 0)));
        assert_eq!(refusal("ctx/object/x/y"), Some(Refusal::NotFound(NotContext, 1)));
        let elsewhere = Refusal::Elsewhere(b"foreign"[..].into(), 1);
        assert_eq!(refusal("foreign/x/y"), Some(elsewhere));
    }
    let last = look_up(&tree, ContextId::ROOT, &name("ctx/none"));
    assert_eq!(last, Err(Refusal::NotFound(MissingNode, 1)));
    assert_eq!(
        tree.plan(ContextId::ROOT, &name("none"), Operation::Unbind).err(),
        Some(missing(0))
    );
}

#[test]
fn bindings_are_replaced_by_their_own_kind_only() {
    let mut tree = sample();
    for text in ["ctx", "object", "foreign"] {
        for operation in
            [Operation::Bind(OBJECT), Operation::Bind(FOREIGN), Operation::BindNew(ContextId(9))]
        {
            assert_eq!(make(&mut tree, text, operation), Err(Refusal::AlreadyBound));
        }
    }
    for text in ["ctx", "foreign"] {
        let refused = Err(Refusal::NotFound(NotObject, 0));
        assert_eq!(make(&mut tree, text, Operation::Rebind(OBJECT)), refused);
    }
    let refused = Err(Refusal::NotFound(NotContext, 0));
    assert_eq!(make(&mut tree, "object", Operation::Rebind(FOREIGN)), refused);
    make(&mut tree, "ctx", Operation::Rebind(FOREIGN)).unwrap();
    make(&mut tree, "new", Operation::Rebind(Bound::Context(ContextId(7)))).unwrap();
    make(&mut tree, "object", Operation::Rebind(Bound::Object(&[]))).unwrap();
    assert_eq!(look_up(&tree, ContextId::ROOT, &name("new/object")), Ok(found(OBJECT)));
    assert_eq!(look_up(&tree, ContextId::ROOT, &name("object")), Ok(found(Bound::Object(&[]))));
}

#[test]
fn contexts_end_when_they_are_empty() {
    let mut tree = sample();
    assert_eq!(tree.plan_destroy(ContextId(7)).err(), Some(Refusal::NotEmpty));
    make(&mut tree, "ctx/object", Operation::Unbind).unwrap();
    let change = tree.plan_destroy(ContextId(7)).unwrap();
    tree.apply(change);
    assert_eq!(tree.plan_destroy(ContextId(7)).err(), Some(Refusal::NoContext));
    // Its binding remains, and leads nowhere.
    let refused = Err(Refusal::NotFound(NotContext, 0));
    assert_eq!(look_up(&tree, ContextId::ROOT, &name("ctx/object")), refused);
    assert_eq!(
        look_up(&tree, ContextId::ROOT, &name("ctx")),
        Ok(found(Bound::Context(ContextId(7))))
    );
}

#[test]
fn a_context_may_contain_itself() {
    let mut tree = tree();
    make(&mut tree, "self", Operation::Bind(Bound::Context(ContextId::ROOT))).unwrap();
    let path = ["self"; 128].join("/");
    assert_eq!(
        look_up(&tree, ContextId::ROOT, &name(&path)),
        Ok(found(Bound::Context(ContextId::ROOT)))
    );
    let longer = format!("{path}/self");
    assert_eq!(look_up(&tree, ContextId::ROOT, &name(&longer)), Err(Refusal::InvalidName));
}

#[test]
fn limits_are_the_most_that_is_accepted() {
    let limits = NamingOptions {
        naming_component_octets: 4,
        naming_name_components: 2,
        naming_context_bindings: 2,
        ..NamingOptions::default()
    };
    let mut tree = Tree::new(limits);
    for text in ["12345", "123.45", "a/12345", "1/2/3"] {
        assert_eq!(make(&mut tree, text, Operation::Bind(OBJECT)), Err(Refusal::InvalidName));
    }
    assert_eq!(look_up(&tree, ContextId::ROOT, &Path::default()), Err(Refusal::InvalidName));
    make(&mut tree, "12.34", Operation::Bind(OBJECT)).unwrap();
    make(&mut tree, "b", Operation::Bind(OBJECT)).unwrap();
    assert_eq!(make(&mut tree, "c", Operation::Bind(OBJECT)), Err(Refusal::Full));
    make(&mut tree, "b", Operation::Rebind(OBJECT)).unwrap();

    tree.most_octets = tree.octets() + 10;
    make(&mut tree, "b", Operation::Unbind).unwrap();
    let large = [0; 100];
    assert_eq!(make(&mut tree, "b", Operation::Bind(Bound::Object(&large))), Err(Refusal::Full));
    make(&mut tree, "b", Operation::Bind(OBJECT)).unwrap();
    assert_eq!(tree.plan_create(ContextId(3)).err(), Some(Refusal::Full));
}

#[test]
fn counts_follow_every_change() {
    let empty = tree();
    let mut tree = sample();
    assert_eq!((tree.contexts(), tree.bindings()), (2, 4));
    for text in ["ctx/object", "ctx", "object", "foreign"] {
        make(&mut tree, text, Operation::Unbind).unwrap();
    }
    let change = tree.plan_destroy(ContextId(7)).unwrap();
    tree.apply(change);
    assert_eq!((tree.contexts(), tree.bindings(), tree.octets()), (1, 0, empty.octets()));
}

#[test]
fn listings_are_sorted_and_go_on_behind_a_name_that_is_gone() {
    let mut tree = tree();
    for text in ["b", "a.y", "a", "c", "a.x"] {
        make(&mut tree, text, Operation::Bind(OBJECT)).unwrap();
    }
    let keys = |listing: &Listing| -> Vec<Vec<u8>> {
        listing.iter().map(|(key, _)| key.to_vec()).collect()
    };
    let first = tree.list(ContextId::ROOT, None, 2).unwrap();
    assert_eq!((keys(&first), first.has_more), (vec![b"a\0".to_vec(), b"a\0x".to_vec()], true));
    make(&mut tree, "a.x", Operation::Unbind).unwrap();
    make(&mut tree, "b", Operation::Unbind).unwrap();
    let rest = tree.list(ContextId::ROOT, Some(b"a\0x"), 2).unwrap();
    assert_eq!((keys(&rest), rest.has_more), (vec![b"a\0y".to_vec(), b"c\0".to_vec()], false));
    let none = tree.list(ContextId::ROOT, None, 0).unwrap();
    assert_eq!((none.len(), none.has_more), (0, true));
}

#[test]
fn a_list_ends_with_its_octets_but_has_one_binding() {
    let limits = NamingOptions {
        naming_listed_octets: 3 * (2 + BINDING_OCTETS),
        ..NamingOptions::default()
    };
    let mut tree = Tree::new(limits);
    for text in ["a", "b", "c", "d"] {
        make(&mut tree, text, Operation::Bind(OBJECT)).unwrap();
    }
    let long = "l".repeat(1000);
    make(&mut tree, &long, Operation::Bind(OBJECT)).unwrap();
    let list = |after: &[u8]| {
        let listing = tree.list(ContextId::ROOT, Some(after), 100).unwrap();
        (listing.len(), listing.has_more)
    };
    assert_eq!(list(b""), (3, true));
    assert_eq!(list(b"c\0"), (1, true));
    assert_eq!(list(b"d\0"), (1, false), "one that is longer than all together");
}

/// The contexts to which no name leads at the end of a search in steps of this size.
fn orphans(tree: &Tree, step: usize) -> Vec<ContextId> {
    let all = tree.begin_search();
    let named = loop {
        if let Some(named) = tree.go_on_searching(step) {
            break named;
        }
    };
    let mut orphans: Vec<_> = all.into_iter().filter(|id| !named.contains(id)).collect();
    orphans.sort_unstable();
    orphans
}

#[test]
fn contexts_to_which_no_name_leads_are_orphans() {
    let mut tree = sample();
    for id in [20, 21, 22] {
        let change = tree.plan_create(ContextId(id)).unwrap();
        tree.apply(change);
    }
    // 20 and 21 contain each other, and 20 also a context that the root leads to.
    for (at, text, to) in [(20, "x", 21), (21, "x", 20), (20, "ctx", 7)] {
        let bound = Operation::Bind(Bound::Context(ContextId(to)));
        let change = tree.plan(ContextId(at), &name(text), bound).unwrap();
        tree.apply(change);
    }
    let ids = |numbers: &[u64]| numbers.iter().map(|id| ContextId(*id)).collect::<Vec<_>>();
    for step in 1..20 {
        assert_eq!(orphans(&tree, step), ids(&[20, 21, 22]), "{step}");
    }
    make(&mut tree, "twenty", Operation::Bind(Bound::Context(ContextId(20)))).unwrap();
    assert_eq!(orphans(&tree, 3), ids(&[22]));
    make(&mut tree, "ctx", Operation::Unbind).unwrap();
    assert_eq!(orphans(&tree, 3), ids(&[22]), "it has another name");
    make(&mut tree, "twenty", Operation::Unbind).unwrap();
    assert_eq!(orphans(&tree, 3), ids(&[7, 20, 21, 22]));
}

#[test]
fn contexts_that_are_moved_during_a_search_are_no_orphans() {
    let bind = |tree: &mut Tree, text: &str, id: u64| {
        make(tree, text, Operation::Bind(Bound::Context(ContextId(id)))).unwrap();
    };
    // After each number of steps, a context leaves the end of the list for its beginning; another one is new there.
    for steps in 0..12 {
        let mut tree = tree();
        for id in [20, 21, 22, 23] {
            let change = tree.plan_create(ContextId(id)).unwrap();
            tree.apply(change);
        }
        for text in ["b", "c", "d"] {
            make(&mut tree, text, Operation::Bind(OBJECT)).unwrap();
        }
        bind(&mut tree, "z", 20);
        bind(&mut tree, "z/inner", 21);
        assert_eq!(tree.begin_search().len(), 5);
        let mut found = (0..steps).find_map(|_| tree.go_on_searching(2));
        let is_over = found.is_some();
        if !is_over {
            bind(&mut tree, "a", 20);
            make(&mut tree, "z", Operation::Unbind).unwrap();
            bind(&mut tree, "a/other", 22);
        }
        while found.is_none() {
            found = tree.go_on_searching(2);
        }
        let mut found: Vec<_> = found.unwrap().into_iter().map(|ContextId(id)| id).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 20, 21, 22][..if is_over { 3 } else { 4 }], "{steps}");
        assert_eq!(orphans(&tree, 2).len(), if is_over { 2 } else { 1 });
    }
}

#[test]
fn references_of_one_server_share_their_common_part() {
    let mut tree = tree();
    let reference = |key: &str| {
        let url = format!("corbaloc::1.2@names.example:2809/{key}");
        let orb = zorb::Orb::builder().without_environment().build().unwrap();
        crate::server::stored::encode(orb.string_to_object(&url).unwrap().unwrap().ior())
    };
    let references = ["key1", "key2", "key3"].map(reference);
    let mut grown = Vec::new();
    for (text, reference) in ["a", "b", "c"].iter().zip(&references) {
        let before = tree.octets();
        make(&mut tree, text, Operation::Bind(Bound::Object(reference))).unwrap();
        grown.push(tree.octets() - before);
    }
    assert_eq!(grown[1], grown[2]);
    assert!(grown[0] > grown[1] + references[0].len() - 20, "{grown:?}");
    for (text, reference) in ["a", "b", "c"].iter().zip(references) {
        let resolved = look_up(&tree, ContextId::ROOT, &name(text));
        assert_eq!(resolved, Ok(Found::Reference(reference)));
    }
}
