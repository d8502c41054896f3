//! The longest wait of a call includes sending its request.

use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::multiplexed::tests::{Recorder, request};

/// A connection over which the server has closed its direction.
fn connection(longest: Duration) -> ExclusiveConnection {
    let mut receiving = Receiving::new(&Options::default(), &PeerShares::new(process_budget(), 0));
    receiving.longest_wait = Some(longest);
    ExclusiveConnection::new(NewConnection {
        stream: Arc::new(Recorder::default()),
        session: ClientSession::with_messaging(None, false),
        messaging: None,
        receiving: &receiving,
        copy_threshold: usize::MAX,
        counted: Counts { of_clients: ConnectionCount::of_clients().enter(), of_upcalls: None },
    })
}

/// Sends a request of as many octets in a call that began long ago, and waits for its reply.
fn call(connection: &mut ExclusiveConnection, octets: usize) -> NoReply {
    connection.begun = LastReceived::long_ago();
    let begun = connection.begin(&NewRequest { deadline: None, ..request(None) }, None).unwrap();
    connection.outgoing.octets_mut().resize(octets, 0);
    connection.send(&begun, &TimeLimit::NONE, None).unwrap();
    connection.receive(&TimeLimit::NONE).unwrap_err()
}

#[test]
fn a_call_whose_request_took_long_does_not_wait_as_long_again_for_its_reply() {
    let runs = Duration::MAX - LastReceived::long_ago().left_of(Duration::MAX);
    for octets in [SHORT + 1, 1 << 20] {
        let reply = call(&mut connection(runs / 2), octets);
        assert!(matches!(reply, NoReply::TimedOut), "{reply:?}");
    }
    // It reads no clock where the system took the request at once.
    let mut connection = connection(runs / 2);
    assert!(matches!(call(&mut connection, SHORT), NoReply::Lost(_)));
    // Behind one that was not answered, it may have waited.
    assert!(matches!(call(&mut connection, SHORT), NoReply::TimedOut));
}
