//! Input that nobody should send.

use zorb::{Interface as _, SystemExceptionKind};
use zorb_imr::implementation_repository::administration::AddOrUpdateServerError;
use zorb_testkit::until;

use crate::support::{World, options, settings};

fn kind(error: impl Into<zorb::SystemException>) -> SystemExceptionKind {
    error.into().kind
}

#[test]
fn names_and_definitions_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_servers = 2;
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    let add = |name: &str, command: &str| {
        let mut options = options("x");
        options.command_line = command.to_owned();
        world.repository.add_or_update_server(name, &options)
    };
    for name in ["", &"n".repeat(1 << 20)] {
        assert_eq!(kind(add(name, "x").unwrap_err()), SystemExceptionKind::BadParam);
    }
    assert_eq!(kind(add("a", "'x").unwrap_err()), SystemExceptionKind::BadParam);
    assert_eq!(kind(add("a", &"x".repeat(1 << 20)).unwrap_err()), SystemExceptionKind::ImpLimit);
    add("a", "x").unwrap();
    add("b", "x").unwrap();
    add("b", "y").unwrap();
    let full: AddOrUpdateServerError = add("c", "x").unwrap_err();
    assert_eq!(kind(full), SystemExceptionKind::ImpLimit);
    let partial = "corbaloc:iiop:1.2@127.0.0.1:1/";
    let full = world.repository.server_is_running("d", partial, None).unwrap_err();
    assert_eq!(kind(full), SystemExceptionKind::ImpLimit);
    for number in [0, 1 << 20] {
        let choice = zorb_imr::server_repository::Selection::RoundRobin;
        assert!(world.repository.set_instances("a", number, choice).is_err());
    }
}

#[test]
fn addresses_are_no_other_urls() {
    let world = World::new();
    for partial in ["", "file:///etc/passwd", "corbaname::127.0.0.1:1#a", "corbaloc:rir:", "IOR:00"]
    {
        let refused = world.repository.server_is_running("Shop", partial, None).unwrap_err();
        assert_eq!(kind(refused), SystemExceptionKind::BadParam, "{partial}");
    }
    assert_eq!(world.statistics().servers, 0);
}

#[test]
fn requests_for_a_server_that_does_not_start_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    let mut sleeps = options("Shop");
    sleeps.command_line = "sleep 1000".to_owned();
    world.add("Shop", &sleeps);
    let most = world.server.options().max_held_requests.div_ceil(2);
    let tellers: Vec<_> = (0..most).map(|_| world.teller("Shop")).collect();
    std::thread::scope(|scope| {
        for teller in &tellers {
            scope.spawn(move || teller.twice(1).unwrap_err());
        }
        until(|| world.statistics().waiting == most);
        let refused = world.teller("Shop").twice(1).unwrap_err();
        assert_eq!(refused.minor, zorb::minor::transient::QUEUE_FULL);
        world.repository.remove_server("Shop").unwrap();
    });
    until(|| world.statistics().starting == 0);
}

#[test]
fn unused_iterators_expire() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_iterator_lifetime = std::time::Duration::ZERO;
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    for name in ["a", "b"] {
        world.add(name, &options("x"));
    }
    let iterator = world.repository.list(1, false).unwrap().1.unwrap();
    assert!(iterator.as_object().non_existent().unwrap());
    assert_eq!(kind(iterator.next_n(1).unwrap_err()), SystemExceptionKind::ObjectNotExist);
    assert_eq!(kind(iterator.destroy().unwrap_err()), SystemExceptionKind::ObjectNotExist);
}

#[test]
fn forgotten_iterators_are_destroyed() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_iterators = 3;
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    for name in ["a", "b"] {
        world.add(name, &options("x"));
    }
    let iterators: Vec<_> =
        (0..10).map(|_| world.repository.list(1, false).unwrap().1.unwrap()).collect();
    let alive = iterators.iter().filter(|iterator| iterator.next_n(1).is_ok()).count();
    assert_eq!(alive, 3);
}
