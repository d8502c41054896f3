use zorb_types::{Any, TcKind, TypeCode, Typed, Visibility};

use super::*;
use crate::Mode;

fn operation(name: &str, defined_in: &str) -> OperationDescription {
    OperationDescription {
        name: name.to_owned(),
        id: format!("{}/{name}:1.0", defined_in.trim_end_matches(":1.0")),
        defined_in: defined_in.to_owned(),
        result: String::type_code(),
        parameters: f_parameters(),
        ..OperationDescription::default()
    }
}

fn f_parameters() -> Vec<ParameterDescription> {
    let type_code = i32::type_code();
    vec![ParameterDescription { name: "x".to_owned(), mode: Mode::InOut, type_code }]
}

/// `module M { interface A { string f(inout long x); }; interface B : A { attribute long n; };
/// const long C = 5; valuetype V supports B { private string s; factory make(in long x); }; };`
fn repository() -> Repository {
    let mut repository = Repository::new();
    let module = repository.add(Repository::ROOT, "IDL:M:1.0", "M", EntryKind::Module);
    let interface = |id: &str, name: &str, bases: &[&str]| EntryKind::Interface {
        type_code: TypeCode::interface(id, name).unwrap(),
        bases: bases.iter().map(ToString::to_string).collect(),
    };
    let a = repository.add(module, "IDL:M/A:1.0", "A", interface("IDL:M/A:1.0", "A", &[]));
    let f = operation("f", "IDL:M/A:1.0");
    repository.add(a, "IDL:M/A/f:1.0", "f", EntryKind::Operation(f));
    let kind = interface("IDL:M/B:1.0", "B", &["IDL:M/A:1.0"]);
    let b = repository.add(module, "IDL:M/B:1.0", "B", kind);
    let n = AttributeDescription {
        name: "n".to_owned(),
        id: "IDL:M/B/n:1.0".to_owned(),
        defined_in: "IDL:M/B:1.0".to_owned(),
        type_code: i32::type_code(),
        ..AttributeDescription::default()
    };
    repository.add(b, "IDL:M/B/n:1.0", "n", EntryKind::Attribute(n));
    let value = EntryKind::Constant(Any::new::<i32>(&5).unwrap());
    repository.add(module, "IDL:M/C:1.0", "C", value);
    let modifier = zorb_types::ValueModifier::None;
    let kind = EntryKind::Value {
        type_code: TypeCode::value("IDL:M/V:1.0", "V", modifier, None, &[]).unwrap(),
        bases: Vec::new(),
        supports: vec!["IDL:M/B:1.0".to_owned()],
        initializers: vec![InitializerDescription {
            name: "make".to_owned(),
            parameters: f_parameters(),
            exceptions: Vec::new(),
        }],
    };
    let v = repository.add(module, "IDL:M/V:1.0", "V", kind);
    let state =
        EntryKind::ValueMember { type_code: String::type_code(), visibility: Visibility::Private };
    repository.add(v, "IDL:M/V/s:1.0", "s", state);
    repository
}

#[test]
fn definitions_are_found_by_id_and_name() {
    let repository = repository();
    let b = repository.lookup_id("IDL:M/B:1.0").unwrap();
    assert_eq!(repository.lookup(Repository::ROOT, "M::B"), Some(b));
    assert_eq!(repository.absolute_name(b), "::M::B");
    let f = repository.lookup_id("IDL:M/A/f:1.0");
    assert_eq!(repository.lookup(b, "f"), f, "inherited");
    assert_eq!(repository.lookup(b, "::M::A::f"), f);
    assert_eq!(repository.lookup(b, "M"), None);
    assert_eq!(repository.ancestors(b), [repository.lookup_id("IDL:M/A:1.0").unwrap()]);
    assert_eq!(repository[b].version, "1.0");
}

#[test]
fn a_description_holds_what_is_inherited() {
    let description = repository().describe_interface("IDL:M/B:1.0").unwrap();
    assert_eq!(description.bases, ["IDL:M/A:1.0"]);
    assert_eq!(description.operation("f").unwrap().defined_in, "IDL:M/A:1.0");
    assert_eq!(description.operation("_get_n").unwrap().result, i32::type_code());
    let setter = description.operation("_set_n").unwrap();
    assert_eq!((setter.result.kind(), setter.parameters.len()), (TcKind::Void, 1));
    assert!(description.operation("n").is_none());
}

#[test]
fn a_repository_survives_as_octets() {
    let octets = repository().to_octets().unwrap();
    let again = Repository::from_octets(&octets).unwrap();
    assert_eq!(again.to_octets().unwrap(), octets);
    let description = again.describe_interface("IDL:M/B:1.0").unwrap();
    let f = description.operation("f").unwrap();
    assert_eq!((&*f.id, f.parameters[0].mode), ("IDL:M/A/f:1.0", Mode::InOut));
}

