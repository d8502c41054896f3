//! `zorb call`, on a servant without generated code.

use std::borrow::Cow;

use serde_json::json;
use zorb::dynamic::json::{NoScope, to_any};
use zorb::dynamic::{Dynamic, DynamicServant, Mode, NamedValue, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{
    Any, ObjectRef, Orb, SystemException, TypeCode, Typed, ValueMember, ValueModifier, Visibility,
};

use crate::program::{Finished, file, run, run_with_input};

pub(crate) const IDL: &str = r#"
#pragma prefix "test"
module Shop {
    enum Colour { red, green };
    struct Item { string name; long long stock; Colour hue; sequence<octet> code; };
    typedef sequence<Item> Items;
    exception Unknown { string name; long code; };
    interface Named { readonly attribute string label; };
    interface Counter : Named {
        Items turned(in Items list) raises (Unknown);
        string order(in string name, inout long count, out double price) raises (Unknown);
        attribute Colour tint;
        any echo(in any value);
        Object self(in Object other);
        oneway void forget(in string name);
    };
    valuetype Parcel { public string to; };
    valuetype Crate : truncatable Parcel { public long planks; };
    interface Unrelated { void nothing(); };
    interface Lorry : Counter { Parcel carry(in Parcel load); };
};
"#;

pub(crate) struct Counter;

fn colour() -> TypeCode {
    let colour = TypeCode::enumeration("IDL:test/Shop/Colour:1.0", "Colour", &["red", "green"]);
    colour.unwrap()
}

fn items() -> TypeCode {
    let members = [
        ("name", String::type_code()),
        ("stock", i64::type_code()),
        ("hue", colour()),
        ("code", TypeCode::sequence(&u8::type_code(), 0).unwrap()),
    ];
    let item = TypeCode::structure("IDL:test/Shop/Item:1.0", "Item", &members).unwrap();
    TypeCode::sequence(&item, 0).unwrap()
}

fn parcel() -> TypeCode {
    let to = String::type_code();
    let to = ValueMember { name: "to", type_code: &to, visibility: Visibility::Public };
    let id = "IDL:test/Shop/Parcel:1.0";
    TypeCode::value(id, "Parcel", ValueModifier::None, None, &[to]).unwrap()
}

fn parcel_of_planks() -> TypeCode {
    let planks = i32::type_code();
    let planks = ValueMember { name: "planks", type_code: &planks, visibility: Visibility::Public };
    let (id, base) = ("IDL:test/Shop/Crate:1.0", parcel());
    TypeCode::value(id, "Crate", ValueModifier::Truncatable, Some(&base), &[planks]).unwrap()
}

fn object() -> TypeCode {
    TypeCode::interface("IDL:omg.org/CORBA/Object:1.0", "Object").unwrap()
}

fn any_of(json: &serde_json::Value, type_code: &TypeCode) -> Any {
    to_any(json, type_code, &NoScope).unwrap()
}

impl DynamicServant for Counter {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:test/Shop/Counter:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let input = |type_code| vec![NamedValue::typed("", Mode::In, type_code)];
        let echoed = match request.operation() {
            "turned" => items(),
            "echo" => <Any as Typed>::type_code(),
            "self" => object(),
            "carry" => parcel(),
            "_set_tint" => return request.arguments(input(colour())).map(drop),
            "forget" => return request.arguments(input(String::type_code())).map(drop),
            "_get_label" => {
                request.arguments(Vec::new())?;
                return request.set_result(any_of(&json!("the counter"), &String::type_code()));
            }
            "_get_tint" => {
                request.arguments(Vec::new())?;
                return request.set_result(any_of(&json!("green"), &colour()));
            }
            "order" => {
                let mut list = input(String::type_code());
                list.push(NamedValue::typed("", Mode::InOut, i32::type_code()));
                list.push(NamedValue::typed("", Mode::Out, f64::type_code()));
                let list = request.arguments(list)?;
                let name = list[0].value.clone().unwrap();
                list[2].value = Some(any_of(&json!(2.5), &f64::type_code()));
                if name.get::<String>().as_deref() == Some("air") {
                    let members = [("name", String::type_code()), ("code", i32::type_code())];
                    let id = "IDL:test/Shop/Unknown:1.0";
                    let unknown = TypeCode::exception(id, "Unknown", &members).unwrap();
                    let json = json!({"name": "air", "code": 7});
                    return request.set_exception(any_of(&json, &unknown));
                }
                return request.set_result(name);
            }
            _ => return Err(ServerRequest::unknown_operation()),
        };
        let value = request.arguments(input(echoed))?[0].value.clone().unwrap();
        request.set_result(value)
    }
}

