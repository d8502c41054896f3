//! End times of calls: as policies, in requests, and for the calls of upcalls.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::support::{Acting, Echo, builder, server};
use zorb_core::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{
    Deadline, Policies, RelativeRoundtripTimeout, ReplyEndTime, RequestEndTime, ServeInTime,
};
use zorb_core::{Interface, Orb};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

const MINUTE: Duration = Duration::from_secs(60);
/// The beginning of CORBA's time.
const PAST: Deadline = Deadline::from_time_t(0);

/// A server whose `twice` calls `serve` and whose adapter looks at end times.
fn server_in_time(
    serve: impl Fn(&Orb, i32) -> zorb_core::Result<i32> + Send + Sync + 'static,
) -> (Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let weak = orb.downgrade();
    let serve = move |value| serve(&weak.upgrade().unwrap(), value);
    let in_time = PoaPolicies::new().with(ServeInTime::new());
    let poa = orb.root_poa().create("in time", in_time).unwrap();
    let echo = poa.activate(Acting(serve)).unwrap();
    (orb, echo)
}

/// A server whose `twice` returns how many milliseconds there are left for the reply; -1 for any number.
fn server_that_tells() -> (Orb, Echo) {
    server_in_time(|orb, _| {
        let end = orb.poa_current().reply_end_time().unwrap();
        Ok(end.map_or(-1, |end| end.time_left().as_millis().try_into().unwrap_or(i32::MAX)))
    })
}

fn there(orb: &Orb, echo: &Echo) -> Echo {
    orb.resolve(&echo.object().to_ior_string()).unwrap()
}

fn is_of(limit: Duration, left: i32) -> bool {
    u128::try_from(left).is_ok_and(|left| (1..=limit.as_millis()).contains(&left))
}

#[test]
fn the_earlier_of_an_end_time_and_a_relative_limit_counts() {
    let (_server, tells) = server_that_tells();
    let orb = builder().build().unwrap();
    let tells = there(&orb, &tells);
    let left = |policies: &Policies| tells.for_call(policies).unwrap().twice(0).unwrap();
    assert_eq!(left(&Policies::new()), -1);
    let by = |time| Policies::new().with(ReplyEndTime(Deadline::after(time)));
    assert!(is_of(MINUTE, left(&by(MINUTE))));
    assert!(!is_of(MINUTE, left(&by(60 * MINUTE))));
    for (end, limit) in [(MINUTE, 60 * MINUTE), (60 * MINUTE, MINUTE)] {
        let both = by(end).with(RelativeRoundtripTimeout(limit));
        assert!(is_of(MINUTE, left(&both)), "{end:?} {limit:?}");
    }
    // The strongest level that has one decides which end time it is.
    orb.policy_manager().add(&by(MINUTE)).unwrap();
    assert!(is_of(MINUTE, left(&Policies::new())));
    assert!(!is_of(MINUTE, left(&by(60 * MINUTE))));
}

#[test]
fn a_call_after_its_end_time_is_not_sent() {
    let (_server, echo) = server();
    let orb = builder().build().unwrap();
    let echo = there(&orb, &echo);
    echo.note(7).unwrap();
    let request = Policies::new().with(RequestEndTime(PAST));
    let reply = Policies::new().with(ReplyEndTime(PAST));
    let expired = [minor::timeout::REQUEST_EXPIRED, minor::timeout::REPLY_EXPIRED];
    for (policies, code) in [request, reply].iter().zip(expired) {
        let late = echo.for_call(policies).unwrap();
        let refusals = [
            late.twice(1).unwrap_err(),
            late.note(1).unwrap_err(),
            late.object().validate_connection().unwrap_err(),
        ];
        for refused in refusals {
            let what = (refused.kind, refused.minor, refused.completed);
            assert_eq!(what, (SystemExceptionKind::Timeout, code, CompletionStatus::No));
        }
    }
    assert_eq!(echo.noted(), Ok(7));
}

