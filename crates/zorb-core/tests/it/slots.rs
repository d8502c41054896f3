//! Slots: `PortableInterceptor::Current`.

use std::sync::{Arc, Mutex, mpsc};

use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, InvalidSlot, ServerRequestInfo,
    ServerRequestInterceptor, SlotId,
};
use zorb_core::{Orb, Pending, PiCurrent};
use zorb_giop::ServiceId;
use zorb_types::{Any, SystemException, minor};

use crate::pending::send_twice;
use crate::scripted::{Play, script};
use crate::support::{Acting, Echo, Servant, builder, client, server};

const CONTEXT: ServiceId = ServiceId(0x5a42_0001);

fn any(number: i32) -> Option<Any> {
    Some(Any::new::<i32>(&number).unwrap())
}

fn number(value: Option<Any>) -> Option<i32> {
    value?.get::<i32>()
}

/// Sends the value of a slot with each request, and tells it at the end.
#[derive(Debug)]
struct Sends(SlotId, Mutex<mpsc::Sender<Option<i32>>>);

impl ClientRequestInterceptor for Sends {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        match number(info.slot(self.0)) {
            Some(value) => info.add_request_service_context(CONTEXT, &value.to_be_bytes(), false),
            None => Ok(()),
        }
    }

    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = self.1.lock().unwrap().send(number(info.slot(self.0)));
        Ok(())
    }
}

/// Sets the slot of a request to the value that came with it, and tells the slot at the end.
#[derive(Debug)]
struct Takes(SlotId, Mutex<mpsc::Sender<Option<i32>>>);

impl ServerRequestInterceptor for Takes {
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), SystemException> {
        assert_eq!(number(info.slot(self.0)), None, "a new request");
        let came = info.request_service_context(CONTEXT).and_then(|it| it.try_into().ok());
        info.set_slot(self.0, came.and_then(|it| any(i32::from_be_bytes(it))))
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let _ = self.1.lock().unwrap().send(number(info.slot(self.0)));
        Ok(())
    }
}

/// A client whose calls carry the value of a slot, and what that is at their ends.
fn calling(echo: &Echo) -> (Orb, Echo, SlotId, mpsc::Receiver<Option<i32>>) {
    let orb = builder().build().unwrap();
    let slot = orb.allocate_slot().unwrap();
    let (tell, told) = mpsc::channel();
    let sends = Arc::new(Sends(slot, Mutex::new(tell)));
    orb.add_client_request_interceptor("sends", move |_| Some(sends.clone()));
    let there = orb.resolve(&echo.object().to_ior_string()).unwrap();
    (orb, there, slot, told)
}

#[test]
fn slots_lead_from_a_caller_to_a_servant_and_the_calls_that_it_makes() {
    // The last of three: tells what comes with its requests.
    let last = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let of_last = last.allocate_slot().unwrap();
    let (tell_last, told_last) = mpsc::channel();
    let takes = Arc::new(Takes(of_last, Mutex::new(tell_last)));
    last.add_server_request_interceptor("takes", move |_| Some(takes.clone()));
    let (current, of_slot) = (last.pi_current(), of_last);
    let says = Acting(move |_| Ok(number(current.slot(of_slot).unwrap()).unwrap_or(-1)));
    let last_echo: Echo = last.root_poa().activate(says).unwrap();

    // The one in the middle: adds 1, and calls the last.
    let middle = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let slot = middle.allocate_slot().unwrap();
    let (tell_middle, told_middle) = mpsc::channel();
    let takes = Arc::new(Takes(slot, Mutex::new(tell_middle)));
    middle.add_server_request_interceptor("takes", move |_| Some(takes.clone()));
    let (tell, told) = mpsc::channel();
    let sends = Arc::new(Sends(slot, Mutex::new(tell)));
    middle.add_client_request_interceptor("sends", move |_| Some(sends.clone()));
    let next: Echo = middle.resolve(&last_echo.object().to_ior_string()).unwrap();
    let current = middle.pi_current();
    let adds = Acting(move |value| {
        let came = number(current.slot(slot).unwrap());
        current.set_slot(slot, came.and_then(|came| any(came + 1))).unwrap();
        next.twice(value)
    });
    let middle_echo: Echo = middle.root_poa().activate(adds).unwrap();

    let (first, there, own, ended) = calling(&middle_echo);
    let current: PiCurrent = first.initial_local("PICurrent").unwrap();
    assert_eq!(number(current.slot(own).unwrap()), None);
    assert_eq!(there.twice(0), Ok(-1), "nothing is set");
    current.set_slot(own, any(7)).unwrap();
    assert_eq!(there.twice(0), Ok(8));
    current.set_slot(own, None).unwrap();
    assert_eq!(there.twice(0), Ok(-1), "it has been emptied");
    // At the end of a request, interceptors see what the servant has set.
    let all = |told: &mpsc::Receiver<Option<i32>>| told.try_iter().collect::<Vec<_>>();
    assert_eq!(all(&ended), [None, Some(7), None]);
    assert_eq!(all(&told_middle), [None, Some(8), None]);
    assert_eq!(all(&told), [None, Some(8), None]);
    assert_eq!(all(&told_last), [None, Some(8), None]);
    [first, middle, last].iter().for_each(|orb| orb.shutdown(true).unwrap());
}

