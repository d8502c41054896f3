//! Servers that register without having been started.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use zorb::codegen::{Served, ServedBy, ServerCall};
use zorb::giop::Ior;
use zorb::poa::{PoaError, PoaPolicies};
use zorb::{
    CompletionStatus, Interface as _, MinorCode, Orb, SystemException, SystemExceptionKind,
};
use zorb_imr::implementation_repository::{Administration, ServerActiveStatus};
use zorb_testkit::until;

use crate::support::{Teller, TellerServant, World, options};

struct Local;

impl TellerServant for Local {
    fn twice(&self, value: i32) -> zorb::Result<i32> {
        Ok(value * 2)
    }

    fn process(&self) -> zorb::Result<u32> {
        Ok(0)
    }
}

/// A server in this process, which registers by the option `UseImr`.
fn registered(world: &World, adapter: &str) -> (Orb, Teller) {
    let url = format!("corbaloc::1.2@{}/ImplRepoService", world.address());
    let orb = crate::support::orb()
        .listen("iiop://127.0.0.1:0")
        .init_ref("ImplRepoService", &url)
        .use_imr(true)
        .build()
        .unwrap();
    let policies = PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create(adapter, policies).unwrap();
    let teller: Teller = poa.activate_with_id("one", Local).unwrap();
    orb.serve().unwrap();
    let text = teller.as_object().to_ior_string();
    (orb, world.client.resolve(&text).unwrap())
}

#[test]
fn the_end_of_a_replaced_server_is_not_that_of_its_successor() {
    let world = World::new();
    let (first, _) = registered(&world, "Shop");
    let (second, teller) = registered(&world, "Shop");
    assert_eq!(world.statistics().running, 1, "the second one replaces the first");
    first.shutdown(true).unwrap();
    assert_eq!(world.statistics().running, 1);
    assert_eq!(teller.twice(4).unwrap(), 8);
    second.shutdown(true).unwrap();
    assert_eq!(world.statistics().running, 0);
}

#[test]
fn the_end_of_a_removed_server_is_not_that_of_its_successor() {
    let world = World::new();
    let (first, _) = registered(&world, "Shop");
    world.repository.remove_server("Shop").unwrap();
    world.add("Shop", &options("Shop"));
    let teller = world.teller("Shop");
    let process = teller.process().unwrap();
    first.shutdown(true).unwrap();
    assert_eq!(world.statistics().running, 1);
    assert_eq!(world.teller("Shop").process().unwrap(), process);
    assert_eq!(world.statistics().starts, 1);
}

#[test]
fn servers_of_tao_are_forwarded_to() {
    let world = World::new();
    // The key of an object of TAO, published by a server that registers as TAO's do.
    let key =
        "\x14\x01\x0f\0NUP\0\0\0\x1a\0\0\0\0\x01\0\0\0RootPOA\0child_poa\0\0\0\0\0\x01\0\0\0Grid";
    let server = crate::support::orb().listen("iiop://127.0.0.1:0").build().unwrap();
    let served: Teller = server.root_poa().activate(Local).unwrap();
    server.publish(key, &served).unwrap();
    server.serve().unwrap();
    let address = server.endpoints().remove(0).trim_start_matches("iiop://").to_owned();
    let url = format!("corbaloc::1.2@{}/{}", world.address(), zorb::giop::Escaped(key.as_bytes()));
    let new = || world.client.string_to_object(&url).unwrap().unwrap().unchecked_narrow();
    for name in ["child_poa", "grid:child_poa"] {
        let partial = format!("corbaloc:iiop:1.2@{address}/");
        world.repository.server_is_running(name, &partial, None).unwrap();
        let forwards = world.statistics().forwards;
        let teller: Teller = new();
        assert_eq!(teller.twice(4).unwrap(), 8, "{name}");
        assert_eq!(world.statistics().forwards, forwards + 1);
        // TAO leaves out what `-ORBServerId` says.
        world.repository.server_is_shutting_down("child_poa").unwrap();
        assert_eq!(world.statistics().running, 0);
        world.repository.remove_server(name).unwrap();
    }
    let teller: Teller = new();
    let gone = teller.twice(4).unwrap_err();
    assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
    server.shutdown(true).unwrap();
}

/// A repository that counts calls, and refuses to hear of the end of servers.
#[derive(Debug, Default)]
struct Busy {
    names: Mutex<Vec<String>>,
    shutdown_reports: AtomicUsize,
}

impl ServedBy<Busy> for Administration {
    fn dispatch(servant: &Busy, call: &mut ServerCall<'_>) -> Served {
        let name = call.argument::<String>()?;
        if call.operation() == b"server_is_shutting_down" {
            servant.shutdown_reports.fetch_add(1, Ordering::SeqCst);
            return Err(SystemException::transient(MinorCode::NONE, CompletionStatus::No));
        }
        let _ = (call.argument::<String>()?, call.argument::<Ior>()?);
        if name == "Refused" {
            return Err(SystemException::no_permission(MinorCode::NONE, CompletionStatus::No));
        }
        servant.names.lock().unwrap().push(name.into_owned());
        call.done()
    }
}

/// A server whose adapters register in a busy repository.
struct Registering {
    repository: Orb,
    busy: Arc<Busy>,
    server: Orb,
}

