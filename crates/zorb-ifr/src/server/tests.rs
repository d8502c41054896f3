use zorb::dynamic::repository::EntryKind;
use zorb::{
    CompletionStatus, Interface, MinorCode, Orb, SystemException, SystemExceptionKind, TypeCode,
};

use super::*;
use crate::corba::{PrimitiveKind, StringDef};

#[test]
fn the_state_ends_with_the_objects_that_share_it() {
    let serve = || {
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = orb.build().unwrap();
        let definitions = Repository::default();
        let repository = InterfaceRepository::serve(&orb.root_poa(), definitions).unwrap();
        // The objects have the state, and that has the adapter, which has the objects.
        let state = Arc::downgrade(&repository.0);
        drop(repository);
        assert!(state.upgrade().is_some());
        (orb, state)
    };
    let (orb, state) = serve();
    orb.root_poa().find(ADAPTER).unwrap().destroy_with(true, true).unwrap();
    assert!(state.upgrade().is_none(), "its adapter has been destroyed");
    orb.shutdown(true).unwrap();
    let (orb, state) = serve();
    orb.shutdown(true).unwrap();
    assert!(state.upgrade().is_none(), "its ORB has been shut down");
}

/// A repository that clients may change, in this process, whose definitions may have this many octets.
fn served(octets: usize) -> (Orb, InterfaceRepository, corba::Repository) {
    served_with(Repository::default(), octets)
}

fn served_with(
    definitions: Repository,
    octets: usize,
) -> (Orb, InterfaceRepository, corba::Repository) {
    let orb = Orb::builder().without_environment().build().unwrap();
    let (poa, budget) = (orb.root_poa(), Budget::with(octets));
    let served = InterfaceRepository::serve_as(&poa, definitions, true, None, budget).unwrap();
    let repository = served.reference().unwrap();
    (orb, served, repository)
}

fn kind<T>(outcome: Result<T, SystemException>) -> Result<T, SystemExceptionKind> {
    outcome.map_err(|exception| exception.kind)
}

#[test]
fn definitions_and_types_have_a_limit() {
    let (orb, _served, repository) = served(20_000);
    let create = |number: usize| {
        let name = format!("m{number}");
        kind(repository.create_module(&format!("IDL:{name}:1.0"), &name, "1.0"))
    };
    let long = "x".repeat(20_000);
    let refused = kind(repository.create_module("IDL:x:1.0", &long, "1.0"));
    assert_eq!(refused.err(), Some(SystemExceptionKind::ImpLimit));
    let first = create(0).unwrap().unwrap();
    let full = (1..).find_map(|number| Some((number, create(number).err()?))).unwrap();
    assert_eq!(full.1, SystemExceptionKind::ImpLimit);
    assert_eq!(kind(repository.create_string(7)).err(), Some(SystemExceptionKind::ImpLimit));
    // What is there can be read, changed if it does not grow, and destroyed.
    let name = first.name().unwrap();
    first.set_name(&name).unwrap();
    let grown = kind(first.set_version(&long));
    assert_eq!(grown, Err(SystemExceptionKind::ImpLimit));
    first.destroy().unwrap();
    create(full.0).unwrap();
    assert_eq!(create(0).err(), Some(SystemExceptionKind::ImpLimit));
    orb.shutdown(true).unwrap();
}

#[test]
fn members_behind_a_type_without_members_yet_count() {
    let (orb, _served, repository) = served(20_000);
    let open = repository.create_struct("IDL:Open:1.0", "Open", "1.0", &[]).unwrap().unwrap();
    let long = repository.get_primitive(PrimitiveKind::PkLong).unwrap().unwrap();
    let member = |name: String, type_def: corba::IdlType| corba::StructMember {
        name,
        r#type: TypeCode::default(),
        type_def: Some(type_def),
    };
    let members = [member("open".to_owned(), open.into()), member("x".repeat(5000), long.into())];
    let create = |number: usize| {
        let name = format!("s{number}");
        kind(repository.create_struct(&format!("IDL:{name}:1.0"), &name, "1.0", &members))
    };
    create(0).unwrap();
    let refused = (1..4).find_map(|number| create(number).err());
    assert_eq!(refused, Some(SystemExceptionKind::ImpLimit));
    orb.shutdown(true).unwrap();
}

#[test]
fn what_a_server_has_from_the_start_is_not_limited() {
    let mut definitions = Repository::default();
    let name = TypeCode::alias("IDL:Name:1.0", "Name", &TypeCode::string(7)).unwrap();
    definitions.add(Repository::ROOT, "IDL:Name:1.0", "Name", EntryKind::Type(name));
    let (orb, _served, repository) = served_with(definitions, 0);
    let known = repository.lookup_id("IDL:Name:1.0").unwrap().unwrap();
    let known: corba::AliasDef = known.as_object().unchecked_narrow();
    let original = known.original_type_def().unwrap().unwrap();
    assert_eq!(original.r#type().unwrap(), TypeCode::string(7));
    assert_eq!(kind(repository.create_string(8)).err(), Some(SystemExceptionKind::ImpLimit));
    orb.shutdown(true).unwrap();
}

#[test]
fn the_room_of_destroyed_types_and_former_ids_is_free_again() {
    let (orb, served, repository) = served(4000);
    let module = repository.create_module("IDL:a:1.0", "a", "1.0").unwrap().unwrap();
    let budget = &served.0.budget;
    let before = budget.others();
    let made: StringDef = repository.create_string(7).unwrap().unwrap();
    module.set_id("IDL:b:1.0").unwrap();
    assert!(budget.others() > before);
    made.destroy().unwrap();
    module.destroy().unwrap();
    assert_eq!(budget.others(), before);
    orb.shutdown(true).unwrap();
}

#[test]
fn clients_that_may_only_read_make_no_types() {
    let (orb, served, repository) = served(100_000);
    let known = repository.create_string(7).unwrap();
    served.set_write_check(|| {
        Err(SystemException::no_permission(MinorCode::NONE, CompletionStatus::No))
    });
    assert_eq!(repository.create_string(7).unwrap(), known);
    repository.get_primitive(PrimitiveKind::PkLong).unwrap().unwrap();
    let refused = kind(repository.create_string(8));
    assert_eq!(refused.err(), Some(SystemExceptionKind::NoPermission));
    orb.shutdown(true).unwrap();
}
