use zorb_types::{TcKind, Typed};

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
    for place in 8..octets.len() {
        let mut other = octets.clone();
        other[place] ^= 0xff;
        if let Ok(repository) = Repository::from_octets(&other) {
            for (place, _) in repository.entries() {
                repository.absolute_name(place);
                repository.ancestors(place);
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
fn what_is_known_stays_when_repositories_are_merged() {
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
