//! Threads that wait for each other: nested calls, slow upcalls, shutdown.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, mpsc};

use crate::support::{
    Acting, Echo, Servant, builder, client, server, server_that_ends, until, until_noted,
};
use zorb_types::SystemExceptionKind;

#[test]
fn calls_back_and_forth_do_not_lock_up() {
    let (_server, echo) = server();
    let (client_orb, there) = client(&echo);
    let here: Echo = client_orb.root_poa().activate(Servant::default()).unwrap();
    // Client to server to client, which calls itself.
    assert_eq!(there.call_back(Some(&here), 1).unwrap(), 1);
    // The server calls itself through its own reference, eight deep.
    assert_eq!(there.call_back(Some(&there), 8).unwrap(), 8);
}

#[test]
fn one_way_requests_begin_in_order_and_may_end_in_another() {
    let client_orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let here: Echo = client_orb.root_poa().activate(Servant::default()).unwrap();
    // Only a blocking call hands the input over.
    let orb = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let orb = orb.build().unwrap();
    let back: Echo = orb.resolve(&here.object().to_ior_string()).unwrap();
    let (sender, events) = mpsc::channel();
    let servant = Acting(move |value: i32| {
        sender.send(value).unwrap();
        if value == 1 {
            back.wait_for(1)?;
        }
        sender.send(-value).unwrap();
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let there: Echo = client_orb.resolve(&echo.object().to_ior_string()).unwrap();
    (1..=3).for_each(|value| there.note(value).unwrap());
    let next = |count| events.iter().take(count).collect::<Vec<i32>>();
    assert_eq!(next(5), [1, 2, -2, 3, -3]);
    here.note(1).unwrap();
    assert_eq!(next(1), [-1]);
}

#[test]
fn many_threads_share_one_reference() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let there = &there;
            scope.spawn(move || {
                for call in 0..200 {
                    assert_eq!(
                        there.twice(thread * 1000 + call).unwrap(),
                        2 * (thread * 1000 + call)
                    );
                }
            });
        }
    });
}

#[test]
fn a_limit_on_connections_makes_callers_wait_not_fail() {
    let (_server, echo) = server();
    let orb = builder().option("MaxConnectionsPerEndpoint", "1").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..100).for_each(|value| assert_eq!(there.twice(value).unwrap(), value * 2))
            });
        }
    });
}

#[test]
fn requests_behind_a_blocked_upcall_are_served() {
    use std::io::{Read, Write};
    let (orb, echo) = server();
    // One connection, three requests at once: the first waits until the second has run.
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let key = support_key(&echo);
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let mut bytes = Vec::new();
    for (id, operation, argument) in [(2, "wait_for", 5), (4, "note", 5), (6, "twice", 21)] {
        bytes.extend(request(id, &key, operation, argument));
    }
    stream.write_all(&bytes).unwrap();
    // Three replies, of 12 + 12 or 12 + 12 + 4 octets, in any order.
    let mut received = vec![0; 24 + 24 + 28];
    stream.read_exact(&mut received).unwrap();
    assert_eq!(received.windows(4).filter(|window| window == b"GIOP").count(), 3);
}

#[test]
fn a_slow_upcall_does_not_hold_up_later_requests() {
    use std::io::{Read, Write};
    let (orb, echo) = server();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let key = support_key(&echo);
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(&request(2, &key, "wait_for", 7)).unwrap();
    // Answered from another connection only when the upcall is known to run.
    let mut probe = std::net::TcpStream::connect(stream.peer_addr().unwrap()).unwrap();
    probe.write_all(&request(2, &key, "twice", 1)).unwrap();
    probe.read_exact(&mut [0; 28]).unwrap();
    // Nothing is buffered, so only the watchdog can notice it.
    stream.write_all(&request(4, &key, "note", 7)).unwrap();
    let mut received = [0; 48];
    stream.read_exact(&mut received).unwrap();
    assert_eq!(received.windows(4).filter(|window| window == b"GIOP").count(), 2);
}

#[test]
fn slow_upcalls_of_several_callers_run_at_the_same_time() {
    use crate::support::Acting;
    use std::io::{Read, Write};
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};
    const SLOW: i32 = 0;
    const WAITS: i32 = 1;
    const FREES: i32 = 2;

    // The watchdog does not help here.
    let orb = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let orb = orb.build().unwrap();
    let (free, freed) = channel();
    let (free, freed) = (std::sync::Mutex::new(free), std::sync::Mutex::new(freed));
    let acting = Acting(move |value| {
        match value {
            SLOW => {
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_millis(1) {
                    std::hint::spin_loop();
                }
            }
            WAITS => freed.lock().unwrap().recv().unwrap(),
            _ => free.lock().unwrap().send(()).unwrap(),
        }
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(acting).unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let key = support_key(&echo);
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    // The server must first learn that callers share the connection, and that its upcalls are slow.
    for together in [[SLOW, SLOW], [WAITS, FREES]] {
        let requests = [2, 4].into_iter().zip(together);
        let bytes: Vec<u8> =
            requests.flat_map(|(id, value)| request(id, &key, "twice", value)).collect();
        stream.write_all(&bytes).unwrap();
        let mut received = vec![0; 2 * 28];
        stream.read_exact(&mut received).unwrap();
        assert_eq!(received.windows(4).filter(|window| window == b"GIOP").count(), 2);
    }
}

#[test]
fn shutdown_ends_threads_and_tells_peers() {
    use std::io::Read;
    let (orb, echo) = server_that_ends();
    let (_client, there) = client(&echo);
    there.twice(1).unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let mut idle = std::net::TcpStream::connect(address).unwrap();
    // The connection is being served once a request on another one, accepted later, is answered.
    let (_second, other) = client(&echo);
    other.twice(1).unwrap();
    orb.shutdown(true).unwrap();
    let mut last = Vec::new();
    idle.read_to_end(&mut last).unwrap();
    assert_eq!(&last[..4], b"GIOP");
    assert_eq!(last[7], 5, "CloseConnection");
    // The client's next call finds no server, and reports that it did not run.
    let error = there.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Transient);
    // Calls through the ORB that was shut down are refused.
    assert_eq!(echo.twice(1).unwrap_err().kind, SystemExceptionKind::BadInvOrder);
    orb.run().unwrap();
}

