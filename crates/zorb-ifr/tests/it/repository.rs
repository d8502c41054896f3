//! A served repository, queried through the stubs.
#![allow(clippy::panic)]

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use zorb::dynamic::repository::{
    AttributeDescription, EntryId, EntryKind, InitializerDescription, OperationDescription,
    ParameterDescription, Repository,
};
use zorb::dynamic::{Dynamic, DynamicServant, Mode, ServerRequest};
use zorb::giop::IiopProfile;
use zorb::poa::ObjectId;
use zorb::{
    Any, CollocationStrategy, Interface, ObjectRef, Orb, SystemException, SystemExceptionKind,
    TcKind, TypeCode, Typed, UnionCase, ValueMember, ValueModifier, Visibility, minor,
};
use zorb_ifr::corba::{self, AttributeMode, DefinitionKind, OperationMode, PrimitiveKind};
use zorb_ifr::{InterfaceRepository, State};
use zorb_store::{Batch, MemoryStore, Store};

fn parameter(name: &str, mode: Mode, type_code: TypeCode) -> ParameterDescription {
    ParameterDescription { name: name.to_owned(), mode, type_code }
}

fn named(id: &str) -> (String, String) {
    (format!("IDL:Shop/{id}:1.0"), id.rsplit('/').next().unwrap_or_default().to_owned())
}

/// The definitions of this IDL:
///
/// ```idl
/// module Shop {
///     enum Colour { red, green };
///     struct Item { string<16> name; sequence<long> sizes[2]; Colour hue; };
///     typedef sequence<Item> Items;
///     union Price switch (Colour) { case red: long cents; default: fixed<5, 2> exact; };
///     exception Unknown { string name; };
///     const long LIMIT = 7;
///     interface Named { readonly attribute string label; };
///     interface Counter : Named {
///         Items turned(in Items list, inout long count) raises (Unknown);
///         oneway void forget();
///         attribute Colour tint getraises (Unknown);
///     };
///     valuetype Box supports Named { private Item content; factory make(in Item content); };
///     valuetype Chest : truncatable Box { public long locks; };
/// };
/// ```
fn shop() -> Repository {
    let mut shop = Repository::new();
    let module = shop.add(Repository::ROOT, "IDL:Shop:1.0", "Shop", EntryKind::Module);
    let mut add = |container: EntryId, name: &str, kind: EntryKind| {
        let (id, name) = named(name);
        shop.add(container, &id, &name, kind)
    };
    let colour = TypeCode::enumeration("IDL:Shop/Colour:1.0", "Colour", &["red", "green"]).unwrap();
    add(module, "Colour", EntryKind::Type(colour.clone()));
    let longs = TypeCode::sequence(&i32::type_code(), 0).unwrap();
    let sizes = TypeCode::array(&longs, 2).unwrap();
    let members = [("name", TypeCode::string(16)), ("sizes", sizes), ("hue", colour.clone())];
    let item = TypeCode::structure("IDL:Shop/Item:1.0", "Item", &members).unwrap();
    add(module, "Item", EntryKind::Type(item.clone()));
    let items = TypeCode::sequence(&item, 0).unwrap();
    let items = TypeCode::alias("IDL:Shop/Items:1.0", "Items", &items).unwrap();
    add(module, "Items", EntryKind::Type(items.clone()));
    let exact = TypeCode::fixed(5, 2).unwrap();
    let cases = [
        UnionCase { label: Some(0), name: "cents", type_code: &i32::type_code() },
        UnionCase { label: None, name: "exact", type_code: &exact },
    ];
    let price = TypeCode::union("IDL:Shop/Price:1.0", "Price", &colour, &cases).unwrap();
    add(module, "Price", EntryKind::Type(price));
    let members = [("name", String::type_code())];
    let unknown = TypeCode::exception("IDL:Shop/Unknown:1.0", "Unknown", &members).unwrap();
    add(module, "Unknown", EntryKind::Exception(unknown.clone()));
    add(module, "LIMIT", EntryKind::Constant(Any::new::<i32>(&7).unwrap()));

    let interface = |name: &str, bases: &[&str]| EntryKind::Interface {
        type_code: TypeCode::interface(&named(name).0, name).unwrap(),
        bases: bases.iter().map(|base| named(base).0).collect(),
    };
    let attribute = |type_code: TypeCode, readonly, get_exceptions| {
        let attribute = AttributeDescription {
            readonly,
            type_code,
            get_exceptions,
            ..AttributeDescription::default()
        };
        EntryKind::Attribute(attribute)
    };
    let base = add(module, "Named", interface("Named", &[]));
    add(base, "Named/label", attribute(String::type_code(), true, Vec::new()));
    let counter = add(module, "Counter", interface("Counter", &["Named"]));
    let turned = OperationDescription {
        result: items.clone(),
        parameters: vec![
            parameter("list", Mode::In, items),
            parameter("count", Mode::InOut, i32::type_code()),
        ],
        exceptions: vec![unknown.clone()],
        ..OperationDescription::default()
    };
    add(counter, "Counter/turned", EntryKind::Operation(turned));
    let forget = OperationDescription {
        oneway: true,
        result: TypeCode::plain(TcKind::Void),
        ..OperationDescription::default()
    };
    add(counter, "Counter/forget", EntryKind::Operation(forget));
    add(counter, "Counter/tint", attribute(colour, false, vec![unknown]));

    let private = Visibility::Private;
    let content = ValueMember { name: "content", type_code: &item, visibility: private };
    let chest = ("IDL:Shop/Box:1.0", "Box", ValueModifier::None);
    let boxed = TypeCode::value(chest.0, chest.1, chest.2, None, &[content]).unwrap();
    let make = InitializerDescription {
        name: "make".to_owned(),
        parameters: vec![parameter("content", Mode::In, item.clone())],
        exceptions: Vec::new(),
    };
    let kind = EntryKind::Value {
        type_code: boxed.clone(),
        bases: Vec::new(),
        supports: vec![named("Named").0],
        initializers: vec![make],
    };
    let entry_id = add(module, "Box", kind);
    let kind = EntryKind::ValueMember { type_code: item, visibility: private };
    add(entry_id, "Box/content", kind);
    let locks =
        ValueMember { name: "locks", type_code: &i32::type_code(), visibility: Visibility::Public };
    let modifier = ValueModifier::Truncatable;
    let type_code =
        TypeCode::value("IDL:Shop/Chest:1.0", "Chest", modifier, Some(&boxed), &[locks]).unwrap();
    let kind = EntryKind::Value {
        type_code,
        bases: vec![named("Box").0],
        supports: Vec::new(),
        initializers: Vec::new(),
    };
    let entry_id = add(module, "Chest", kind);
    let kind =
        EntryKind::ValueMember { type_code: i32::type_code(), visibility: Visibility::Public };
    add(entry_id, "Chest/locks", kind);
    shop
}

