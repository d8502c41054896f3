//! The console by HTTP. `tests/report` opens its page in a browser.

use std::net::SocketAddr;

use serde_json::Value;
use zorb::{Interface as _, Orb};
use zorb_imr::command_line;
use zorb_imr::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_naming::cos_naming::{NameComponent, NamingContextExt};
use zorb_naming::name;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_service::Host;

use crate::support::{ask, builder, get};

/// A host with names and servers.
struct World {
    orb: Orb,
    host: Host,
    root: NamingContextExt,
    servers: ImplementationRepository,
    address: SocketAddr,
}

impl World {
    fn new() -> Self {
        let host = Host::new(builder().build().unwrap()).unwrap();
        let orb = host.orb().clone();
        let names = NamingService::serve(&orb, &NamingOptions::default()).unwrap();
        let servers = ImplementationRepository::serve(&orb, &ImrOptions::default()).unwrap();
        host.show_names(&names);
        host.show_servers(&servers);
        let address = host.serve_console("0").unwrap();
        host.start().unwrap();
        Self { root: names.root().unwrap(), servers, orb, host, address }
    }

    fn add(&self, server: &str) {
        let options = StartupOptions {
            command_line: command_line::join(&["server", "--password=secret"]),
            environment: vec![EnvironmentVariable { name: "A".into(), value: "secret".into() }],
            working_directory: String::new(),
            activation: ActivationMode::Manual,
            activator: String::new(),
            start_limit: 1,
        };
        self.servers.reference().add_or_update_server(server, &options).unwrap();
    }

    fn json(&self, path: &str) -> Value {
        let (status, text) = get(self.address, path);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The rows of all pages, and the number of pages.
    fn all(&self, path: &str) -> (Vec<Value>, usize) {
        let (mut rows, mut after, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let page = self.json(&format!("{path}after={after}"));
            rows.extend(page["rows"].as_array().unwrap().iter().cloned());
            pages += 1;
            match page["next"].as_str() {
                Some(next) => next.clone_into(&mut after),
                None => return (rows, pages),
            }
        }
    }

    fn end(self) {
        self.orb.shutdown(true).unwrap();
    }
}

#[test]
fn names_and_servers_come_in_pages() {
    let world = World::new();
    let state = world.json("/state");
    assert_eq!(state["not_ready"], Value::Null);
    let inner = world.root.bind_new_context(&name("plant.area").unwrap()).unwrap().unwrap();
    for number in 0..250 {
        let leaf = name(&format!("n{number:03}")).unwrap();
        inner.bind(&leaf, Some(inner.as_object())).unwrap();
    }
    let root = world.root.clone().into();
    inner.bind_context(&name("up").unwrap(), Some(&root)).unwrap();
    for number in 0..201 {
        world.add(&format!("Server{number:03}"));
    }
    let grown = world.json("/state");
    assert_eq!(grown["names"]["bindings"], 252);
    assert_eq!(grown["servers"]["servers"], 201);
    assert!(grown["names"]["changes"].as_u64() > state["names"]["changes"].as_u64());
    assert_eq!(grown["process"], state["process"]);

    let (roots, _) = world.all("/names?context=0&");
    let [plant] = &roots[..] else { panic!("{roots:?}") };
    assert_eq!((plant["id"].as_str(), plant["kind"].as_str()), (Some("plant"), Some("area")));
    let context = plant["context"].as_str().unwrap();
    let (rows, pages) = world.all(&format!("/names?context={context}&"));
    assert_eq!((rows.len(), pages), (251, 3), "at most 100 in a page");
    assert!((0..250).all(|number| rows[number]["id"] == format!("n{number:03}")));
    assert_eq!(rows[0]["context"], Value::Null);
    assert_eq!(rows[250]["context"], "0", "a loop, which the page shows as such");
    let (rows, pages) = world.all("/servers?");
    assert_eq!((rows.len(), pages), (201, 3));
    let first = &rows[0];
    assert_eq!(
        (first["state"].as_str(), first["mode"].as_str()),
        (Some("stopped"), Some("manual"))
    );
    let (_, text) = get(world.address, "/servers");
    assert!(!text.contains("secret"), "neither command lines nor environments: {text}");
    world.end();
}

#[test]
fn hostile_names_stay_text_of_a_limited_size() {
    let world = World::new();
    let hostile = "</script><script>alert(1)</script>\"\u{1}\u{2028}";
    let bind = |id: String| {
        let kind = String::new();
        world.root.bind(&[NameComponent { id, kind }], Some(world.root.as_object())).unwrap();
    };
    bind(hostile.to_owned());
    (0..150).for_each(|number| bind(format!("x{number:03}{}", "y".repeat(4000))));
    world.add(hostile);
    assert_eq!(world.json("/names?context=0")["rows"][0]["id"], hostile);
    assert_eq!(world.json("/servers")["rows"][0]["name"], hostile);
    let (status, text) = get(world.address, "/names?context=0");
    assert_eq!(status, 200);
    assert!(text.len() < 100 * 400, "{} octets", text.len());
    let page = world.json("/names?context=0");
    assert_eq!((&page["has_more"], &page["next"]), (&Value::Bool(true), &Value::Null));
    world.end();
}

#[test]
fn other_requests_are_refused() {
    let world = World::new();
    for (path, status) in [
        ("/names?context=7", 404),
        ("/names", 400),
        ("/names?context=x", 400),
        ("/names?context=0&after=0", 400),
        ("/servers?after=ff", 400),
        ("/metrics", 404),
    ] {
        assert_eq!(get(world.address, path).0, status, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let request = format!("{method} /state HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_eq!(ask(world.address, &request).0, 405, "{method}");
    }
    // Also where others may connect, a page of another site must not read it.
    let open = world.host.serve_console("0.0.0.0:0").unwrap();
    let local = SocketAddr::from(([127, 0, 0, 1], open.port()));
    for (host, status) in [("evil.example", 403), ("localhost:1", 200), ("192.0.2.7", 200)] {
        let request = format!("GET /state HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(ask(local, &request).0, status, "{host}");
    }
    world.end();
}

#[test]
fn the_page_executes_its_own_script_only() {
    let world = World::new();
    let pages = [(); 2].map(|()| get(world.address, "/").1);
    assert_ne!(pages[0], pages[1], "the nonce is another one each time");
    assert!(!pages[0].contains("NONCE"));
    // It needs nothing from elsewhere.
    assert!(
        !pages[0].contains("http:") && !pages[0].contains("https:") && !pages[0].contains("src=")
    );
    let (_, text) = ask(world.address, "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(text, "");
    world.end();
}

#[test]
fn a_host_without_services_has_a_page() {
    let host = Host::new(builder().build().unwrap()).unwrap();
    let address = host.serve_console("127.0.0.1:0").unwrap();
    let (status, text) = get(address, "/state");
    let state: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &state["names"], &state["servers"]), (200, &Value::Null, &Value::Null));
    assert!(state["not_ready"].is_string(), "{state}");
    assert_eq!(get(address, "/servers").0, 404);
    let next = Host::new(builder().build().unwrap()).unwrap();
    let other: Value =
        serde_json::from_str(&get(next.serve_console("0").unwrap(), "/state").1).unwrap();
    assert!(other["process"].is_string() && other["process"] != state["process"], "{other}");
    next.orb().shutdown(true).unwrap();
    host.serve_console(&address.to_string()).unwrap_err();
    host.orb().shutdown(true).unwrap();
}