#[test]
fn a_client_does_not_notice_a_server_that_restarts() {
    // An address of its own, so that no other test takes the port.
    let orb = builder().listen("iiop://127.0.0.2:0").build().unwrap();
    let url = orb.endpoints()[0].clone();
    let policies = zorb_core::poa::PoaPolicies::new().persistent().user_ids();
    let poa = orb.root_poa().create("lasting", policies.clone()).unwrap();
    let echo: Echo = poa.activate_with_id("one", Servant::default()).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(1).unwrap(), 2);
    orb.shutdown(true).unwrap();

    let orb = builder().listen(url).build().unwrap();
    let poa = orb.root_poa().create("lasting", policies).unwrap();
    let _echo: Echo = poa.activate_with_id("one", Servant::default()).unwrap();
    assert_eq!(there.twice(2).unwrap(), 4);
}

#[test]
fn a_call_that_takes_too_long_times_out_and_the_connection_stays_good() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let hasty = Echo::from_object_with(&there, std::time::Duration::from_millis(30));
    let late = hasty.wait_for(3).unwrap_err();
    assert_eq!(late.kind, SystemExceptionKind::Timeout);
    // The late reply comes before the next one on the same connection and is dropped.
    there.note(3).unwrap();
    assert_eq!(there.twice(5).unwrap(), 10);
    until_noted(&there, 3);
}

impl Echo {
    fn from_object_with(echo: &Self, timeout: std::time::Duration) -> Self {
        zorb_core::Interface::from_object(echo.object().with_timeout(timeout))
    }
}

/// The object key of a reference's first profile.
fn support_key(echo: &Echo) -> Vec<u8> {
    let profile = &echo.object().ior().profiles[0];
    zorb_giop::iiop_object_key(&profile.data).unwrap().to_vec()
}

fn request(id: u32, key: &[u8], operation: &str, argument: i32) -> Vec<u8> {
    use zorb_giop::{GiopVersion, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
    let mut bytes = Vec::new();
    let start = RequestStart {
        request_id: id,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    };
    let order = zorb_cdr::ByteOrder::NATIVE;
    let mut message = MessageWriter::request(&mut bytes, GiopVersion::V1_2, order, &start).unwrap();
    message.body(Default::default()).write_i32(argument);
    message.finish().unwrap();
    bytes
}

#[test]
fn an_accepted_request_is_answered_although_the_orb_shuts_down() {
    let (orb, _) = server();
    let servant = Arc::new(Servant::default());
    let waiting: Echo = orb.root_poa().activate_shared(&servant).unwrap();
    let (_client, there) = client(&waiting);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.wait_for(4));
        until(|| servant.waiting.load(Ordering::SeqCst));
        let ending = scope.spawn(|| orb.shutdown(true));
        crate::support::EchoServant::note(&*servant, 4);
        call.join().unwrap().unwrap();
        ending.join().unwrap().unwrap();
    });
}

/// Two ORBs with one connection an endpoint and these options, each with an object that counts down with the other's:
/// from both of `values`, thrice.
fn count_down(options: [&[(&str, &str)]; 2], values: [i32; 2]) {
    let sides = options.map(|more| {
        let orb = builder().option("MaxConnectionsPerEndpoint", "1");
        // Only a call that never ends takes so long.
        let orb = orb.option("RoundTripTimeout", "60000");
        let orb = more.iter().fold(orb, |orb, (name, value)| orb.option(name, *value));
        let orb = orb.build().unwrap();
        let other = Arc::new(OnceLock::<Echo>::new());
        let known = Arc::clone(&other);
        let echo = orb.root_poa().activate(Acting(move |value| match value {
            0 => Ok(0),
            _ => Ok(known.get().unwrap().twice(value - 1)? + 1),
        }));
        let echo: Echo = echo.unwrap();
        (orb, echo, other)
    });
    let [(left, left_echo, left_knows), (right, right_echo, right_knows)] = sides;
    left_knows.set(left.resolve(&right_echo.object().to_ior_string()).unwrap()).unwrap();
    right_knows.set(right.resolve(&left_echo.object().to_ior_string()).unwrap()).unwrap();
    for value in values.into_iter().cycle().take(6) {
        assert_eq!(left_knows.get().unwrap().twice(value), Ok(value));
    }
    left.shutdown(true).unwrap();
    right.shutdown(true).unwrap();
}

#[test]
fn nested_calls_get_through_although_all_connections_are_taken() {
    count_down([&[]; 2], [9, 9]);
}

#[test]
fn nested_calls_get_through_to_a_server_with_one_thread_per_connection() {
    let shared = ("MaxCallsPerConnection", "16");
    let few = [shared, ("MaxThreadsPerConnection", "1")];
    for (left, right) in [(&[shared][..], &few[..]), (&few, &[shared]), (&few, &few)] {
        count_down([left, right], [17, 60]);
    }
}

#[test]
fn the_longest_timeout_is_none() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let patient = Echo::from_object_with(&there, std::time::Duration::MAX);
    assert_eq!(patient.twice(2).unwrap(), 4);
    assert!(patient.object().locate().unwrap());
}
