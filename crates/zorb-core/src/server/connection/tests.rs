use zorb_transport::conformance::Scripted;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

use super::super::sentinel::QUIET_LOOKS;
use super::*;
use crate::Orb;

/// A connection that the ORB's sentinel knows.
fn connection(orb: &Orb) -> Arc<ServerConnection> {
    let core = orb.core_for_tests();
    let protocol = InprocProtocol::new(InprocTransport::new());
    let silent = Arc::new(Scripted::new(|_| Ok(0), |_| Ok(None)));
    let connection = ServerConnection::new(core, &protocol, silent);
    assert!(core.sentinel().watch(&connection, 10));
    connection
}

/// An upcall of the connection, up to its end.
fn upcall(connection: &Arc<ServerConnection>) {
    begin(connection);
    assert!(connection.parked.take().is_some());
    Upcall::end();
}

fn begin(connection: &Arc<ServerConnection>) {
    connection.park(
        Reading::new(Inbound::new(Limits::default()), zorb_giop::ServerConnection::new()),
        false,
    );
}

#[test]
fn the_sentinel_looks_after_connections_in_use_alone() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let sentinel = orb.core_for_tests().sentinel();
    let [one, other] = [connection(&orb), connection(&orb)];
    assert_eq!(sentinel.look(), 0, "nobody has called");
    upcall(&one);
    for _ in 0..QUIET_LOOKS {
        upcall(&other);
        upcall(&other);
        assert_eq!(sentinel.look(), 2);
    }
    assert_eq!(sentinel.look(), 1, "one has been quiet for long");
    upcall(&one);
    assert_eq!(sentinel.look(), 2);
    for _ in 0..=QUIET_LOOKS {
        sentinel.look();
    }
    assert_eq!(sentinel.look(), 0);
    // Two of whom nothing is to be expected any more.
    upcall(&one);
    sentinel.forget(&one);
    upcall(&one);
    assert_eq!(sentinel.look(), 0);
}

#[test]
fn an_upcall_that_goes_on_is_not_lost_sight_of() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let one = connection(&orb);
    upcall(&one);
    let seen = one.upcalls.load(Ordering::Relaxed);
    begin(&one);
    assert!(!one.let_go(seen), "it has begun since");
    assert!(!one.let_go(seen + 1), "it goes on");
    assert!(one.looked_after.load(Ordering::Relaxed));
    assert!(one.parked.take().is_some());
    assert!(one.let_go(seen + 1));
    assert!(!one.looked_after.load(Ordering::Relaxed));
}