#[test]
fn octets_of_something_else_are_refused() {
    let octets = repository().to_octets().unwrap();
    for end in 0..octets.len() {
        assert!(Repository::from_octets(&octets[..end]).is_err(), "cut at {end}");
    }
    let mut other = octets.clone();
    other[7] = 1;
    assert!(Repository::from_octets(&other).is_err());
    // Every octet in turn is another: an error or another repository, never a panic.
    for index in 8..octets.len() {
        let mut other = octets.clone();
        other[index] ^= 0xff;
        if let Ok(repository) = Repository::from_octets(&other) {
            for (index, _) in repository.entries() {
                repository.absolute_name(index);
                repository.ancestors(index);
            }
        }
    }
}

#[test]
fn bases_in_a_circle_end() {
    let mut repository = Repository::new();
    for (id, base) in [("IDL:A:1.0", "IDL:B:1.0"), ("IDL:B:1.0", "IDL:A:1.0")] {
        let type_code = TypeCode::interface(id, "X").unwrap();
        let kind = EntryKind::Interface { type_code, bases: vec![base.to_owned()] };
        repository.add(Repository::ROOT, id, "X", kind);
    }
    assert_eq!(repository.ancestors(repository.lookup_id("IDL:A:1.0").unwrap()).len(), 1);
}

#[test]
fn merging_preserves_existing_entries() {
    let mut new = Repository::new();
    let module = new.add(Repository::ROOT, "IDL:M:1.0", "M", EntryKind::Module);
    let kind = EntryKind::Interface {
        type_code: TypeCode::interface("IDL:M/A:1.0", "A").unwrap(),
        bases: Vec::new(),
    };
    let a = new.add(module, "IDL:M/A:1.0", "A", kind);
    new.merge(&repository());
    assert!(new[a].contents.is_empty(), "an interface is what the newer IDL says");
    assert_eq!(new.lookup_id("IDL:M/A/f:1.0"), None);
    let n = new.lookup(Repository::ROOT, "M::B::n").unwrap();
    assert_eq!(new[n].id, "IDL:M/B/n:1.0");
    assert_eq!(new[module].contents.len(), 4);
}

#[test]
fn merged_definitions_keep_their_versions() {
    let mut other = repository();
    let module = other.lookup(Repository::ROOT, "M").unwrap();
    other.set_version(module, "7");
    let mut merged = Repository::new();
    merged.merge(&other);
    assert_eq!(merged.to_octets(), other.to_octets());
}

/// `struct Node { sequence<Node> kids; };` with a constant and a sequence of them beside it.
fn nodes() -> (Repository, EntryId) {
    let mut repository = Repository::new();
    let id = "IDL:Node:1.0";
    let empty = TypeCode::structure(id, "Node", &[]).unwrap();
    let node = repository.add(Repository::ROOT, id, "Node", EntryKind::Type(empty));
    let kids = TypeCode::sequence(&TypeCode::recursive(id).unwrap(), 0).unwrap();
    let full = TypeCode::structure(id, "Node", &[("kids", kids.clone())]).unwrap();
    repository.set_kind(node, EntryKind::Type(full)).unwrap();
    let all = TypeCode::alias("IDL:All:1.0", "All", &kids).unwrap();
    repository.add(Repository::ROOT, "IDL:All:1.0", "All", EntryKind::Type(all));
    repository.refresh_types().unwrap();
    (repository, node)
}

#[test]
fn a_changed_type_changes_where_it_is_used() {
    let (mut repository, node) = nodes();
    let all = |repository: &Repository| {
        repository[repository.lookup_id("IDL:All:1.0").unwrap()].type_code().unwrap().clone()
    };
    let element = |all: TypeCode| all.resolved().content_type().unwrap();
    assert!(all(&repository).is_complete());
    assert_eq!(element(element(all(&repository)).member_type(0).unwrap()).name(), "Node");
    repository.set_name(node, "Knot").unwrap();
    repository.set_id(node, "IDL:Knot:2.0").unwrap();
    let knot = element(all(&repository));
    assert_eq!((knot.id(), knot.name()), ("IDL:Knot:2.0", "Knot"));
    assert_eq!(element(knot.member_type(0).unwrap()), knot);
    assert_eq!(repository.lookup_id("IDL:Node:1.0"), None);
    assert_eq!(repository.users(&[node]), [repository.lookup_id("IDL:All:1.0").unwrap()]);
}

#[test]
fn definitions_are_moved_and_removed() {
    let mut repository = repository();
    let find = |repository: &Repository, id: &str| repository.lookup_id(id).unwrap();
    let other = repository.add(Repository::ROOT, "IDL:N:1.0", "N", EntryKind::Module);
    let v = find(&repository, "IDL:M/V:1.0");
    repository.relocate(v, other);
    let v = find(&repository, "IDL:M/V:1.0");
    assert_eq!(repository.absolute_name(v), "::N::V");
    repository.set_version(v, "7");
    let again = Repository::from_octets(&repository.to_octets().unwrap()).unwrap();
    assert_eq!(again[again.lookup(Repository::ROOT, "N::V::s").unwrap()].id, "IDL:M/V/s:1.0");
    assert_eq!(again[find(&again, "IDL:M/V:1.0")].version, "7");

    let b = find(&repository, "IDL:M/B:1.0");
    assert_eq!(repository.users(&repository.within(b)), [v], "it supports the interface");
    repository.remove(v);
    let b = find(&repository, "IDL:M/B:1.0");
    assert_eq!(repository.users(&repository.within(b)), []);
    repository.remove(b);
    assert_eq!(repository.lookup_id("IDL:M/B/n:1.0"), None);
    assert_eq!(repository.entries().count(), 6, "the repository, M, A, f, C and N");
    assert!(repository.lookup(Repository::ROOT, "M::A::f").is_some());
}