struct Served {
    orb: Orb,
    repository: corba::Repository,
}

fn serve(definitions: Repository) -> Served {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let served = InterfaceRepository::serve(&orb.root_poa(), definitions).unwrap();
    // As a client in another process sees it.
    let client = Orb::builder().without_environment().build().unwrap();
    let text = served.reference().unwrap().to_ior_string();
    Served { orb, repository: client.resolve(&text).unwrap() }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orb.shutdown(true).unwrap();
    }
}

impl Served {
    /// The definition with a name, as this interface.
    fn find<T: Interface>(&self, name: &str) -> T {
        let found = self.repository.lookup(name).unwrap().unwrap_or_else(|| panic!("no {name}"));
        found.as_object().narrow().unwrap().unwrap_or_else(|| panic!("{name} has another kind"))
    }
}

#[test]
fn definitions_are_found_by_name_and_id() {
    let shop = serve(shop());
    let turned: corba::OperationDef = shop.find("::Shop::Counter::turned");
    assert_eq!(turned.id().unwrap(), "IDL:Shop/Counter/turned:1.0");
    assert_eq!(
        (turned.name().unwrap(), turned.version().unwrap()),
        ("turned".into(), "1.0".into())
    );
    assert_eq!(turned.absolute_name().unwrap(), "::Shop::Counter::turned");
    let counter = turned.defined_in().unwrap().unwrap();
    assert_eq!(counter.def_kind().unwrap(), DefinitionKind::DkInterface);
    assert_eq!(turned.containing_repository().unwrap().as_ref(), Some(&shop.repository));
    // Names of bases and enclosing scopes are found.
    let label = counter.lookup("label").unwrap().unwrap();
    assert_eq!(label.id().unwrap(), "IDL:Shop/Named/label:1.0");
    assert_eq!(counter.lookup("Items").unwrap().unwrap().id().unwrap(), "IDL:Shop/Items:1.0");
    assert!(counter.lookup("nothing").unwrap().is_none());
    let same = shop.repository.lookup_id("IDL:Shop/Counter:1.0").unwrap().unwrap();
    assert_eq!(same.as_object(), counter.as_object());
    for absent in ["", "IDL:Shop/Nothing:1.0"] {
        assert!(shop.repository.lookup_id(absent).unwrap().is_none());
    }
}