impl Registering {
    fn start() -> Self {
        let repository = crate::support::orb().listen("iiop://127.0.0.1:0").build().unwrap();
        let busy = Arc::new(Busy::default());
        let served: Administration = repository.root_poa().activate_shared(&busy).unwrap();
        repository.serve().unwrap();
        let server = crate::support::orb()
            .listen("iiop://127.0.0.1:0")
            .init_ref("ImplRepoService", &served.to_ior_string())
            .use_imr(true)
            .build()
            .unwrap();
        Self { repository, busy, server }
    }
}

#[test]
fn adapters_of_several_threads_register_once_and_report_their_shutdown_in_vain_once() {
    let names: Vec<String> = (0..8).map(|number| format!("Adapter{number}")).collect();
    let Registering { repository, busy, server } = Registering::start();
    server.serve().unwrap();
    std::thread::scope(|scope| {
        for name in &names {
            let policies = PoaPolicies::new().persistent().user_ids();
            let root = server.root_poa();
            scope.spawn(move || root.create(name, policies).unwrap());
        }
    });
    server.shutdown(true).unwrap();
    let mut registered = busy.names.lock().unwrap().clone();
    registered.sort();
    assert_eq!(registered, names);
    assert_eq!(busy.shutdown_reports.load(Ordering::SeqCst), 1, "the others would fail, too");
    repository.shutdown(true).unwrap();
}

#[test]
fn an_adapter_that_cannot_register_does_not_take_others_along() {
    let Registering { repository, busy, server } = Registering::start();
    let policies = || PoaPolicies::new().persistent().user_ids();
    let root = server.root_poa();
    for name in ["Bank", "Refused", "Shop"] {
        root.create(name, policies()).unwrap();
    }
    let refused = server.serve().unwrap_err();
    assert!(refused.to_string().contains("Refused"), "{refused}");
    let causes = zorb::Report(&refused).to_string();
    assert!(causes.contains(&repository.endpoints()[0]), "{causes}");
    let registered = || {
        let mut names = busy.names.lock().unwrap().clone();
        names.sort();
        names
    };
    assert_eq!(registered(), ["Bank", "Shop"]);
    root.create("Orders", policies()).unwrap();
    assert_eq!(registered(), ["Bank", "Orders", "Shop"]);
    root.find("Refused").unwrap().destroy_with(true, true).unwrap();
    match root.create("Refused", policies()).unwrap_err() {
        PoaError::System(exception) => {
            assert_eq!(exception.kind, SystemExceptionKind::Initialize, "{exception}");
        }
        other => panic!("{other}"),
    }
    assert_eq!(root.find("Refused").unwrap_err(), PoaError::AdapterNonExistent);
    server.shutdown(true).unwrap();
    repository.shutdown(true).unwrap();
}

#[test]
fn servers_register_without_having_been_added() {
    let world = World::new();
    let (server, teller) = registered(&world, "Shop");
    assert_eq!(teller.twice(4).unwrap(), 8);
    assert_eq!(world.statistics().forwards, 1);
    let information = world.repository.find("Shop").unwrap();
    assert_eq!(information.active_status, ServerActiveStatus::ActiveMaybe);
    assert!(information.partial_ior.starts_with("corbaloc:iiop:1.2@127.0.0.1:"));
    assert!(information.partial_ior.ends_with('/'));
    server.shutdown(true).unwrap();
    assert_eq!(world.statistics().running, 0, "it has reported its shutdown");
    assert_eq!(teller.twice(4).unwrap_err().kind, SystemExceptionKind::Transient);
    let (again, _) = registered(&world, "Shop");
    assert_eq!(teller.twice(4).unwrap(), 8, "the first reference");
    again.shutdown(true).unwrap();
}

#[test]
fn adapters_that_are_created_later_register_as_well() {
    let world = World::new();
    let (server, _) = registered(&world, "Shop");
    let policies = || PoaPolicies::new().persistent().user_ids();
    let later = server.root_poa().create("Orders", policies()).unwrap();
    let _: Teller = later.activate_with_id("one", Local).unwrap();
    assert_eq!(world.teller("Orders").twice(1).unwrap(), 2);
    // Those below them belong to them, and transient ones need no repository.
    later.create("Inner", policies()).unwrap();
    let transient = server.root_poa().create("Now", PoaPolicies::new()).unwrap();
    let now: Teller = transient.activate(Local).unwrap();
    assert!(!now.as_object().to_ior_string().is_empty());
    assert_eq!(world.statistics().servers, 2);
    server.shutdown(true).unwrap();
}

#[test]
fn a_server_that_cannot_register_does_not_serve() {
    let orb = crate::support::orb().listen("iiop://127.0.0.1:0").use_imr(true).build().unwrap();
    let policies = PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create("Shop", policies).unwrap();
    let failed = poa.activate_with_id::<_, Teller>("one", Local).unwrap_err();
    assert!(format!("{failed:?}").contains("ImplRepoService"), "{failed:?}");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_server_that_does_not_answer_is_forgotten() {
    let world = World::new();
    let partial = "corbaloc:iiop:1.2@127.0.0.1:1/";
    world.repository.server_is_running("Plain", partial, None).unwrap();
    assert_eq!(world.repository.find("Plain").unwrap().partial_ior, partial);
    let (server, teller) = registered(&world, "Shop");
    assert_eq!(teller.twice(1).unwrap(), 2);
    // Its object is gone, as if the process were, and nobody has told the repository.
    server.root_poa().find("zorb::ServerObject").unwrap().destroy();
    until(|| world.status("Shop").running.is_empty());
    server.shutdown(true).unwrap();
}
