//! A served repository, queried through the stubs.

use std::borrow::Cow;

use zorb::dynamic::{Dynamic, DynamicServant, Mode, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{
    CollocationStrategy, Interface as _, ObjectRef, Orb, SystemException, SystemExceptionKind,
    TcKind, minor,
};
use zorb_ifr::corba::{self, AttributeMode, DefinitionKind, OperationMode, PrimitiveKind};

use crate::shop::{serve, shop};

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