/// A point, and what the slot is there according to the request and to the thread.
type Seen = (&'static str, [Option<i32>; 2]);

/// Tells what the slot is at each point.
#[derive(Debug)]
struct Watches(SlotId, PiCurrent, Mutex<mpsc::Sender<Seen>>);

impl Watches {
    fn tell(&self, point: &'static str, info: &ClientRequestInfo<'_>) {
        let seen = [info.slot(self.0), self.1.slot(self.0).unwrap()].map(number);
        let _ = self.2.lock().unwrap().send((point, seen));
    }
}

impl ClientRequestInterceptor for Watches {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.tell("send_request", info);
        Ok(())
    }

    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.tell("receive_reply", info);
        Ok(())
    }

    fn receive_other(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.tell("receive_other", info);
        Ok(())
    }
}

#[test]
fn a_pending_call_keeps_the_slots_of_its_caller() {
    let (server, echo) = server();
    let (ior, _served) = script(vec![vec![Play::Forward(echo.object().ior().clone())]]);
    let orb = builder().build().unwrap();
    let slot = orb.allocate_slot().unwrap();
    let current = orb.pi_current();
    let (tell, told) = mpsc::channel();
    let watches = Arc::new(Watches(slot, current.clone(), Mutex::new(tell)));
    orb.add_client_request_interceptor("watches", move |_| Some(watches.clone()));
    let there: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let on_another_thread = |call: Pending<i32, SystemException>| {
        std::thread::scope(|scope| scope.spawn(|| call.wait()).join().unwrap())
    };
    current.set_slot(slot, any(7)).unwrap();
    let sent_again = send_twice(there.object(), 1);
    current.set_slot(slot, any(8)).unwrap();
    assert_eq!(on_another_thread(sent_again), Ok(2));
    let seen: Vec<_> = told.try_iter().collect();
    assert_eq!(
        seen,
        [
            ("send_request", [Some(7), Some(7)]),
            ("receive_other", [Some(7), Some(7)]),
            ("send_request", [Some(7), Some(7)]),
            // The slots of a thread of the program are its own.
            ("receive_reply", [Some(7), None]),
        ]
    );
    current.set_slot(slot, None).unwrap();
    let without = send_twice(there.object(), 2);
    current.set_slot(slot, any(9)).unwrap();
    assert_eq!(without.wait(), Ok(4));
    let seen: Vec<_> = told.try_iter().collect();
    assert_eq!(seen, [("send_request", [None; 2]), ("receive_reply", [None, Some(9)])]);
    [orb, server].iter().for_each(|orb| orb.shutdown(true).unwrap());
}

#[test]
fn a_collocated_call_has_slots_of_its_own() {
    let orb = builder().build().unwrap();
    let slot = orb.allocate_slot().unwrap();
    let current = orb.pi_current();
    let inner = current.clone();
    let sets = Acting(move |value| {
        let before = number(inner.slot(slot).unwrap());
        inner.set_slot(slot, any(value)).unwrap();
        Ok(before.unwrap_or(-1))
    });
    let echo: Echo = orb.root_poa().activate(sets).unwrap();
    current.set_slot(slot, any(1)).unwrap();
    assert_eq!([echo.twice(2), echo.twice(3)], [Ok(-1), Ok(-1)]);
    assert_eq!(number(current.slot(slot).unwrap()), Some(1));
    // Those of another thread are others.
    let other = current.clone();
    let seen = std::thread::spawn(move || number(other.slot(slot).unwrap())).join().unwrap();
    assert_eq!(seen, None);
    orb.shutdown(true).unwrap();
}

#[test]
fn slots_are_allocated_before_the_root_adapter_and_belong_to_one_orb() {
    let (server, echo) = server();
    let error = SystemException::from(server.allocate_slot().unwrap_err());
    assert_eq!(error.minor, minor::bad_inv_order::INTERCEPTOR_CALL, "{error}");
    let [one, other] = [(); 2].map(|()| builder().build().unwrap());
    let slot = one.allocate_slot().unwrap();
    assert_ne!(one.allocate_slot().unwrap(), slot);
    assert_eq!(number(one.pi_current().slot(slot).unwrap()), None);
    assert_eq!(other.pi_current().slot(slot).unwrap_err(), InvalidSlot);
    assert_eq!(other.pi_current().set_slot(slot, None).unwrap_err(), InvalidSlot);
    let _: Echo = one.root_poa().activate(Servant::default()).unwrap();
    one.allocate_slot().unwrap_err();
    // Without slots, nothing is intercepted.
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(1), Ok(2));
    [server, one, other].iter().for_each(|orb| orb.shutdown(true).unwrap());
}