struct Shop {
    _orb: Orb,
    reference: String,
    idl: String,
}

fn shop(test: &str) -> Shop {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    assert!(orb.describe_value(&parcel_of_planks()));
    let counter: ObjectRef = orb.root_poa().activate(Dynamic(Counter)).unwrap();
    let reference = file(test, "counter.ior", &counter.to_ior_string());
    Shop { _orb: orb, reference, idl: file(test, "shop.idl", IDL) }
}

impl Shop {
    fn call(&self, words: &[&str]) -> Finished {
        run(&[&["call", &self.reference, "--idl", &self.idl], words].concat())
    }
}

#[test]
fn results_are_json() {
    let shop = shop("call-results");
    let items = json!([
        {"name": "tea", "stock": 9_007_199_254_740_993_i64, "hue": "red", "code": "AQID"},
        {"name": "salt", "stock": -1, "hue": "green", "code": ""}
    ]);
    let turned = shop.call(&["turned", &items.to_string()]);
    assert_eq!((turned.status, turned.json()), (Some(0), items.clone()), "{}", turned.stderr);
    let order = shop.call(&["order", "green tea", "-3", "--compact"]);
    assert_eq!(order.stdout, "{\"result\": \"green tea\", \"count\": -3, \"price\": 2.5}\n");
    let any = json!({"type": "Shop::Items", "value": items});
    let echo = shop.call(&["echo", &any.to_string()]);
    assert_eq!(echo.json()["value"], items);
    assert_eq!(shop.call(&["self", "null"]).json(), json!(null));
    let itself = std::fs::read_to_string(&shop.reference).unwrap();
    assert_eq!(shop.call(&["self", &itself]).json(), json!(itself));
    let forgotten = shop.call(&["forget", "it"]);
    assert_eq!((forgotten.status, &*forgotten.stdout), (Some(0), ""));
}

#[test]
fn values_of_derived_types_keep_their_type() {
    let shop = shop("call-values");
    let load = json!({"$type": "IDL:test/Shop/Crate:1.0", "to": "Ayr", "planks": 3});
    let carried = shop.call(&["--interface", "Shop::Lorry", "carry", &load.to_string()]);
    assert_eq!((carried.status, carried.json()), (Some(0), load), "{}", carried.stderr);
    let plain = json!({"to": "Ayr"});
    let carried = shop.call(&["--interface", "Shop::Lorry", "carry", &plain.to_string()]);
    assert_eq!((carried.status, carried.json()), (Some(0), plain), "{}", carried.stderr);
}

#[test]
fn attributes_have_names() {
    let shop = shop("call-attributes");
    assert_eq!(shop.call(&["label"]).json(), json!("the counter"));
    assert_eq!(shop.call(&["_get_tint"]).json(), json!("green"));
    let set = shop.call(&["_set_tint", "red"]);
    assert_eq!((set.status, &*set.stdout), (Some(0), ""), "{}", set.stderr);
    for (words, hint) in [
        (&["set_tint", "red"][..], "did you mean _set_tint? tint is an attribute"),
        (&["tint", "red"], "_set_tint sets the attribute"),
    ] {
        let wrong = shop.call(words);
        assert_eq!(wrong.status, Some(2), "{words:?}: {}", wrong.stderr);
        assert!(wrong.stderr.contains(hint), "{words:?}: {}", wrong.stderr);
    }
    let readonly = shop.call(&["_set_label", "x"]);
    assert_eq!(readonly.status, Some(2));
    assert!(readonly.stderr.contains("label is readonly"), "{}", readonly.stderr);
}

#[test]
fn exceptions_are_json_and_exit_statuses() {
    let shop = shop("call-exceptions");
    let user = shop.call(&["order", "air", "1"]);
    let expected =
        json!({"exception": "IDL:test/Shop/Unknown:1.0", "members": {"name": "air", "code": 7}});
    assert_eq!((user.status, user.json()), (Some(3), expected), "{}", user.stderr);
    let system = shop.call(&["--interface", "Shop::Unrelated", "nothing"]);
    assert_eq!((system.status, &system.json()["name"]), (Some(4), &json!("BAD_OPERATION")));
}

#[test]
fn a_server_that_cannot_be_asked_is_a_system_exception() {
    let idl = file("call-nobody", "shop.idl", IDL);
    let words = ["call", "corbaloc::127.0.0.1:1/shop", "--idl", &idl, "label"];
    let nobody = run(&words);
    assert_eq!((nobody.status, &nobody.json()["name"]), (Some(4), &json!("TRANSIENT")));
    assert!(nobody.stderr.contains("is the server running"), "{}", nobody.stderr);
}