#[test]
fn types_that_would_be_endless_are_refused() {
    let (mut repository, node) = nodes();
    let id = "IDL:Node:1.0";
    let inside = TypeCode::recursive(id).unwrap();
    let circle = TypeCode::structure(id, "Node", &[("self", inside.clone())]);
    assert!(circle.is_err());
    // Through another type.
    let other = TypeCode::structure("IDL:Other:1.0", "Other", &[("node", inside)]).unwrap();
    repository.add(Repository::ROOT, "IDL:Other:1.0", "Other", EntryKind::Type(other));
    repository.refresh_types().unwrap();
    let other = TypeCode::recursive("IDL:Other:1.0").unwrap();
    let circle = TypeCode::structure(id, "Node", &[("other", other)]).unwrap();
    assert!(repository.clone().set_kind(node, EntryKind::Type(circle)).is_err());
    // All of many types in each of them.
    let ids: Vec<_> = (0..24).map(|n| (format!("IDL:T{n}:1.0"), format!("T{n}"))).collect();
    let each =
        ids.iter().map(|(id, _)| TypeCode::sequence(&TypeCode::recursive(id).unwrap(), 0).unwrap());
    let members: Vec<_> = ids.iter().map(|(_, name)| &**name).zip(each).collect();
    for (id, name) in &ids {
        let type_code = TypeCode::structure(id, name, &members).unwrap();
        repository.add(Repository::ROOT, id, name, EntryKind::Type(type_code));
    }
    assert!(repository.refresh_types().is_err());
}

#[test]
fn components_survive_as_octets_and_under_other_names() {
    let mut repository = repository();
    let b = || vec!["IDL:M/B:1.0".to_owned()];
    let component = |id: &str, base: &str| EntryKind::Component {
        type_code: TypeCode::named(TcKind::Component, id, &id[4..5]).unwrap(),
        bases: b(),
        base: base.to_owned(),
        supports: b(),
    };
    let root = Repository::ROOT;
    let c = repository.add(root, "IDL:C:1.0", "C", component("IDL:C:1.0", ""));
    let port = EntryKind::Port { kind: PortKind::UsesMultiple, target: b().remove(0) };
    repository.add(c, "IDL:C/p:1.0", "p", port);
    repository.add(root, "IDL:D:1.0", "D", component("IDL:D:1.0", "IDL:C:1.0"));
    let home = EntryKind::Home {
        type_code: TypeCode::named(TcKind::Home, "IDL:H:1.0", "H").unwrap(),
        bases: Vec::new(),
        base: String::new(),
        supports: Vec::new(),
        manages: "IDL:C:1.0".to_owned(),
        primary_key: "IDL:M/V:1.0".to_owned(),
    };
    let h = repository.add(root, "IDL:H:1.0", "H", home);
    let made = operation("make", "IDL:H:1.0");
    repository.add(h, "IDL:H/make:1.0", "make", EntryKind::Factory(made.clone()));
    repository.add(h, "IDL:H/find:1.0", "find", EntryKind::Finder(made));
    let users = |repository: &Repository, entry| -> Vec<String> {
        repository.users(&[entry]).iter().map(|user| repository[*user].name.clone()).collect()
    };
    assert_eq!(users(&repository, c), ["D", "H"]);
    let entry = repository.lookup_id("IDL:M/B:1.0").unwrap();
    assert_eq!(users(&repository, entry), ["V", "C", "p", "D"]);
    assert_eq!(repository.describe_interface("IDL:D:1.0").unwrap().attributes[0].name, "n");
    repository.set_id(c, "IDL:C:2.0").unwrap();
    let octets = repository.to_octets().unwrap();
    let again = Repository::from_octets(&octets).unwrap();
    assert_eq!(again.to_octets().unwrap(), octets);
    let find = |id: &str| again.lookup_id(id).unwrap();
    assert_eq!(users(&again, find("IDL:C:2.0")), ["D", "H"]);
    assert_eq!(again[find("IDL:C:2.0")].type_code().unwrap().id(), "IDL:C:2.0");
    let EntryKind::Port { kind, .. } = again[find("IDL:C/p:1.0")].kind else { panic!("a port") };
    assert_eq!(kind, PortKind::UsesMultiple);
    for end in 0..octets.len() {
        assert!(Repository::from_octets(&octets[..end]).is_err(), "cut at {end}");
    }
}
