//! Peers and streams that stop halfway, and peers that send what nobody has asked for.

use super::role::Role;
use super::*;

fn more(octets: &[u8]) -> Vec<u8> {
    let mut octets = octets.to_vec();
    octets[6] |= 2;
    octets
}

#[test]
fn a_receiver_that_goes_no_longer_delays_the_others() {
    for drops in [true, false] {
        let (left, right) = inproc::pair(1 << 16);
        let connection = Connection::start(right, None, Duration::from_secs(3600)).unwrap();
        let server = half::Half::stream(Arc::clone(&connection), Role::Server(0));
        let caller = half::client(&connection).unwrap();
        caller.send_all(&call(0)).unwrap();
        assert_eq!(id_of(&next(&left)), 1);
        let body = [&1_u32.to_ne_bytes()[..], &vec![0; PIPE]].concat();
        left.send_all(&message(MessageKind::Reply, &body)).unwrap();
        left.send_all(&call(2)).unwrap();
        let mut state = connection.state.lock();
        while state.clients[0].1.octets.len() < PIPE {
            state = connection.changed.wait(state);
        }
        drop(state);
        if drops {
            drop(caller);
        } else {
            caller.shutdown(Shutdown::Both).unwrap();
        }
        assert_eq!(next(&server), call(2));
    }
}

#[test]
fn a_cancelled_request_has_no_more_fragments() {
    let Pair { client, accepted: _accepted, server, .. } = pair();
    for id in (0..200_u32).step_by(2) {
        let cancel = message(MessageKind::CancelRequest, &id.to_ne_bytes());
        client.send_all(&more(&call(id))).unwrap();
        client.send_all(&cancel).unwrap();
        assert_eq!([next(&server), next(&server)], [more(&call(id)), cancel]);
    }
    client.send_all(&call(200)).unwrap();
    assert_eq!(next(&server), call(200));
}

#[test]
fn a_message_that_stays_incomplete_ends_the_connection() {
    for drops in [true, false] {
        let (left, right) = inproc::pair(64);
        let (sender, requests): (Sender<Arc<dyn Stream>>, _) = channel();
        let client = half::opened(left, move |stream| sender.send(stream).is_ok()).unwrap();
        right.send_all(&call(1)).unwrap();
        let called = requests.recv().unwrap();
        let long = message(MessageKind::Reply, &[&1_u32.to_ne_bytes()[..], &[7; 200]].concat());
        assert_eq!(called.try_send(&long).unwrap(), 64);
        assert!(!client.is_readable());
        if drops {
            drop(called);
        } else {
            called.shutdown(Shutdown::Both).unwrap();
        }
        assert!(client.is_readable() && client.send_all(&call(2)).is_err());
    }
}

#[test]
fn an_older_server_does_not_close_the_connection_of_the_next() {
    let Pair { client: _client, requests, accepted, server: _server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let older = requests.recv().unwrap();
    next(&older);
    older.send_all(&reply(1)).unwrap();
    older.shutdown(Shutdown::Both).unwrap();
    caller.send_all(&call(2)).unwrap();
    let newer = requests.recv().unwrap();
    next(&newer);
    older.send_all(&message(MessageKind::CloseConnection, &[])).unwrap();
    newer.send_all(&reply(3)).unwrap();
    assert_eq!([next(&caller), next(&caller)], [reply(0), reply(2)]);
}

#[test]
fn an_idle_client_does_not_disown_the_requests_of_its_peer() {
    let Pair { client, requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    next(&called);
    client.send_all(&message(MessageKind::CloseConnection, &[])).unwrap();
    client.send_all(&call(2)).unwrap();
    assert_eq!(next(&server), call(2));
}

#[test]
fn replies_to_nothing_do_not_keep_a_connection() {
    let Pair { client, accepted: _accepted, server, .. } = pair();
    client.send_all(&reply(77)).unwrap();
    client.send_all(&call(2)).unwrap();
    assert_eq!(next(&server), call(2));
    assert!(!server.is_used_otherwise());
}

#[test]
fn a_queue_that_is_empty_again_retains_little() {
    let Pair { client, accepted, server, .. } = pair();
    let large = message(MessageKind::Request, &vec![0; PIPE]);
    std::thread::scope(|scope| {
        scope.spawn(|| client.send_all(&large).unwrap());
        assert!(next(&server) == large);
    });
    assert!(accepted.state.lock().server.octets.capacity() <= 64 << 10);
}

#[test]
fn the_server_reports_what_violates_giop() {
    let (left, right) = inproc::pair(1 << 16);
    let (_accepted, server) = half::accepted(right).unwrap();
    let malformed = b"GIOP\x09\x09 and more";
    left.send_all(&call(0)).unwrap();
    left.send_all(malformed).unwrap();
    assert_eq!(next(&server), call(0));
    let mut octets = vec![0; malformed.len()];
    let mut at = 0;
    while at < octets.len() {
        let count = server.recv(&mut octets[at..]).unwrap();
        assert_ne!(count, 0);
        at += count;
    }
    assert_eq!(octets, malformed);
    let error = message(MessageKind::MessageError, &[]);
    server.send_all(&error).unwrap();
    assert_eq!(next(&left), error);
}

#[test]
fn a_client_that_sends_nothing_more_gets_its_reply() {
    let (left, right) = inproc::pair(1 << 16);
    let (accepted, server) = half::accepted(right).unwrap();
    let caller = half::client(&accepted).unwrap();
    let (hung_up, hangups) = channel();
    assert!(caller.notify_of_hangup(Box::new(move || hung_up.send(()).unwrap())));
    left.send_all(&call(0)).unwrap();
    left.shutdown(Shutdown::Write).unwrap();
    hangups.recv().unwrap();
    assert_eq!(next(&server), call(0));
    assert!(next(&server).is_empty() && next(&caller).is_empty());
    server.send_all(&reply(0)).unwrap();
    assert_eq!(next(&left), reply(0));
    server.shutdown(Shutdown::Both).unwrap();
    assert!(next(&left).is_empty());
}

#[test]
fn messages_that_are_sent_together_have_ids_of_their_own() {
    let Pair { client: _client, requests, accepted, server: _server } = pair();
    let caller = half::client(&accepted).unwrap();
    let one_way = |id| request(id, &[], ResponseFlags::NoResponse);
    let octets = [one_way(0), one_way(2), one_way(4)];
    let mut parts = octets.each_ref().map(|message| io::IoSlice::new(message));
    caller.send_vectored_all(&mut parts).unwrap();
    let called = requests.recv().unwrap();
    let ids = [0; 3].map(|_: i32| id_of(&next(&called)));
    assert_eq!(ids, [1, 3, 5]);
}

#[test]
fn the_first_to_claim_an_address_gets_its_calls() {
    let (orb, at) = accepting();
    let points = [("192.0.2.7", 9)];
    let [older, older_server] = offered(&orb, "192.0.2.7:40121", &[]);
    let [first, _first_server] = offered(&orb, "192.0.2.7:40122", &points);
    let data = context(&points);
    let offer = ServiceContext::new(ServiceId::BI_DIR_IIOP, &data[..]);
    let offering = request(2, &[offer], ResponseFlags::SyncWithTarget);
    older.send_all(&offering).unwrap();
    assert_eq!(next(&older_server), offering);
    at(&orb, "192.0.2.7:9").unwrap().send_all(&call(0)).unwrap();
    assert_eq!(id_of(&next(&first)), 1);
}
