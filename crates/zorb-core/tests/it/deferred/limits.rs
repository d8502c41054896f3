//! The limits of requests that are not answered: number and time.

use super::*;
use zorb_core::Interface;
use zorb_core::policy::{Policies, RelativeRoundtripTimeout};
use zorb_giop::ReplyStatus;

#[test]
fn requests_beyond_the_limit_are_transient() {
    // One thread, so that no request that is still being served counts as well.
    let limited = builder().option("MaxDeferredRequests", "5");
    // With memory of its own it shares no limit with other ORBs of the process.
    let limited = limited.option("MaxBufferedOctets", "100000000");
    let scene = Scene::with(Some(Strategy::SingleThread), limited);
    let [mut one, mut again, mut other] =
        ["127.0.0.1", "127.0.0.1", "127.0.0.2"].map(|address| scene.connect_from(address));
    // Half of them, rounded up, of one address.
    (0..3).for_each(|value| one.twice(&scene.late, value, TWO_WAY));
    for client in [&mut one, &mut again] {
        client.twice(&scene.late, 3, TWO_WAY);
        assert_eq!(client.reply(), (3, ReplyStatus::SystemException));
    }
    (4..7).for_each(|value| other.twice(&scene.late, value, TWO_WAY));
    assert_eq!(other.reply(), (6, ReplyStatus::SystemException));
    let waiting = receive(&scene.asked, 5);
    let (_client, there) = client(&scene.late);
    let exception = there.twice(7).unwrap_err();
    assert_eq!(exception.minor, minor::transient::TOO_MANY_DEFERRED);
    assert_eq!(exception.completed, CompletionStatus::No);
    waiting.into_iter().for_each(Asked::answer);
    assert_eq!([one.reply().0, one.reply().0, one.reply().0], [0, 1, 2]);
    thread::scope(|scope| {
        let again = call(scope, &there, 8);
        scene.asked.recv().unwrap().answer();
        assert_eq!(again.join().unwrap(), Ok(16));
    });
}

#[test]
fn a_caller_waits_until_its_deadline() {
    let scene = Scene::new(None);
    let (_client, there) = scene.client();
    let limit = Policies::new().with(RelativeRoundtripTimeout(Duration::from_millis(10)));
    for late in [&scene.late, &there] {
        let impatient = Echo::from_object(late.object().with_policies(&limit).unwrap());
        // On a busy machine the time may be up before the request has been sent.
        let exception = loop {
            let exception = impatient.twice(1).unwrap_err();
            if exception.completed == CompletionStatus::Maybe {
                break exception;
            }
        };
        let timeout = maybe(SystemExceptionKind::Timeout, minor::timeout::ROUND_TRIP);
        assert_eq!(summary(&exception), timeout);
        // Its reply is discarded, and the connection serves the next call.
        thread::scope(|scope| {
            let next = call(scope, late, 2);
            let mut value = 0;
            while value != 2 {
                let asked = scene.asked.recv().unwrap();
                value = asked.value();
                asked.answer();
            }
            assert_eq!(next.join().unwrap(), Ok(4));
        });
    }
}

#[test]
fn a_caller_without_a_deadline_waits_for_the_longest_wait() {
    let scene = Scene::with(None, builder().max_reply_wait(Duration::from_millis(10)));
    let exception = scene.late.twice(1).unwrap_err();
    let timeout = maybe(SystemExceptionKind::Timeout, minor::timeout::ROUND_TRIP);
    assert_eq!(summary(&exception), timeout);
    // As of a client that has gone, the answer is discarded.
    scene.asked.recv().unwrap().answer();
    let patient = RelativeRoundtripTimeout(Duration::from_secs(60));
    let patient = scene.late.object().with_policies(&Policies::new().with(patient)).unwrap();
    let patient = Echo::from_object(patient);
    thread::scope(|scope| {
        let call = call(scope, &patient, 2);
        scene.asked.recv().unwrap().answer();
        assert_eq!(call.join().unwrap(), Ok(4));
    });
}
