//! A repository that clients change.
#![allow(clippy::panic)]

use std::path::PathBuf;

use zorb::dynamic::repository::Repository;
use zorb::{Any, Interface, Orb, SystemException, SystemExceptionKind, TcKind, TypeCode, minor};
use zorb_ifr::corba::{self, AttributeMode, DefinitionKind, OperationMode, PrimitiveKind};
use zorb_ifr::{InterfaceRepository, State};

/// A writable repository, as a client in another process sees it.
struct Writable {
    orb: Orb,
    client: Orb,
    state: State,
    repository: corba::Repository,
}

impl Writable {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let state = State::file(&path);
        let _ = std::fs::remove_file(&path);
        let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build();
        let orb = orb.unwrap();
        orb.serve().unwrap();
        let (poa, definitions) = (orb.root_poa(), Repository::new());
        let served = InterfaceRepository::serve_writable(&poa, definitions, Some(state.clone()));
        let repository = served.unwrap().reference().unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let repository = client.resolve(&repository.to_ior_string()).unwrap();
        Self { orb, client, state, repository }
    }

    fn primitive(&self, kind: PrimitiveKind) -> corba::IdlType {
        self.repository.get_primitive(kind).unwrap().unwrap().into()
    }

    fn sequence(&self, element: &corba::IdlType) -> corba::IdlType {
        self.repository.create_sequence(0, Some(element)).unwrap().unwrap().into()
    }

    fn structure(&self, name: &str, members: &[corba::StructMember]) -> corba::StructDef {
        let made = self.repository.create_struct(&id(name), name, "1.0", members);
        made.unwrap().unwrap()
    }

    fn interface(&self, name: &str, bases: &[&corba::InterfaceDef]) -> corba::InterfaceDef {
        let bases: Vec<_> = bases.iter().map(|base| Some((*base).clone())).collect();
        let made = self.repository.create_interface(&id(name), name, "1.0", &bases);
        made.unwrap().unwrap()
    }

    fn stored(&self) -> Repository {
        self.state.load().unwrap().unwrap()
    }
}

impl Drop for Writable {
    fn drop(&mut self) {
        let _ = self.client.shutdown(true);
        let _ = self.orb.shutdown(true);
    }
}

fn id(name: &str) -> String {
    format!("IDL:{name}:1.0")
}

fn member(name: &str, type_def: &corba::IdlType) -> corba::StructMember {
    corba::StructMember {
        name: name.to_owned(),
        r#type: TypeCode::default(),
        type_def: Some(type_def.clone()),
    }
}

fn as_type(object: &impl Interface) -> corba::IdlType {
    object.as_object().unchecked_narrow()
}

fn rejected<T>(result: Result<T, SystemException>) -> (SystemExceptionKind, zorb::MinorCode) {
    match result {
        Ok(_) => panic!("it should have been rejected"),
        Err(error) => (error.kind, error.minor),
    }
}

const BAD_PARAM: SystemExceptionKind = SystemExceptionKind::BadParam;

