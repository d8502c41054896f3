//! Processes that fork without executing a program.

use zorb_core::{Error, Orb};
use zorb_os::process::run_in_forked_child;
use zorb_os::thread::run_on_foreign;
use zorb_testkit::in_own_process;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::held::STRATEGIES;
use crate::support::{Acting, Echo, Servant, Served, builder, client, served_by};

/// An ORB with an object, and another one's view of it.
fn server_and_client() -> (Orb, Echo, Orb, Echo) {
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let here: Echo = server.root_poa().activate(Servant::default()).unwrap();
    let (client, there) = client(&here);
    (server, here, client, there)
}

fn assert_refused(exception: &SystemException) {
    assert_eq!(exception.kind, SystemExceptionKind::BadInvOrder, "{exception}");
    assert_eq!(exception.minor, minor::bad_inv_order::FORKED_CHILD, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No, "{exception}");
}

#[test]
fn a_forked_child_can_use_no_orb_and_does_not_disturb_its_parent() {
    let name = "fork::a_forked_child_can_use_no_orb_and_does_not_disturb_its_parent";
    in_own_process(name, || {
        let (server, here, client, there) = server_and_client();
        assert_eq!((here.twice(1), there.twice(1)), (Ok(2), Ok(2)));
        let ended = run_in_forked_child(|| {
            assert_refused(&here.twice(2).unwrap_err());
            assert_refused(&there.twice(2).unwrap_err());
            assert_refused(&there.note(2).unwrap_err());
            let refused = |ended: Result<(), Error>| {
                assert_refused(&SystemException::from(ended.unwrap_err()));
            };
            refused(server.serve());
            refused(server.run());
            refused(server.run_until_signal());
            refused(server.perform_work().map(drop));
            refused(server.shutdown(true));
            refused(server.shutdown(false));
            refused(client.destroy());
            refused(client.resolve::<Echo>("corbaloc::127.0.0.1:1/none").map(drop));
            refused(builder().build().map(drop));
            0
        });
        assert_eq!(ended.unwrap(), 0);
        assert_eq!((here.twice(3), there.twice(3)), (Ok(6), Ok(6)));
        client.destroy().unwrap();
        server.destroy().unwrap();
    });
}

/// The upcall's thread is the one that the child has. The child writes nothing to the client's connection, whose descriptor
/// it has, too.
#[test]
fn a_servant_or_a_foreign_thread_forks_while_others_call() {
    let name = "fork::a_servant_or_a_foreign_thread_forks_while_others_call";
    in_own_process(name, || {
        for strategy in STRATEGIES {
            let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
            let Served { policies, pool: _pool, .. } = served_by(&orb, strategy, 1);
            let poa = orb.root_poa().create("forking", policies).unwrap();
            let other: Echo = poa.activate(Acting(Ok)).unwrap();
            let (of_others, there) = client(&other);
            let fork = {
                let (orb, other, there) = (orb.clone(), other.clone(), there.clone());
                move || {
                    run_in_forked_child(|| {
                        assert_refused(&other.twice(1).unwrap_err());
                        assert_refused(&there.twice(1).unwrap_err());
                        assert_refused(&SystemException::from(orb.shutdown(false).unwrap_err()));
                        0
                    })
                    .unwrap()
                }
            };
            let forking: Echo = poa
                .activate(Acting({
                    let fork = fork.clone();
                    move |value| Ok(value + fork())
                }))
                .unwrap();
            let (_client, forks) = client(&forking);
            std::thread::scope(|scope| {
                // On a thread of the lane, on one of the program, and on foreign ones: in upcalls, and outside of them.
                let forks = scope.spawn(|| {
                    for value in 0..5 {
                        assert_eq!(forks.twice(value), Ok(value), "{strategy:?}");
                        assert_eq!(forking.twice(value), Ok(value), "{strategy:?}");
                        run_on_foreign(|| {
                            assert_eq!(forking.twice(value), Ok(value), "{strategy:?}");
                            assert_eq!(fork(), 0, "{strategy:?}");
                        })
                        .unwrap();
                    }
                });
                while !forks.is_finished() {
                    assert_eq!(there.twice(7), Ok(7), "{strategy:?}");
                }
            });
            of_others.shutdown(true).unwrap();
            orb.shutdown(true).unwrap();
        }
    });
}

#[test]
fn a_process_that_forks_before_it_builds_an_orb_can_use_one_in_parent_and_child() {
    let name = "fork::a_process_that_forks_before_it_builds_an_orb_can_use_one_in_parent_and_child";
    in_own_process(name, || {
        let serve_and_call = || {
            let (server, here, client, there) = server_and_client();
            assert_eq!((here.twice(1), there.twice(1)), (Ok(2), Ok(2)));
            client.shutdown(true).unwrap();
            server.shutdown(true).unwrap();
            0
        };
        assert_eq!(run_in_forked_child(serve_and_call).unwrap(), 0);
        assert_eq!(serve_and_call(), 0);
    });
}