/// An object of an interface with this repository id.
struct Of(&'static str);

impl DynamicServant for Of {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        self.0.into()
    }

    fn invoke(&self, _: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        Err(ServerRequest::unknown_operation())
    }
}

#[test]
fn an_object_leads_to_the_definition_of_its_interface() {
    let shop = serve(shop());
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let [counter, unknown] = ["IDL:Shop/Counter:1.0", "IDL:Shop/Nothing:1.0"].map(|id| {
        let object: ObjectRef = orb.root_poa().activate(Dynamic(Of(id))).unwrap();
        client.resolve::<ObjectRef>(&object.to_ior_string()).unwrap()
    });
    let refused = |object: &ObjectRef| {
        let refused = object.interface().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::IntfRepos);
        refused.minor
    };
    assert_eq!(refused(&counter), minor::intf_repos::NOT_AVAILABLE);
    let repository = shop.repository.as_object().to_ior_string();
    let repository: corba::Repository = orb.resolve(&repository).unwrap();
    orb.register_initial_reference("InterfaceRepository", &repository).unwrap();
    let definition = counter.interface().unwrap().unwrap();
    let definition: corba::InterfaceDef = definition.narrow().unwrap().unwrap();
    assert_eq!(definition.id().unwrap(), "IDL:Shop/Counter:1.0");
    assert_eq!(definition.def_kind().unwrap(), DefinitionKind::DkInterface);
    assert_eq!(refused(&unknown), minor::intf_repos::NO_ENTRY);
    orb.shutdown(true).unwrap();
}