/// An object's requests must be sent until a time, and replies may come later.
#[test]
fn a_request_is_sent_before_its_end_time_and_its_reply_may_come_afterwards() {
    let end = Arc::new(Mutex::new(PAST));
    let shared = Arc::clone(&end);
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let servant = Acting(move |value| {
        let end = *shared.lock().unwrap();
        while !end.time_left().is_zero() {
            std::thread::yield_now();
        }
        Ok(2 * value)
    });
    let here: Echo = server.root_poa().activate(servant).unwrap();
    let orb = builder().build().unwrap();
    let here = there(&orb, &here);
    let served = |time| {
        let soon = Deadline::after(time);
        *end.lock().unwrap() = soon;
        let until = Policies::new().with(RequestEndTime(soon));
        let echo: Echo = here.object().with_policies(&until).unwrap().unchecked_narrow();
        let in_time =
            echo.twice(4).inspect_err(|late| assert_eq!(late.completed, CompletionStatus::No));
        let twice = in_time.ok()?;
        // This one begins after the end time of its object, and is not sent.
        let late = echo.twice(1).unwrap_err();
        let what = (late.kind, late.minor, late.completed);
        let code = minor::timeout::REQUEST_EXPIRED;
        assert_eq!(what, (SystemExceptionKind::Timeout, code, CompletionStatus::No));
        Some(twice)
    };
    // On a slow machine, the time of the first ones may be over before they are sent.
    let mut times = (0..16).map(|doubled| Duration::from_millis(10 << doubled));
    assert_eq!(times.find_map(served), Some(8));
}

#[test]
fn calls_of_an_upcall_have_the_remaining_time() {
    let (_inner_server, inner) = server_that_tells();
    let between = builder().build().unwrap();
    let inner = there(&between, &inner);
    let (_server, outer) = server_in_time(move |_, seconds| match seconds {
        0 => inner.twice(0),
        limit => {
            let limit = Duration::from_secs(limit.try_into().unwrap());
            let limited = Policies::new().with(RelativeRoundtripTimeout(limit));
            inner.for_call(&limited).unwrap().twice(0)
        }
    });
    let orb = builder().build().unwrap();
    let outer = there(&orb, &outer);
    assert_eq!(outer.twice(0), Ok(-1), "a call without a limit");
    let limited = Policies::new().with(RelativeRoundtripTimeout(60 * MINUTE));
    let limited = outer.for_call(&limited).unwrap();
    assert!(is_of(60 * MINUTE, limited.twice(0).unwrap()));
    assert!(is_of(60 * MINUTE, limited.twice(7200).unwrap()), "the earlier end counts");
    assert!(is_of(MINUTE, limited.twice(60).unwrap()));
    assert_eq!(outer.twice(0), Ok(-1), "the limit of another request");
}

/// Sends an end time 100 ms from then, then 200 ms, and so on.
#[derive(Debug, Default)]
struct Soon(Mutex<Duration>);

impl ClientRequestInterceptor for Soon {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let mut time = self.0.lock().unwrap();
        *time += Duration::from_millis(100);
        let end = Deadline::after(*time).as_time_t().to_be_bytes();
        let mut context = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0, 24];
        context.extend([0; 8].into_iter().chain(end).chain([0; 8]));
        info.add_request_service_context(ServiceId::INVOCATION_POLICIES, &context, false)
    }
}

#[test]
fn an_upcall_that_is_over_its_time_sends_no_more_calls() {
    let (_inner_server, inner) = server();
    let between = builder().build().unwrap();
    let inner = there(&between, &inner);
    let refused = Arc::new(OnceLock::new());
    let found = Arc::clone(&refused);
    let (_server, outer) = server_in_time(move |orb, _| {
        let end = orb.poa_current().reply_end_time().unwrap().unwrap();
        while !end.time_left().is_zero() {
            std::thread::yield_now();
        }
        found.set(inner.twice(1)).unwrap();
        Ok(0)
    });
    let orb = builder().build().unwrap();
    let soon = Arc::new(Soon::default());
    orb.add_client_request_interceptor("soon", move |_| Some(Arc::clone(&soon) as _));
    let outer = there(&orb, &outer);
    // On a slow machine, requests may be too late for the upcall.
    while refused.get().is_none() {
        let _ = outer.twice(0);
    }
    let refused = refused.get().unwrap().clone().unwrap_err();
    let what = (refused.kind, refused.minor, refused.completed);
    let code = minor::timeout::REPLY_EXPIRED;
    assert_eq!(what, (SystemExceptionKind::Timeout, code, CompletionStatus::No));
}
