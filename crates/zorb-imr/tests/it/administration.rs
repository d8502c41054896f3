//! The operations for tools.

use zorb::SystemExceptionKind;
use zorb_imr::implementation_repository::administration::{
    ActivateServerError, RemoveServerError, ServerIsRunningError,
};
use zorb_imr::implementation_repository::{ActivationMode, StartupOptions};

use crate::support::{World, options, settings};

#[test]
fn the_names_of_linked_servers_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_servers = 2;
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    world.add("Shop", &options("Shop"));
    for name in [String::new(), "x".repeat(1025)] {
        world.repository.link_servers("Shop", &[name]).unwrap_err();
    }
    world.repository.link_servers("Shop", &["Bank".to_owned()]).unwrap();
    world.repository.link_servers("Shop", &["Bank".to_owned()]).unwrap();
    world.repository.link_servers("Shop", &["More".to_owned()]).unwrap_err();
    assert_eq!(world.statistics().servers, 2);
}

#[test]
fn replies_with_servers_are_limited() {
    let world = World::new();
    for number in 0..1200 {
        world.add(&format!("Shop{number}"), &options("Shop"));
    }
    let (listed, rest) = world.repository.list(0, false).unwrap();
    assert_eq!(listed.len(), 1000);
    let rest = rest.unwrap();
    assert_eq!(rest.next_n(0).unwrap().1.len(), 200);
    rest.destroy().unwrap();
    // The next one is another one.
    let (_, next) = world.repository.list(1, false).unwrap();
    rest.next_n(1).unwrap_err();
    let (more, listed) = next.unwrap().next_n(u32::MAX).unwrap();
    assert_eq!((more, listed.len()), (true, 1000));
}

#[test]
fn the_octets_of_replies_with_servers_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_listed_octets = 4000;
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    let mut long = options("Shop");
    long.environment[0].value = "x".repeat(1500);
    for number in 0..7 {
        world.add(&format!("Shop{number}"), &long);
    }
    let (listed, rest) = world.repository.list(0, false).unwrap();
    assert_eq!(listed.len(), 3);
    let rest = rest.unwrap();
    let lengths: Vec<_> = (0..3).map(|_| rest.next_n(0).unwrap().1.len()).collect();
    assert_eq!(lengths, [3, 1, 0]);
    assert_eq!(world.repository.status("Shop4", 100).unwrap().len(), 2);
    long.environment[0].value = "x".repeat(6000);
    world.add("Large", &long);
    assert_eq!(world.repository.status("", 100).unwrap().len(), 1, "there is at least one");
    let address = format!("corbaloc:iiop:1.2@127.0.0.1:1/{}", "x".repeat(65_536));
    world.repository.server_is_running("Plain", &address, None).unwrap_err();
}

#[test]
fn tools_read_and_change_what_there_is() {
    let world = World::new();
    for number in 0..5 {
        world.add(&format!("Server{number}"), &options("x"));
    }
    let mut changed = options("x");
    changed.activation = ActivationMode::Manual;
    world.add("Server3", &changed);
    assert_eq!(world.repository.find("Server3").unwrap().startup, changed);
    assert_eq!(world.repository.find("Nobody").unwrap().server, "");
    let (listed, iterator) = world.repository.list(2, false).unwrap();
    let iterator = iterator.unwrap();
    let (more, rest) = iterator.next_n(0).unwrap();
    let names: Vec<_> = listed.iter().chain(&rest).map(|it| it.server.as_str()).collect();
    assert_eq!(names, ["Server0", "Server1", "Server2", "Server3", "Server4"]);
    assert!(more && !iterator.next_n(1).unwrap().0);
    iterator.destroy().unwrap();
    assert!(iterator.next_n(1).is_err());
    assert!(world.repository.list(0, true).unwrap().1.is_none());
    let missing = world.repository.remove_server("Nobody").unwrap_err();
    assert!(matches!(missing, RemoveServerError::NotFound(_)));
    let missing = world.repository.activate_server("Nobody").unwrap_err();
    assert!(matches!(missing, ActivateServerError::NotFound(_)));
    world.repository.remove_server("Server0").unwrap();
    assert_eq!(world.statistics().servers, 4);
    let mut cannot = options("x");
    cannot.command_line = "/bin/false".to_owned();
    cannot.start_limit = 1;
    world.add("Server1", &cannot);
    match world.repository.activate_server("Server1").unwrap_err() {
        ActivateServerError::CannotActivate(why) => {
            assert!(why.reason.contains("before it registered"), "{}", why.reason);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_administrators_change_servers() {
    let world = World::new();
    world.service.set_write_check(|| {
        let (code, no) = (zorb::MinorCode::NONE, zorb::CompletionStatus::No);
        match zorb::Caller::current() {
            Some(_) => Err(zorb::SystemException::no_permission(code, no)),
            None => Ok(()),
        }
    });
    let denied = world.repository.add_or_update_server("Shop", &options("Shop")).unwrap_err();
    assert_eq!(zorb::SystemException::from(denied).kind, SystemExceptionKind::NoPermission);
    let partial = "corbaloc:iiop:1.2@127.0.0.1:1/";
    let denied = world.repository.server_is_running("Shop", partial, None).unwrap_err();
    let ServerIsRunningError::System(denied) = denied else { panic!("{denied:?}") };
    assert_eq!(denied.kind, SystemExceptionKind::NoPermission);
    assert_eq!(world.repository.list(0, false).unwrap().0.len(), 0);
    // The program that contains the repository may.
    let own = world.service.reference();
    own.add_or_update_server("Shop", &options("Shop")).unwrap();
    own.add_or_update_server("Store", &options("Shop")).unwrap();
    assert_eq!(world.statistics().servers, 2);
    // Others do not see environments, which may contain passwords.
    let hidden = |startup: &StartupOptions| startup.environment.is_empty();
    for (repository, hides) in [(&world.repository, true), (&own, false)] {
        assert_eq!(hidden(&repository.find("Shop").unwrap().startup), hides);
        let (listed, rest) = repository.list(1, false).unwrap();
        assert_eq!(hidden(&listed[0].startup), hides);
        assert_eq!(hidden(&rest.unwrap().next_n(1).unwrap().1[0].startup), hides);
        assert_eq!(hidden(&repository.status("", 1).unwrap()[0].startup), hides);
    }
}