#[test]
fn contents_are_listed_by_kind() {
    let shop = serve(shop());
    let module: corba::ModuleDef = shop.find("Shop");
    assert_eq!(module.contents(DefinitionKind::DkAll, true).unwrap().len(), 10);
    assert_eq!(module.contents(DefinitionKind::DkTypedef, true).unwrap().len(), 4);
    let names = |found: corba::ContainedSeq| -> Vec<String> {
        found.into_iter().map(|each| each.unwrap().name().unwrap()).collect()
    };
    assert_eq!(names(module.contents(DefinitionKind::DkValue, true).unwrap()), ["Box", "Chest"]);
    let counter: corba::InterfaceDef = shop.find("Shop::Counter");
    let attributes = |exclude| counter.contents(DefinitionKind::DkAttribute, exclude).unwrap();
    assert_eq!(names(attributes(true)), ["tint"]);
    assert_eq!(names(attributes(false)), ["tint", "label"]);
    let named = |levels| {
        let all = DefinitionKind::DkAll;
        names(shop.repository.lookup_name("label", levels, all, true).unwrap())
    };
    assert_eq!(
        (named(-1), named(2), named(3)),
        (vec!["label".into()], vec![], vec!["label".into()])
    );
    let described = module.describe_contents(DefinitionKind::DkAll, true, 2).unwrap();
    assert_eq!(described.len(), 2);
    assert_eq!(described[1].kind, DefinitionKind::DkStruct);
    let item = described[1].value.get::<corba::TypeDescription>().unwrap();
    assert_eq!((&*item.id, &*item.defined_in), ("IDL:Shop/Item:1.0", "IDL:Shop:1.0"));
    assert_eq!(item.r#type.member_count(), 3);
}

#[test]
fn a_description_includes_inherited_definitions() {
    let shop = serve(shop());
    let counter: corba::ExtInterfaceDef = shop.find("Shop::Counter");
    let full = counter.describe_interface().unwrap();
    let names: Vec<_> = full.operations.iter().map(|each| &*each.name).collect();
    assert_eq!(names, ["turned", "forget"]);
    assert_eq!(full.operations[1].mode, OperationMode::OpOneway);
    let turned = &full.operations[0];
    assert_eq!(turned.exceptions[0].defined_in, "IDL:Shop:1.0");
    assert_eq!(turned.parameters[1].mode, corba::ParameterMode::ParamInout);
    let long = turned.parameters[1].type_def.as_ref().unwrap();
    assert_eq!(long.def_kind().unwrap(), DefinitionKind::DkPrimitive);
    assert_eq!(full.base_interfaces, ["IDL:Shop/Named:1.0"]);
    assert_eq!(full.attributes[0].mode, AttributeMode::AttrReadonly);
    let full = counter.describe_ext_interface().unwrap();
    assert_eq!(full.attributes[1].get_exceptions[0].name, "Unknown");
    assert!(counter.is_a("IDL:Shop/Named:1.0").unwrap());
    assert!(counter.is_a("IDL:omg.org/CORBA/Object:1.0").unwrap());
    assert!(!counter.is_a("IDL:Shop/Box:1.0").unwrap());
    let bases = counter.base_interfaces().unwrap();
    assert_eq!(bases[0].as_ref().unwrap().name().unwrap(), "Named");

    let interface = counter.as_object().unchecked_narrow();
    let described = zorb_ifr::describe(&interface).unwrap();
    assert_eq!(described.operation("turned").unwrap().parameters[1].mode, Mode::InOut);
    assert_eq!(described.operation("_get_tint").unwrap().exceptions.len(), 1);
    assert!(described.operation("_set_label").is_none());
}

#[test]
fn types_are_decomposed() {
    let shop = serve(shop());
    let item: corba::StructDef = shop.find("Shop::Item");
    let members = item.members().unwrap();
    let type_def = |index: usize| members[index].type_def.as_ref().unwrap().as_object().clone();
    let name: corba::StringDef = type_def(0).narrow().unwrap().unwrap();
    assert_eq!(name.bound().unwrap(), 16);
    let sizes: corba::ArrayDef = type_def(1).narrow().unwrap().unwrap();
    assert_eq!(
        (sizes.length().unwrap(), sizes.element_type().unwrap().kind()),
        (2, TcKind::Sequence)
    );
    let element = sizes.element_type_def().unwrap().unwrap();
    let element: corba::SequenceDef = element.as_object().narrow().unwrap().unwrap();
    let long = element.element_type_def().unwrap().unwrap();
    let long: corba::PrimitiveDef = long.as_object().narrow().unwrap().unwrap();
    assert_eq!(long.kind().unwrap(), PrimitiveKind::PkLong);
    let hue: corba::EnumDef = type_def(2).narrow().unwrap().unwrap();
    assert_eq!(hue.members().unwrap(), ["red", "green"]);

    let items: corba::AliasDef = shop.find("Shop::Items");
    assert_eq!(items.r#type().unwrap().kind(), TcKind::Alias);
    let original = items.original_type_def().unwrap().unwrap();
    assert_eq!(original.def_kind().unwrap(), DefinitionKind::DkSequence);

    let price: corba::UnionDef = shop.find("Shop::Price");
    let switch = price.discriminator_type_def().unwrap().unwrap();
    assert_eq!(switch.as_object(), hue.as_object());
    let cases = price.members().unwrap();
    assert_eq!(cases[0].label.type_code().kind(), TcKind::Enum);
    assert_eq!(cases[1].label.get::<u8>(), Some(0), "the default");
    let exact: corba::FixedDef =
        cases[1].type_def.as_ref().unwrap().as_object().narrow().unwrap().unwrap();
    assert_eq!((exact.digits().unwrap(), exact.scale().unwrap()), (5, 2));

    let limit: corba::ConstantDef = shop.find("Shop::LIMIT");
    assert_eq!(limit.value().unwrap().get::<i32>(), Some(7));
    let unknown: corba::ExceptionDef = shop.find("Shop::Unknown");
    assert_eq!(unknown.members().unwrap()[0].name, "name");
    let raised = shop.find::<corba::OperationDef>("Shop::Counter::turned").exceptions().unwrap();
    assert_eq!(raised[0].as_ref().unwrap().as_object(), unknown.as_object());
}

#[test]
fn valuetypes_are_described() {
    let shop = serve(shop());
    let chest: corba::ExtValueDef = shop.find("Shop::Chest");
    assert!(chest.is_truncatable().unwrap() && !chest.is_custom().unwrap());
    let base = chest.base_value().unwrap().unwrap();
    assert_eq!(base.name().unwrap(), "Box");
    assert!(base.base_value().unwrap().is_none());
    let made = base.initializers().unwrap();
    assert_eq!((&*made[0].name, &*made[0].members[0].name), ("make", "content"));
    let full = chest.describe_value().unwrap();
    let members: Vec<_> = full.members.iter().map(|each| (&*each.name, each.access)).collect();
    assert_eq!(members, [("content", 0), ("locks", 1)]);
    assert_eq!(full.attributes[0].name, "label");
    assert!(full.is_truncatable);
    assert_eq!(full.base_value, "IDL:Shop/Box:1.0");
    assert_eq!(chest.describe_ext_value().unwrap().initializers, []);
    assert!(chest.is_a("IDL:Shop/Named:1.0").unwrap());
    let locks: corba::ValueMemberDef = shop.find("Shop::Chest::locks");
    assert_eq!(locks.access().unwrap(), corba::PUBLIC_MEMBER);
}

#[test]
fn anonymous_types_are_created() {
    let shop = serve(shop());
    let long = shop.repository.get_primitive(PrimitiveKind::PkLong).unwrap().unwrap();
    let long: corba::IdlType = long.into();
    let row = shop.repository.create_array(3, Some(&long)).unwrap().unwrap();
    let rows = shop.repository.create_sequence(9, Some(&row.into())).unwrap().unwrap();
    let type_code = rows.r#type().unwrap();
    assert_eq!(zorb::dynamic::json::type_name(&type_code), "sequence<long[3], 9>");
    let again = shop.repository.create_string(5).unwrap();
    assert_eq!(again, shop.repository.create_string(5).unwrap());
    let base = shop.repository.get_primitive(PrimitiveKind::PkValueBase).unwrap().unwrap();
    assert_eq!(base.r#type().unwrap().id(), "IDL:omg.org/CORBA/ValueBase:1.0");
    let rejected = |error: zorb::SystemException| error.kind;
    let nil = shop.repository.create_sequence(0, None).unwrap_err();
    assert_eq!(rejected(nil), SystemExceptionKind::BadParam);
    let wrong = shop.repository.create_fixed(40, 2).unwrap_err();
    assert_eq!(rejected(wrong), SystemExceptionKind::BadTypecode);
    // Names are restored in a compact TypeCode.
    let compact = shop.find::<corba::StructDef>("Shop::Item").r#type().unwrap().compact().unwrap();
    assert_eq!(compact.member_name(0).unwrap(), "");
    let full = shop.repository.get_canonical_typecode(&compact).unwrap();
    assert_eq!(full.member_name(0).unwrap(), "name");
}

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

#[test]
fn invalid_requests_are_rejected() {
    let shop = serve(shop());
    let item: corba::StructDef = shop.find("Shop::Item");
    let kinds = [
        item.set_name("Other").unwrap_err().kind,
        item.destroy().unwrap_err().kind,
        // An operation of another interface.
        item.as_object().unchecked_narrow::<corba::EnumDef>().set_members(&[]).unwrap_err().kind,
        item.as_object().unchecked_narrow::<corba::ArrayDef>().length().unwrap_err().kind,
    ];
    let added = shop.repository.create_module("IDL:New:1.0", "New", "1.0").unwrap_err();
    assert_eq!(added.kind, SystemExceptionKind::NoPermission);
    use SystemExceptionKind::{BadOperation, NoPermission};
    assert_eq!(kinds, [NoPermission, NoPermission, NoPermission, BadOperation]);
    assert!(item.as_object().narrow::<corba::UnionDef>().unwrap().is_none());
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

#[test]
fn an_object_reports_its_interface() {
    let shop = serve(shop());
    let server = Orb::builder()
        .without_environment()
        .listen("iiop://127.0.0.1:0")
        .init_ref("InterfaceRepository", &shop.repository.to_ior_string())
        .build()
        .unwrap();
    struct Counter;
    impl zorb::dynamic::DynamicServant for Counter {
        fn primary_interface(&self, _: &zorb::poa::ObjectId) -> std::borrow::Cow<'_, str> {
            "IDL:Shop/Counter:1.0".into()
        }

        fn invoke(
            &self,
            _: &mut zorb::dynamic::ServerRequest<'_, '_>,
        ) -> Result<(), zorb::SystemException> {
            Err(zorb::dynamic::ServerRequest::unknown_operation())
        }
    }
    let object: ObjectRef = server.root_poa().activate(zorb::dynamic::Dynamic(Counter)).unwrap();
    let object = object.with_collocation(CollocationStrategy::Marshalled);
    let interface = zorb_ifr::interface_of(&object).unwrap().unwrap();
    assert_eq!(interface.id().unwrap(), "IDL:Shop/Counter:1.0");
    server.shutdown(true).unwrap();
}