#[test]
fn octets_that_the_idl_does_not_expect_are_reported() {
    let shop = shop("call-other-idl");
    let other = IDL.replace("readonly attribute string label", "readonly attribute short label");
    let other = file("call-other-idl", "other.idl", &other);
    let short = run(&["call", &shop.reference, "--idl", &other, "label"]);
    // The string is its length, 12, and 12 octets.
    let warning = "the reply has 14 octets after the values of the IDL";
    assert!(short.stderr.contains(warning), "{}", short.stderr);
}

#[test]
fn a_result_can_be_the_reference_of_a_call() {
    let shop = shop("call-result");
    let itself = std::fs::read_to_string(&shop.reference).unwrap();
    let result = shop.call(&["self", &itself]).stdout;
    assert!(result.starts_with("\"IOR:"), "{result}");
    let saved = file("call-result", "itself.ior", &result);
    assert_eq!(run(&["call", &saved, "_non_existent"]).json(), json!(false));
}

#[test]
fn wrong_arguments_are_reported_with_their_position() {
    let shop = shop("call-wrong");
    for (words, told) in [
        (&["turned", "[{}]"][..], "list: $[0]: the member \"name\" is missing"),
        (&["turned", "[{"], "is not valid JSON"),
        (&["turned"], "turned takes 1 argument, not 0"),
        (&["order", "tea", "x"], "count: \"x\" is not valid JSON"),
        (&["echo", r#"{"type": "Shop::Thing", "value": 1}"#], "value: $.type: no type"),
        (&["ordr"], "it has turned, order, echo"),
        (&["_set_tint", "pink"], "tint: $: Colour has no value \"pink\"; there is red, green"),
        (&["--interface", "Shop::Item", "x"], "unknown interface \"Shop::Item\""),
        (&["turned", "[]", "--json-file", "x"], "cannot be used with"),
    ] {
        let finished = shop.call(words);
        assert_eq!(finished.status, Some(2), "{words:?}: {}", finished.stderr);
        assert!(finished.stderr.contains(told), "{words:?}: {}", finished.stderr);
    }
}

#[test]
fn arguments_can_be_read_from_a_file() {
    let shop = shop("call-file");
    let named = file("call-file", "named.json", r#"{"count": 5, "name": "tea"}"#);
    let order = shop.call(&["order", "--json-file", &named, "-c"]);
    assert_eq!(order.stdout, "{\"result\": \"tea\", \"count\": 5, \"price\": 2.5}\n");
    let words = ["call", &*shop.reference, "--idl", &shop.idl, "order", "--json-file", "-", "-c"];
    assert_eq!(run_with_input(&words, r#"["tea", 5]"#).stdout, order.stdout);
    for (input, told) in [
        ("[1]", "order takes 2 arguments, not 1"),
        ("{\"name\": \"tea\"}", "missing argument \"count\""),
        ("{\"name\": \"tea\", \"count\": 1, \"price\": 2}", "order has no in parameter \"price\""),
        ("5", "expected an array of arguments"),
    ] {
        let finished = run_with_input(&words, input);
        assert_eq!(finished.status, Some(2));
        assert!(finished.stderr.contains(told), "{input}: {}", finished.stderr);
    }
}

#[test]
fn operations_are_listed_with_their_signatures() {
    let shop = shop("call-list");
    let list = shop.call(&[]);
    let expected = "interface Counter  IDL:test/Shop/Counter:1.0
  readonly attribute string label
  attribute Shop::Colour tint
  Shop::Items turned(in Shop::Items list) raises (Shop::Unknown)
  string order(in string name, inout long count, out double price) raises (Shop::Unknown)
  any echo(in any value)
  Object self(in Object other)
  oneway void forget(in string name)
";
    assert_eq!((list.status, &*list.stdout), (Some(0), expected), "{}", list.stderr);
}

#[test]
fn every_object_answers_some_operations_without_idl() {
    let shop = shop("call-pseudo");
    let call = |words: &[&str]| run(&[&["call", &*shop.reference], words].concat());
    assert_eq!(call(&["_non_existent"]).json(), json!(false));
    assert_eq!(call(&["_repository_id"]).json(), json!("IDL:test/Shop/Counter:1.0"));
    assert_eq!(call(&["_is_a", "IDL:nothing:1.0"]).json(), json!(false));
    let untyped = call(&["order", "tea", "1"]);
    assert_eq!(untyped.status, Some(1));
    assert!(untyped.stderr.contains("--idl FILE"), "{}", untyped.stderr);
}
