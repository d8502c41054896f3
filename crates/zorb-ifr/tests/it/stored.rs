//! Definitions that are stored: those that clients add, and those of an earlier run.

use std::path::PathBuf;
use std::sync::Arc;

use zorb::dynamic::repository::{EntryKind, Repository};
use zorb::giop::IiopProfile;
use zorb::{Any, Interface as _, ObjectRef, Orb, SystemExceptionKind, TcKind, TypeCode};
use zorb_ifr::corba::{self, AttributeMode, OperationMode, PrimitiveKind};
use zorb_ifr::{InterfaceRepository, State};
use zorb_store::{Batch, MemoryStore, Store};

use crate::shop::{Served, serve, shop};

#[test]
fn clients_add_definitions() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let state = State::file(folder.join("written.ifr"));
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let served = InterfaceRepository::serve_writable(&orb.root_poa(), shop(), Some(state.clone()));
    let repository = served.unwrap().reference().unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let repository: corba::Repository = client.resolve(&repository.to_ior_string()).unwrap();
    let shop = Served { orb, repository: repository.clone() };

    let module = repository.create_module("IDL:New:1.0", "New", "1.0").unwrap().unwrap();
    let long: corba::IdlType =
        repository.get_primitive(PrimitiveKind::PkLong).unwrap().unwrap().into();
    let longs: corba::IdlType = repository.create_sequence(0, Some(&long)).unwrap().unwrap().into();
    let member = |name: &str, type_def: &corba::IdlType| corba::StructMember {
        name: name.to_owned(),
        r#type: TypeCode::default(),
        type_def: Some(type_def.clone()),
    };
    let members = [member("n", &long), member("all", &longs)];
    let row = module.create_struct("IDL:New/Row:1.0", "Row", "1.0", &members).unwrap().unwrap();
    let row_type = row.r#type().unwrap();
    assert_eq!(row_type.member_type(1).unwrap().kind(), TcKind::Sequence);
    let row: corba::IdlType = row.into();
    let case = |label: Any, name: &str| corba::UnionMember {
        name: name.to_owned(),
        label,
        r#type: TypeCode::default(),
        type_def: Some(row.clone()),
    };
    let cases =
        [case(Any::new::<i32>(&5).unwrap(), "five"), case(Any::new::<u8>(&0).unwrap(), "x")];
    let id = "IDL:New/Choice:1.0";
    let choice = module.create_union(id, "Choice", "1.0", Some(&long), &cases).unwrap().unwrap();
    let choice = choice.r#type().unwrap();
    assert_eq!((choice.member_label(0), choice.default_index()), (Ok(5), Ok(Some(1))));
    let seven = Any::new::<i32>(&7).unwrap();
    let constant = module.create_constant("IDL:New/C:1.0", "C", "1.0", Some(&long), &seven);
    assert_eq!(constant.unwrap().unwrap().value().unwrap(), seven);

    let counter: corba::InterfaceDef = shop.find("Shop::Counter");
    let bases = [Some(counter)];
    let derived = module.create_interface("IDL:New/D:1.0", "D", "1.0", &bases).unwrap().unwrap();
    let failure: corba::ExceptionDef = shop.find("Shop::Unknown");
    let parameter = corba::ParameterDescription {
        name: "row".to_owned(),
        r#type: TypeCode::default(),
        type_def: Some(row.clone()),
        mode: corba::ParameterMode::ParamInout,
    };
    let (id, normal) = ("IDL:New/D/put:1.0", OperationMode::OpNormal);
    let raises = [Some(failure)];
    let put = derived
        .create_operation(id, "put", "1.0", Some(&long), normal, &[parameter], &raises, &[])
        .unwrap()
        .unwrap();
    assert_eq!(put.absolute_name().unwrap(), "::New::D::put");
    let (id, readonly) = ("IDL:New/D/rows:1.0", AttributeMode::AttrReadonly);
    derived.create_attribute(id, "rows", "1.0", Some(&longs), readonly).unwrap().unwrap();
    let described = zorb_ifr::describe(&derived).unwrap();
    assert_eq!(described.operation("put").unwrap().parameters[0].type_code, row_type);
    assert!(described.operation("turned").is_some() && described.operation("_get_rows").is_some());

    use zorb::minor::bad_param as minors;
    let rejected = |id: &str, name: &str| {
        repository.create_module(id, name, "1.0").map(drop).unwrap_err().minor
    };
    assert_eq!(rejected("IDL:New:1.0", "Other"), minors::ID_EXISTS);
    assert_eq!(rejected("IDL:Other:1.0", "NEW"), minors::NAME_EXISTS);
    assert_eq!(rejected("IDL:Other:1.0", "a::b"), minors::INVALID_NAME);
    assert_eq!(rejected("Other", "Other"), minors::INVALID_REPOSITORY_ID);
    let clash = derived.create_attribute("IDL:X:1.0", "tint", "1.0", Some(&long), readonly);
    assert_eq!(clash.unwrap_err().minor, minors::INHERITED_NAME_CLASH);
    let inner: corba::ModuleDef = derived.as_object().unchecked_narrow();
    let inner = inner.create_module("IDL:X:1.0", "X", "1.0").unwrap_err();
    assert_eq!(inner.minor, minors::BAD_CONTAINER);
    let wrong = module.create_constant("IDL:X:1.0", "X", "1.0", Some(&row), &seven).unwrap_err();
    assert_eq!(wrong.kind, SystemExceptionKind::BadParam);

    let stored = state.load().unwrap().unwrap();
    assert!(stored.describe_interface("IDL:New/D:1.0").unwrap().operation("put").is_some());
    assert!(stored.lookup_id("IDL:X:1.0").is_none());
}

