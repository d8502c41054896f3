//! `zorb ifr`, and calls with types from it.

use std::process::{Child, Stdio};

use serde_json::json;
use zorb::dynamic::Dynamic;
use zorb::{Interface, ObjectRef, Orb};

use crate::call::{Counter, IDL};
use crate::program::{command, file, folder, line_of, run, signal};

/// A running repository.
struct Repository {
    process: Child,
    reference: String,
}

impl Repository {
    fn start(words: &[&str]) -> Self {
        Self::start_with(&[&["--listen", "iiop://127.0.0.1:0"], words].concat())
    }

    fn start_with(words: &[&str]) -> Self {
        let mut command = command(&[&["ifr"], words].concat());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (line, _) = line_of(process.stdout.take().unwrap(), |line| line.starts_with("IOR:"));
        Self { process, reference: line.trim().to_owned() }
    }

    /// Stops it with a signal.
    fn end(mut self) -> Option<i32> {
        signal(&self.process, "TERM");
        self.process.wait().unwrap().code()
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server of the object whose IDL the repository contains, and the object's reference.
fn counter(repository: Option<&str>) -> (Orb, String) {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    let builder = match repository {
        Some(reference) => builder.init_ref("InterfaceRepository", reference),
        None => builder,
    };
    let orb = builder.build().unwrap();
    let counter: ObjectRef = orb.root_poa().activate(Dynamic(Counter)).unwrap();
    let reference = counter.to_ior_string();
    (orb, reference)
}

#[test]
fn a_call_needs_no_idl_if_the_server_has_the_repository() {
    let idl = file("ifr-told", "shop.idl", IDL);
    let repository = Repository::start(&["--idl", &idl]);
    let (orb, reference) = counter(Some(&repository.reference));
    let call = |words: &[&str]| run(&[&["call", &*reference], words].concat());
    let order = call(&["order", "green tea", "-3", "--compact"]);
    assert_eq!(order.stdout, "{\"result\": \"green tea\", \"count\": -3, \"price\": 2.5}\n");
    assert_eq!(call(&["tint"]).json(), json!("green"));
    assert_eq!(call(&["order", "air", "1"]).status, Some(3), "the exception has a type as well");
    // Names in anys are looked up, too.
    let any = json!({"type": "Shop::Colour", "value": "red"});
    let echo = call(&["echo", &any.to_string()]);
    assert_eq!(echo.json()["value"], "red", "{}", echo.stderr);
    let list = call(&[]);
    assert!(list.stdout.contains("Shop::Items turned(in Shop::Items list) raises (Shop::Unknown)"));
    let other = call(&["--interface", "Shop::Unrelated", "nothing"]);
    assert_eq!(other.json()["name"], json!("BAD_OPERATION"));
    assert_eq!(call(&["--interface", "Shop::Item", "nothing"]).status, Some(2));
    orb.shutdown(true).unwrap();
    assert_eq!(repository.end(), Some(0));
}

#[test]
fn a_repository_can_be_specified() {
    let idl = file("ifr-named", "shop.idl", IDL);
    let ior = folder("ifr-named").join("repository.ior");
    let ior = ior.to_str().unwrap();
    let repository = Repository::start(&["--idl", &idl, "--ior", ior]);
    let (orb, reference) = counter(None);
    let order = run(&["call", &reference, "--ifr", ior, "order", "tea", "1", "-c"]);
    assert_eq!(order.stdout, "{\"result\": \"tea\", \"count\": 1, \"price\": 2.5}\n");
    let named = format!("InterfaceRepository={}", repository.reference);
    let label = run(&["call", &reference, "label", "-ORBInitRef", &named]);
    assert_eq!(label.json(), json!("the counter"));
    let untyped = run(&["call", &reference, "order", "tea", "1"]);
    assert_eq!(untyped.status, Some(1));
    assert!(untyped.stderr.contains("--ifr REFERENCE"), "{}", untyped.stderr);
    // The repository does not contain its own definition.
    let own = run(&["call", &repository.reference, "--ifr", ior, "lookup_id", "x"]);
    assert_eq!(own.status, Some(1));
    assert!(own.stderr.contains("the interface repository does not contain it"), "{}", own.stderr);
    let no_repository = run(&["call", &reference, "--ifr", &reference, "tint"]);
    assert_eq!(no_repository.status, Some(1));
    orb.shutdown(true).unwrap();
}

#[test]
fn definitions_persist_across_restarts() {
    let idl = file("ifr-kept", "shop.idl", IDL);
    let state = folder("ifr-kept").join("definitions.ifr");
    let _ = std::fs::remove_file(&state);
    let state = state.to_str().unwrap();
    assert_eq!(Repository::start(&["--idl", &idl, "--state", state]).end(), Some(0));
    let repository = Repository::start(&["--state", state]);
    let (orb, reference) = counter(Some(&repository.reference));
    assert_eq!(run(&["call", &reference, "label"]).json(), json!("the counter"));
    orb.shutdown(true).unwrap();
    drop(repository);
    let other = file("ifr-kept", "other.ifr", "not definitions");
    let refused = run(&["ifr", "--state", &other]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("not a stored interface repository"), "{}", refused.stderr);
}

#[test]
fn clients_can_add_definitions_if_permitted() {
    let module = ["create_module", "IDL:New:1.0", "New", "1.0"];
    let ir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl/InterfaceRepository.idl");
    let call = |repository: &Repository, words: &[&str]| {
        run(&[&["call", &*repository.reference, "--idl", ir], words].concat())
    };
    let repository = Repository::start(&[]);
    assert_eq!(call(&repository, &module).json()["name"], "NO_PERMISSION");
    let repository = Repository::start(&["--writable"]);
    let made = call(&repository, &module);
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    assert_eq!(call(&repository, &["lookup", "New"]).json(), made.json());
    let repository = Repository::start(&["--writable", "-ORBServiceWriters", "CN=nobody"]);
    assert_eq!(call(&repository, &module).json()["name"], "NO_PERMISSION");
}

const COMPONENTS: &str = r#"
#include <Components.idl>
module Shop {
  interface Bell { void ring(); };
  exception NoKey {};
  eventtype Tick { public long n; };
  eventtype Tock : Tick { public string why; };
  component Door supports Bell {
    provides Bell front;
    uses multiple Bell others;
    publishes Tock closed;
    consumes Tick knock;
    attribute string name;
  };
  component Gate : Door { uses Bell own; };
  valuetype Key : Components::PrimaryKeyBase { public string id; };
  home Doors manages Door primarykey Key {
    factory open(in string name) raises (NoKey);
    finder wide(in long width);
  };
};
"#;

#[test]
fn components_are_read() {
    use zorb_ifr::corba::{self, DefinitionKind, component_ir};

    let idl = file("ifr-components", "doors.idl", COMPONENTS);
    let repository = Repository::start(&["--idl", &idl]);
    let orb = Orb::builder().without_environment().build().unwrap();
    let definitions: corba::Repository = orb.resolve(&repository.reference).unwrap();
    let find = |name: &str| definitions.lookup(name).unwrap().unwrap().as_object().clone();
    let gate: component_ir::ComponentDef = find("Shop::Gate").narrow().unwrap().unwrap();
    let door = gate.base_component().unwrap().unwrap();
    assert_eq!(door.supported_interfaces().unwrap().len(), 1);
    assert!(gate.is_a("IDL:Shop/Bell:1.0").unwrap());
    let described = gate.describe().unwrap();
    assert_eq!(described.kind, DefinitionKind::DkComponent);
    let described = described.value.get::<component_ir::ComponentDescription>().unwrap();
    assert_eq!(described.provided_interfaces[0].interface_type, "IDL:Shop/Bell:1.0");
    let used: Vec<_> =
        described.used_interfaces.iter().map(|port| (&*port.name, port.is_multiple)).collect();
    assert_eq!(used, [("others", true), ("own", false)]);
    assert_eq!(described.publishes_events[0].event, "IDL:Shop/Tock:1.0");
    assert_eq!((described.emits_events.len(), described.consumes_events.len()), (0, 1));
    assert_eq!(described.attributes[0].name, "name");
    // The operations of its ports.
    let full = door.describe_interface().unwrap();
    assert!(full.operations.iter().any(|operation| operation.name == "provide_front"));

    let closed: component_ir::PublishesDef = find("Shop::Door::closed").narrow().unwrap().unwrap();
    assert!(
        closed.is_a("IDL:Shop/Tick:1.0").unwrap() && !closed.is_a("IDL:Shop/Bell:1.0").unwrap()
    );
    let event = closed.event().unwrap().unwrap();
    assert_eq!(event.def_kind().unwrap(), DefinitionKind::DkEvent);
    assert_eq!(event.r#type().unwrap().kind(), zorb::TcKind::Event);
    let doors: component_ir::HomeDef = find("Shop::Doors").narrow().unwrap().unwrap();
    assert_eq!(doors.managed_component().unwrap(), Some(door));
    assert_eq!(doors.primary_key().unwrap().unwrap().name().unwrap(), "Key");
    assert!(doors.base_home().unwrap().is_none());
    let factories = doors.contents(DefinitionKind::DkFactory, true).unwrap();
    assert_eq!(factories[0].as_ref().unwrap().name().unwrap(), "open");
    let described = doors.describe().unwrap().value;
    // They include object references.
    let described = orb.extract::<component_ir::HomeDescription>(&described).unwrap();
    assert_eq!(described.factories[0].exceptions[0].id, "IDL:Shop/NoKey:1.0");
    assert_eq!(described.finders[0].result.kind(), zorb::TcKind::Component);
    assert_eq!(described.primary_key.id, "IDL:Shop/Key:1.0");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_repository_listens_at_the_loopback_interface_unless_told() {
    // With a tolerable fault, which is allowed.
    let text = "struct Gone;\ninterface Here { void go(); };\n";
    let idl = file("ifr-loopback", "gone.idl", text);
    let code = run(&["idl", "check", &idl]).stderr;
    let start = code.find("error[").unwrap() + "error[".len();
    let refused = run(&["ifr", "--idl", &idl]);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
    let repository =
        Repository::start_with(&["--idl", &idl, "--allow", &code[start..start + "E0000".len()]]);
    let json = run(&["ior", "--json", &repository.reference]).json();
    let profiles = json["profiles"].as_array().unwrap();
    let hosts: Vec<_> = profiles.iter().filter_map(|profile| profile["host"].as_str()).collect();
    assert_eq!(hosts, ["localhost"]);
    assert_eq!(repository.end(), Some(0));
}
