//! Deferred requests, whose callers do not wait.

use zorb_core::PollableSet;

use super::*;

/// A server whose `wait_for_note` returns when `open` is called, and its object as a client of another ORB sees it.
struct Gated {
    servant: Arc<Dynamic<Desk>>,
    desk: ObjectRef,
    _orbs: [Orb; 2],
}

impl Gated {
    fn new() -> Self {
        let (server, client) = (orb(), orb());
        let servant = Arc::new(Dynamic(Desk::default()));
        let own: ObjectRef = server.root_poa().activate_shared(&servant).unwrap();
        let desk = client.string_to_object(&own.to_ior_string()).unwrap().unwrap();
        Self { servant, desk, _orbs: [server, client] }
    }

    fn waiting(&self) -> Request {
        Request::new(&self.desk, "wait_for_note")
    }

    fn open(&self) {
        *self.servant.0.gate.lock().unwrap() = true;
        self.servant.0.opened.notify_all();
    }
}

impl Drop for Gated {
    fn drop(&mut self) {
        self.open();
    }
}

fn next(set: &mut PollableSet<Response, RequestError>) -> (usize, Result<Response, RequestError>) {
    set.wait().unwrap().unwrap()
}

#[test]
fn deferred_requests_are_answered_later() {
    let gated = Gated::new();
    let waiting = gated.waiting().send_deferred().unwrap();
    assert!(!waiting.has_ended());
    // Another thread serves it while the first one waits.
    let quick = repeat(&gated.desk, 1).send_deferred().unwrap();
    assert_eq!(quick.wait().unwrap().result, text("ab"));
    assert!(!waiting.has_ended());
    gated.open();
    assert_eq!(waiting.wait().unwrap().result.type_code().kind(), TcKind::Void);
}

#[test]
fn deferred_requests_have_the_results_of_those_that_wait() {
    both_ways(|desk| {
        let response = repeat(desk, 2).send_deferred().unwrap().wait().unwrap();
        assert_eq!(response.result, text("abab"));
        let outputs: Vec<_> = response.outputs.iter().map(|it| it.value.clone().unwrap()).collect();
        assert_eq!(outputs, [number(3), text("b")]);
        let raised = |request: Request| request.send_deferred().unwrap().wait().unwrap_err();
        let RequestError::User(listed) = raised(repeat(desk, -1).raises(refused())) else {
            panic!("an exception that is listed")
        };
        assert_eq!(listed.type_code(), &refused());
        let RequestError::UnknownUser(unlisted) = raised(repeat(desk, -1)) else {
            panic!("an exception that is not listed")
        };
        assert_eq!(unlisted.decode(&refused()).unwrap(), listed);
        let unknown = system(raised(Request::new(desk, "nothing")));
        assert_eq!(unknown.minor, minor::bad_operation::OPERATION_UNKNOWN);
        assert_eq!(unknown.context().unwrap().operation(), Some("nothing"));
        let other = repeat(desk, 1).returns(<Vec<i64>>::type_code());
        assert_eq!(system(raised(other)).kind, SystemExceptionKind::Marshal);
        let lacking = NamedValue::typed("value", Mode::In, i32::type_code());
        let lacking = Request::new(desk, "note").argument(lacking);
        assert_eq!(lacking.send_deferred().unwrap_err().kind, SystemExceptionKind::BadParam);
    });
}

#[test]
fn responses_are_taken_as_they_come() {
    let (slow, quick) = (Gated::new(), Gated::new());
    let requests = [
        slow.waiting(),
        repeat(&quick.desk, 1),
        repeat(&quick.desk, -1).raises(refused()),
        Request::new(&quick.desk, "nothing"),
    ];
    let mut set = Request::send_multiple_deferred(requests).unwrap();
    // If the server takes long for one of these, another thread serves those behind it.
    for _ in 0..3 {
        match next(&mut set) {
            (1, response) => assert_eq!(response.unwrap().result, text("ab")),
            (2, response) => assert!(matches!(response, Err(RequestError::User(_)))),
            (3, response) => assert!(matches!(response, Err(RequestError::System(_)))),
            (number, response) => panic!("{number}: {response:?}"),
        }
    }
    assert!(!set.has_ended() && set.try_take().is_none());
    assert_eq!(set.len(), 1);
    slow.open();
    let (number, response) = next(&mut set);
    assert_eq!((number, response.unwrap().result.type_code().kind()), (0, TcKind::Void));
    assert!(set.is_empty() && set.wait().unwrap().is_none());
}

#[test]
fn requests_inside_one_orb_have_ended_when_they_are_sent() {
    let server = orb();
    let desk: ObjectRef = server.root_poa().activate(Dynamic(Desk::default())).unwrap();
    let requests = [repeat(&desk, 1), repeat(&desk, -1), repeat(&desk, 2)];
    let mut set = Request::send_multiple_deferred(requests).unwrap();
    assert!(set.has_ended());
    let mut taken = || {
        let (number, response) = set.try_take()?;
        Some((number, response.ok().map(|response| response.result)))
    };
    let expected = [(0, Some(text("ab"))), (1, None), (2, Some(text("abab")))];
    assert_eq!([taken().unwrap(), taken().unwrap(), taken().unwrap()], expected);
    assert_eq!(taken(), None);
}

#[test]
fn a_request_without_a_value_keeps_all_from_being_sent() {
    both_ways(|desk| {
        let noted = |value| Request::new(desk, "_set_noted").input("", number(value));
        let lacking = NamedValue::typed("value", Mode::In, i32::type_code());
        let requests = [noted(7), Request::new(desk, "note").argument(lacking)];
        let refused = Request::send_multiple_deferred(requests).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::BadParam);
        let get = Request::new(desk, "_get_noted").returns(i32::type_code());
        assert_eq!(get.invoke().unwrap().result, number(0));
    });
}

#[test]
fn requests_that_are_dropped_leave_the_connection_usable() {
    let gated = Gated::new();
    let mut set = Request::send_multiple_deferred([gated.waiting(), gated.waiting()]).unwrap();
    drop(set.remove(1));
    drop(set);
    drop(gated.waiting().send_deferred().unwrap());
    gated.open();
    let after = repeat(&gated.desk, 1).send_deferred().unwrap();
    assert_eq!(after.wait().unwrap().result, text("ab"));
}

#[test]
fn one_way_requests_are_sent_one_after_the_other() {
    both_ways(|desk| {
        let note = |value| Request::new(desk, "note").input("", number(value));
        let lacking = NamedValue::typed("value", Mode::In, i32::type_code());
        let requests = [note(2), Request::new(desk, "note").argument(lacking), note(2)];
        let sent = Request::send_multiple_oneway(&requests);
        assert_eq!(sent.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        let get = Request::new(desk, "_get_noted").returns(i32::type_code());
        // Another thread may serve them.
        while get.invoke().unwrap().result != number(2) {
            std::thread::yield_now();
        }
    });
}