fn object_key(object: &ObjectRef) -> Vec<u8> {
    let profile = IiopProfile::decode(&object.ior().profiles[0].data).unwrap();
    profile.object_key.to_vec()
}

#[test]
fn references_stay_valid_after_a_restart() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("restart.ifr");
    let _ = std::fs::remove_file(&path);
    let state = State::file(&path);
    assert!(state.load().unwrap().is_none());
    state.store(&shop()).unwrap();
    let key = |served: &Served, name: &str| {
        let item: corba::StructDef = served.find(name);
        let members = item.members().unwrap();
        let array = members[1].type_def.as_ref().unwrap().as_object();
        (object_key(item.as_object()), object_key(array))
    };
    let first = key(&serve(shop()), "Shop::Item");
    assert_eq!(first, key(&serve(state.load().unwrap().unwrap()), "Shop::Item"));
    std::fs::write(&path, b"ZORBIFR\x02 and not much more").unwrap();
    let error = state.load().unwrap_err().to_string();
    assert!(error.contains("not a stored interface repository"), "{error}");
}

#[test]
fn definitions_are_replaced_as_a_whole_in_a_store() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let state = State::stored(Arc::clone(&store));
    assert!(state.load().unwrap().is_none());
    let mut large = shop();
    for number in 0..2_000 {
        let name = format!("M{number}{}", "x".repeat(600));
        let id = format!("IDL:{name}:1.0");
        large.add(Repository::ROOT, &id, &name, EntryKind::Module);
    }
    state.store(&large).unwrap();
    assert_eq!(state.load().unwrap().unwrap().to_octets(), large.to_octets());
    assert!(store.statistics().octets > 1 << 20, "several parts");
    state.store(&shop()).unwrap();
    assert_eq!(state.load().unwrap().unwrap().to_octets(), shop().to_octets());
    let broken = Batch::new().put("ifr.definitions", [0, 0, 0, 0], b"ZORBIFR\x02 and not more");
    store.commit(broken).unwrap();
    let error = state.load().unwrap_err().to_string();
    assert!(error.contains("not a stored interface repository"), "{error}");
}