#[test]
fn names_ids_and_versions_are_set() {
    let ifr = Writable::new("names.ifr");
    let long = ifr.primitive(PrimitiveKind::PkLong);
    let point = ifr.structure("Point", &[member("x", &long)]);
    let points = ifr.sequence(&as_type(&point));
    let line = ifr.structure("Line", &[member("points", &points)]);
    point.set_name("Spot").unwrap();
    point.set_version("2.5").unwrap();
    point.set_id("IDL:Spot:2.0").unwrap();
    // The reference stays valid, and so do references to the definition.
    assert_eq!(point.absolute_name().unwrap(), "::Spot");
    assert_eq!((&*point.id().unwrap(), &*point.version().unwrap()), ("IDL:Spot:2.0", "2.5"));
    assert!(ifr.repository.lookup_id("IDL:Point:1.0").unwrap().is_none());
    let found = ifr.repository.lookup_id("IDL:Spot:2.0").unwrap().unwrap();
    assert_eq!(found.name().unwrap(), "Spot");
    let members = line.members().unwrap();
    assert_eq!(members[0].r#type.content_type().unwrap().id(), "IDL:Spot:2.0");
    let sequence: corba::SequenceDef =
        members[0].type_def.as_ref().unwrap().as_object().unchecked_narrow();
    let element = sequence.element_type_def().unwrap().unwrap();
    let element: corba::Contained = element.as_object().unchecked_narrow();
    assert_eq!(element.name().unwrap(), "Spot");
    // So is the type created earlier, also as part of another type.
    let old: corba::SequenceDef = points.as_object().unchecked_narrow();
    assert_eq!(old.element_type().unwrap().name(), "Spot");
    let other = ifr.structure("Other", &[member("all", &points)]);
    assert_eq!(
        other.r#type().unwrap().member_type(0).unwrap().content_type().unwrap().name(),
        "Spot"
    );

    use minor::bad_param as minors;
    let refusals = [
        (rejected(point.set_id("IDL:Line:1.0")), minors::ID_EXISTS),
        (rejected(point.set_id("Line")), minors::INVALID_REPOSITORY_ID),
        (rejected(point.set_name("LINE")), minors::NAME_EXISTS),
        (rejected(point.set_name("a b")), minors::INVALID_NAME),
    ];
    for (refusal, minor) in refusals {
        assert_eq!(refusal, (BAD_PARAM, minor));
    }
    let stored = ifr.stored();
    let entry_id = stored.lookup(Repository::ROOT, "Spot").unwrap();
    assert_eq!((&*stored[entry_id].id, &*stored[entry_id].version), ("IDL:Spot:2.0", "2.5"));
    // The old id can be used again.
    let again = ifr.repository.create_enum("IDL:Point:1.0", "Point", "1.0", &["a".to_owned()]);
    assert_eq!(again.unwrap().unwrap().def_kind().unwrap(), DefinitionKind::DkEnum);
}

#[test]
fn used_definitions_cannot_be_destroyed() {
    use minor::bad_inv_order::{DEPENDENCY, INDESTRUCTIBLE};
    let ifr = Writable::new("destroy.ifr");
    let bad_order = SystemExceptionKind::BadInvOrder;
    let long = ifr.primitive(PrimitiveKind::PkLong);
    let module = ifr.repository.create_module(&id("M"), "M", "1.0").unwrap().unwrap();
    let members = [member("x", &long)];
    let point = module.create_struct(&id("M/P"), "P", "1.0", &members).unwrap().unwrap();
    let points = ifr.sequence(&as_type(&point));
    let user = ifr.structure("User", &[member("all", &points)]);
    assert_eq!(rejected(point.destroy()), (bad_order, DEPENDENCY));
    assert_eq!(rejected(module.destroy()), (bad_order, DEPENDENCY));
    let sequence: corba::SequenceDef = points.as_object().unchecked_narrow();
    assert_eq!(rejected(sequence.destroy()), (bad_order, DEPENDENCY));
    assert_eq!(rejected(ifr.repository.destroy()), (bad_order, INDESTRUCTIBLE));
    assert_eq!(rejected(long.destroy()), (bad_order, INDESTRUCTIBLE));

    user.destroy().unwrap();
    assert_eq!(rejected(user.name()).0, SystemExceptionKind::ObjectNotExist);
    module.destroy().unwrap();
    for gone in [rejected(point.name()), rejected(sequence.bound())] {
        assert_eq!(gone.0, SystemExceptionKind::ObjectNotExist);
    }
    assert!(ifr.repository.contents(DefinitionKind::DkAll, true).unwrap().is_empty());
    assert_eq!(ifr.stored().entries().count(), 1);
    // A new definition with the old id is a different one.
    let names = ["a".to_owned()];
    let again = ifr.repository.create_enum(&id("M/P"), "P", "1.0", &names).unwrap().unwrap();
    assert_eq!(again.members().unwrap(), names);
    let texts = ifr.repository.create_string(7).unwrap().unwrap();
    texts.destroy().unwrap();
    assert_eq!(rejected(texts.bound()).0, SystemExceptionKind::ObjectNotExist);

    let base = ifr.interface("Base", &[]);
    let derived = ifr.interface("Derived", &[&base]);
    assert_eq!(rejected(base.destroy()), (bad_order, DEPENDENCY));
    derived.set_base_interfaces(&[]).unwrap();
    base.destroy().unwrap();
    assert!(derived.base_interfaces().unwrap().is_empty());
}

#[test]
fn definitions_move() {
    use minor::bad_param as minors;
    let ifr = Writable::new("move.ifr");
    let long = ifr.primitive(PrimitiveKind::PkLong);
    let point = ifr.structure("Point", &[member("x", &long)]);
    // It comes after the definitions moved into it.
    let module = ifr.repository.create_module(&id("M"), "M", "1.0").unwrap().unwrap();
    let inner = module.create_module(&id("M/N"), "N", "1.0").unwrap().unwrap();
    let container =
        |object: &corba::ModuleDef| -> corba::Container { object.as_object().unchecked_narrow() };
    point.r#move(Some(&container(&inner)), "Place", "3.0").unwrap();
    assert_eq!(point.absolute_name().unwrap(), "::M::N::Place");
    assert_eq!((&*point.id().unwrap(), &*point.version().unwrap()), ("IDL:Point:1.0", "3.0"));
    assert_eq!(point.r#type().unwrap().name(), "Place");
    let defined_in = point.defined_in().unwrap().unwrap();
    assert_eq!(defined_in.as_object(), inner.as_object());
    let into_itself = module.r#move(Some(&container(&inner)), "M", "1.0");
    let interface = ifr.interface("I", &[]);
    let inside: corba::Container = interface.as_object().unchecked_narrow();
    let other = ifr.structure("Other", &[member("x", &long)]);
    let refusals = [
        (rejected(into_itself), minors::BAD_CONTAINER),
        (rejected(module.r#move(Some(&inside), "M", "1.0")), minors::BAD_CONTAINER),
        (rejected(module.r#move(None, "M", "1.0")), minors::BAD_CONTAINER),
        (rejected(other.r#move(Some(&container(&inner)), "place", "1.0")), minors::NAME_EXISTS),
    ];
    for (refusal, minor) in refusals {
        assert_eq!(refusal, (BAD_PARAM, minor));
    }
    let stored = ifr.stored();
    assert!(stored.lookup(Repository::ROOT, "M::N::Place").is_some());
}

#[test]
fn members_are_set() {
    use minor::bad_param as minors;
    let ifr = Writable::new("members.ifr");
    let (long, text) =
        (ifr.primitive(PrimitiveKind::PkLong), ifr.primitive(PrimitiveKind::PkString));
    // A recursive type starts without members.
    let node = ifr.structure("Node", &[]);
    let pair = ifr.structure("Pair", &[]);
    let nodes = ifr.sequence(&as_type(&node));
    pair.set_members(&[member("left", &nodes), member("right", &nodes)]).unwrap();
    assert!(ifr.stored().lookup_id(&id("Pair")).is_none(), "it waits for the other type");
    let pairs = ifr.sequence(&as_type(&pair));
    node.set_members(&[member("name", &text), member("pairs", &pairs)]).unwrap();
    let (node_type, pair_type) = (node.r#type().unwrap(), pair.r#type().unwrap());
    let element =
        |type_code: &TypeCode, index| type_code.member_type(index).unwrap().content_type().unwrap();
    assert_eq!(element(&element(&node_type, 1), 0), node_type);
    assert_eq!(element(&element(&pair_type, 1), 1), pair_type);
    let stored = ifr.stored();
    let entry_id = stored.lookup_id(&id("Pair")).unwrap();
    assert_eq!(stored[entry_id].type_code().unwrap(), &pair_type);
    // A type that would contain itself is rejected.
    let itself = node.set_members(&[member("itself", &as_type(&node))]);
    assert_eq!(rejected(itself).0, SystemExceptionKind::BadTypecode);
    let through = node.set_members(&[member("pair", &as_type(&pair))]);
    through.unwrap();
    assert_eq!(node.members().unwrap()[0].name, "pair");

    let names = |names: [&str; 2]| names.map(str::to_owned);
    let colour = ifr.repository.create_enum(&id("Colour"), "Colour", "1.0", &names(["r", "g"]));
    let colour = colour.unwrap().unwrap();
    let case = |label: Any, name: &str, type_def: &corba::IdlType| corba::UnionMember {
        name: name.to_owned(),
        label,
        r#type: TypeCode::default(),
        type_def: Some(type_def.clone()),
    };
    let five = || Any::new::<i32>(&5).unwrap();
    let cases = [case(five(), "five", &long)];
    let union = ifr.repository.create_union(&id("U"), "U", "1.0", Some(&long), &cases);
    let union = union.unwrap().unwrap();
    union
        .set_members(&[case(five(), "text", &text), case(Any::new::<i32>(&6).unwrap(), "n", &long)])
        .unwrap();
    assert_eq!(union.r#type().unwrap().member_name(1), Ok("n"));
    let wrong = union.set_discriminator_type_def(Some(&as_type(&colour)));
    assert_eq!(rejected(wrong), (BAD_PARAM, minors::INCOMPATIBLE_DISCRIMINATOR));
    union.set_discriminator_type_def(Some(&ifr.primitive(PrimitiveKind::PkShort))).unwrap();
    assert_eq!(union.discriminator_type().unwrap().kind(), TcKind::Short);
    colour.set_members(&names(["red", "green"])).unwrap();
    assert_eq!(colour.members().unwrap(), names(["red", "green"]));
    let twice = colour.set_members(&names(["red", "RED"]));
    assert_eq!(rejected(twice), (BAD_PARAM, minors::INVALID_MEMBER_NAME));

    let alias = ifr.repository.create_alias(&id("A"), "A", "1.0", Some(&long)).unwrap().unwrap();
    alias.set_original_type_def(Some(&as_type(&colour))).unwrap();
    assert_eq!(alias.r#type().unwrap().content_type().unwrap().name(), "Colour");
    let failure = ifr.repository.create_exception(&id("E"), "E", "1.0", &[]).unwrap().unwrap();
    failure.set_members(&[member("why", &text)]).unwrap();
    assert_eq!(failure.r#type().unwrap().member_count(), 1);
    let constant = ifr.repository.create_constant(&id("C"), "C", "1.0", Some(&long), &five());
    let constant = constant.unwrap().unwrap();
    constant.set_value(&Any::new::<i32>(&7).unwrap()).unwrap();
    assert_eq!(constant.value().unwrap().get::<i32>(), Some(7));
    assert_eq!(rejected(constant.set_type_def(Some(&text))).0, BAD_PARAM);
    // An attribute that the definition does not have.
    let other: corba::OperationDef = constant.as_object().unchecked_narrow();
    assert_eq!(
        rejected(other.set_mode(OperationMode::OpOneway)).0,
        SystemExceptionKind::BadOperation
    );
    let sequence: corba::SequenceDef = nodes.as_object().unchecked_narrow();
    assert_eq!(rejected(sequence.set_bound(5)).0, SystemExceptionKind::NoImplement);
}

#[test]
fn interfaces_change() {
    use minor::bad_param as minors;
    let ifr = Writable::new("interfaces.ifr");
    let (long, void) = (ifr.primitive(PrimitiveKind::PkLong), ifr.primitive(PrimitiveKind::PkVoid));
    let [a, b, c] = ["A", "B", "C"].map(|name| ifr.interface(name, &[]));
    let normal = OperationMode::OpNormal;
    let operation = |interface: &corba::InterfaceDef, name: &str| {
        let id = format!("IDL:{}/{name}:1.0", interface.name().unwrap());
        let made = interface.create_operation(&id, name, "1.0", Some(&void), normal, &[], &[], &[]);
        made.unwrap().unwrap()
    };
    let f = operation(&a, "f");
    operation(&b, "f");
    let both = c.set_base_interfaces(&[Some(a.clone()), Some(b.clone())]);
    assert_eq!(rejected(both), (BAD_PARAM, minors::INHERITED_NAME_CLASH));
    c.set_base_interfaces(&[Some(a.clone())]).unwrap();
    let circle = a.set_base_interfaces(&[Some(c.clone())]);
    assert_eq!(rejected(circle), (BAD_PARAM, minors::INHERITED_NAME_CLASH));
    assert!(c.is_a(&id("A")).unwrap());
    a.set_id("IDL:A:2.0").unwrap();
    assert!(c.is_a("IDL:A:2.0").unwrap());
    assert_eq!(c.describe_interface().unwrap().operations[0].defined_in, "IDL:A:2.0");

    let failure = ifr.repository.create_exception(&id("E"), "E", "1.0", &[]).unwrap().unwrap();
    f.set_exceptions(&[Some(failure.clone())]).unwrap();
    assert_eq!(rejected(f.set_mode(OperationMode::OpOneway)), (BAD_PARAM, minors::BAD_ONEWAY));
    f.set_exceptions(&[]).unwrap();
    f.set_mode(OperationMode::OpOneway).unwrap();
    assert_eq!(rejected(f.set_result_def(Some(&long))), (BAD_PARAM, minors::BAD_ONEWAY));
    let parameter = corba::ParameterDescription {
        name: "n".to_owned(),
        r#type: TypeCode::default(),
        type_def: Some(long.clone()),
        mode: corba::ParameterMode::ParamIn,
    };
    f.set_params(&[parameter]).unwrap();
    f.set_contexts(&["where".to_owned()]).unwrap();
    let described = &c.describe_interface().unwrap().operations[0];
    assert_eq!((described.parameters.len(), &*described.contexts[0]), (1, "where"));

    let readonly = AttributeMode::AttrReadonly;
    let made = b.create_attribute("IDL:B/n:1.0", "n", "1.0", Some(&long), readonly);
    let attribute: corba::ExtAttributeDef = made.unwrap().unwrap().as_object().unchecked_narrow();
    attribute.set_mode(AttributeMode::AttrNormal).unwrap();
    attribute.set_type_def(Some(&ifr.primitive(PrimitiveKind::PkString))).unwrap();
    let contained: corba::Contained = failure.as_object().unchecked_narrow();
    let said = contained.describe().unwrap().value.get::<corba::ExceptionDescription>().unwrap();
    attribute.set_set_exceptions(&[said]).unwrap();
    let described = attribute.describe_attribute().unwrap();
    assert_eq!(
        (described.r#type.kind(), &*described.put_exceptions[0].name),
        (TcKind::String, "E")
    );
    // Moves an operation to another interface.
    let to: corba::Container = b.as_object().unchecked_narrow();
    assert_eq!(rejected(f.r#move(Some(&to), "f", "1.0")), (BAD_PARAM, minors::NAME_EXISTS));
    f.r#move(Some(&to), "g", "1.0").unwrap();
    assert!(c.describe_interface().unwrap().operations.is_empty());
    let described = b.describe_interface().unwrap();
    assert_eq!(described.operations[1].name, "g");
    assert_eq!(described.operations[1].defined_in, id("B"));
}

#[test]
fn valuetypes_are_made_and_changed() {
    use minor::bad_param as minors;
    let ifr = Writable::new("values.ifr");
    let long = ifr.primitive(PrimitiveKind::PkLong);
    let (a, b) = (ifr.interface("A", &[]), ifr.interface("B", &[]));
    let repository = &ifr.repository;
    let abstract_value = repository
        .create_value(&id("Top"), "Top", "1.0", false, true, None, false, &[], &[], &[])
        .unwrap()
        .unwrap();
    let initializer = corba::ExtInitializer {
        members: vec![member("n", &long)],
        exceptions: Vec::new(),
        name: "make".to_owned(),
    };
    let tops = [Some(abstract_value.clone())];
    let base = repository
        .create_ext_value(
            &id("Base"),
            "Base",
            "1.0",
            false,
            false,
            None,
            false,
            &tops,
            &[Some(a.clone())],
            &[initializer],
        )
        .unwrap()
        .unwrap();
    let state =
        base.create_value_member(&id("Base/n"), "n", "1.0", Some(&long), corba::PUBLIC_MEMBER);
    let state = state.unwrap().unwrap();
    // A valuetype may contain itself.
    let next = base.create_value_member(
        &id("Base/next"),
        "next",
        "1.0",
        Some(&as_type(&base)),
        corba::PRIVATE_MEMBER,
    );
    next.unwrap().unwrap();
    let derived = |truncatable, bases: &[Option<corba::InterfaceDef>]| {
        let base: corba::ValueDef = base.as_object().unchecked_narrow();
        repository.create_value(
            &id("Derived"),
            "Derived",
            "1.0",
            false,
            false,
            Some(&base),
            truncatable,
            &[],
            bases,
            &[],
        )
    };
    let two = derived(true, &[Some(a.clone()), Some(b.clone())]);
    assert_eq!(rejected(two), (BAD_PARAM, minors::TWO_CONCRETE_INTERFACES));
    let derived = derived(true, &[]).unwrap().unwrap();
    let type_code = derived.r#type().unwrap();
    let base_type = type_code.concrete_base_type().unwrap();
    assert_eq!(
        (base_type.member_count(), base_type.member_type(1).unwrap()),
        (2, base_type.clone())
    );
    let full = derived.describe_value().unwrap();
    assert_eq!((full.members.len(), &*full.base_value), (2, "IDL:Base:1.0"));
    let full = base.describe_ext_value().unwrap();
    assert_eq!(
        (&*full.initializers[0].name, &*full.abstract_base_values[0]),
        ("make", "IDL:Top:1.0")
    );
    assert!(base.is_a(&id("Top")).unwrap());

    state.set_access(corba::PRIVATE_MEMBER).unwrap();
    state.set_type_def(Some(&ifr.primitive(PrimitiveKind::PkOctet))).unwrap();
    state.set_name("count").unwrap();
    let base_type = derived.r#type().unwrap().concrete_base_type().unwrap();
    assert_eq!(
        (base_type.member_type(0).unwrap().kind(), base_type.member_name(0)),
        (TcKind::Octet, Ok("count"))
    );
    state.destroy().unwrap();
    assert_eq!(base.r#type().unwrap().member_count(), 1);
    assert_eq!(rejected(base.set_is_abstract(true)).0, BAD_PARAM);
    base.set_is_custom(true).unwrap();
    assert!(base.is_custom().unwrap());
    base.set_supported_interfaces(&[Some(b.clone())]).unwrap();
    base.set_initializers(&[]).unwrap();
    base.set_abstract_base_values(&[]).unwrap();
    abstract_value.destroy().unwrap();
    derived.set_is_truncatable(false).unwrap();
    derived.set_base_value(None).unwrap();
    assert!(derived.base_value().unwrap().is_none());
    assert_eq!(derived.r#type().unwrap().concrete_base_type().unwrap().kind(), TcKind::Null);
    let circle = base.set_base_value(Some(&base.as_object().unchecked_narrow()));
    assert_eq!(rejected(circle).0, BAD_PARAM);
    let boxed =
        repository.create_value_box(&id("Box"), "Box", "1.0", Some(&long)).unwrap().unwrap();
    assert_eq!(rejected(boxed.set_original_type_def(Some(&as_type(&base)))).0, BAD_PARAM);
    boxed.set_original_type_def(Some(&ifr.primitive(PrimitiveKind::PkString))).unwrap();
    let stored = ifr.stored();
    assert!(stored.lookup_id(&id("Base/next")).is_some() && stored.lookup_id(&id("Top")).is_none());
}
