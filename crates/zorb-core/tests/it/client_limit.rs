//! The limit of the connections that the clients of a process have open.

use std::sync::Arc;

use crate::failover::{Network, Over};
use crate::support::{Echo, Servant, builder, server, until};
use zorb_core::Orb;
use zorb_os::clock::MonotonicTime;
use zorb_tcp::IiopProtocol;
use zorb_testkit::{WithTransport, in_own_process};
use zorb_types::{CompletionStatus, minor};

/// Two clients over a network, with objects at these servers, that together may have three connections.
fn clients(
    servers: &[(Orb, Echo)],
    calls: &str,
    time: &str,
) -> ([Orb; 2], Arc<Network>, [Vec<Echo>; 2]) {
    let network = Arc::<Network>::default();
    let orbs = [(); 2].map(|()| {
        let over = WithTransport::new(IiopProtocol::new(), Over(Arc::clone(&network)));
        let orb = Orb::builder().without_environment().protocol(Arc::new(over));
        let orb = orb.option("MaxClientConnections", "3").option("MaxCallsPerConnection", calls);
        orb.option("ConnectTimeout", time).option("MaxConnectTime", time).build().unwrap()
    });
    let objects = orbs.each_ref().map(|orb| {
        let resolve =
            |(_, echo): &(Orb, Echo)| orb.resolve(&echo.object().to_ior_string()).unwrap();
        servers.iter().map(resolve).collect()
    });
    (orbs, network, objects)
}

/// Calls once the clock that orders the uses of connections has advanced.
fn call(echo: &Echo) {
    let before = MonotonicTime::coarse();
    until(|| MonotonicTime::coarse() > before);
    assert_eq!(echo.twice(1), Ok(2));
}

#[test]
fn the_connection_that_no_call_has_used_for_longest_makes_room() {
    let name = "client_limit::the_connection_that_no_call_has_used_for_longest_makes_room";
    in_own_process(name, || {
        let servers: Vec<_> = (0..4).map(|_| server()).collect();
        let endpoints: Vec<_> = servers.iter().map(|(orb, _)| orb.endpoints()[0].clone()).collect();
        for calls in ["1", "4"] {
            let (orbs, network, [first, second]) = clients(&servers, calls, "60000");
            let connects = |echo: &Echo| {
                call(echo);
                let attempts = network.take_attempts();
                attempts
                    .iter()
                    .map(|it| endpoints.iter().position(|at| at == it).unwrap())
                    .collect::<Vec<_>>()
            };
            assert_eq!([0, 1].map(|at| connects(&first[at])), [[0], [1]]);
            assert_eq!(connects(&second[2]), [2]);
            // Used again, it is not the next.
            assert!(connects(&first[0]).is_empty());
            assert_eq!(connects(&second[3]), [3]);
            assert!(connects(&first[0]).is_empty());
            assert!(connects(&second[2]).is_empty());
            assert_eq!(connects(&first[1]), [1]);
            // Now that of the other client was the oldest.
            assert!(connects(&second[2]).is_empty());
            assert!(connects(&first[0]).is_empty());
            assert_eq!(connects(&second[3]), [3]);
            orbs.iter().for_each(|orb| orb.shutdown(true).unwrap());
        }
    });
}

#[test]
fn calls_wait_for_a_connection_while_others_use_all() {
    let name = "client_limit::calls_wait_for_a_connection_while_others_use_all";
    in_own_process(name, || {
        for calls in ["1", "4"] {
            let servers = [(); 4].map(|()| {
                let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
                let servant = Arc::new(Servant::default());
                let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
                (orb, echo)
            });
            let (_orbs, network, [patient, _]) = clients(&servers, calls, "60000");
            let (_others, other_network, [hasty, _]) = clients(&servers, calls, "1");
            std::thread::scope(|scope| {
                let running: Vec<_> =
                    patient[..3].iter().map(|there| scope.spawn(|| there.wait_for(1))).collect();
                until(|| network.attempts().len() == 3);
                // No connection is idle: the new call is refused, and no connection in use is closed.
                let refused = hasty[3].twice(1).unwrap_err();
                assert_eq!(refused.minor, minor::transient::NO_FREE_CONNECTION);
                assert_eq!(refused.completed, CompletionStatus::No);
                assert!(other_network.attempts().is_empty());
                let waits = scope.spawn(|| patient[3].twice(2));
                assert_eq!(network.attempts().len(), 3);
                servers[1].1.note(1).unwrap();
                assert_eq!(waits.join().unwrap(), Ok(4));
                assert_eq!(network.attempts().len(), 4);
                [0, 2].iter().for_each(|&at: &usize| servers[at].1.note(1).unwrap());
                running.into_iter().for_each(|call| assert_eq!(call.join().unwrap(), Ok(())));
            });
            servers.iter().for_each(|(orb, _)| orb.shutdown(true).unwrap());
        }
    });
}
