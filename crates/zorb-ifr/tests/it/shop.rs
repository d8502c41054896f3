//! The repository that tests query.
#![allow(clippy::panic)]

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{
    AttributeDescription, EntryId, EntryKind, InitializerDescription, OperationDescription,
    ParameterDescription, Repository,
};
use zorb::{
    Any, Interface, Orb, TcKind, TypeCode, Typed, UnionCase, ValueMember, ValueModifier, Visibility,
};
use zorb_ifr::{InterfaceRepository, corba};

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
pub(crate) fn shop() -> Repository {
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

pub(crate) struct Served {
    pub(crate) orb: Orb,
    pub(crate) repository: corba::Repository,
}

pub(crate) fn serve(definitions: Repository) -> Served {
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
    pub(crate) fn find<T: Interface>(&self, name: &str) -> T {
        let found = self.repository.lookup(name).unwrap().unwrap_or_else(|| panic!("no {name}"));
        found.as_object().narrow().unwrap().unwrap_or_else(|| panic!("{name} has another kind"))
    }
}
