//! An output queue in front of a server that is blocked for a while.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use zorb_core::policy::{Policies, PrivateConnection};
use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_rt::{FlowEvent, OutputQueue};
use zorb_tcp::IiopProtocol;
use zorb_testkit::until;
use zorb_types::SystemExceptionKind;

/// `interface Sink { oneway void put(in sequence<octet> data); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sink(ObjectRef);

codegen::interface!(Sink(ObjectRef), "IDL:zorb.test/Sink:1.0", "Sink", []);

impl Sink {
    fn put(&self, data: &[u8]) -> Result<()> {
        codegen::oneway!(self, put, [Vec<u8> => data])
    }
}

trait SinkServant: Send + Sync + 'static {
    fn put(&self, data: &[u8]);
}

codegen::skeleton!(Sink, SinkServant, {
    0 "put" put(data: Vec<u8> => &data) oneway,
});

/// Blocks until it is permitted to run, and then records the first octet of each call.
struct Slow {
    may: Mutex<Receiver<()>>,
    seen: Arc<Mutex<Vec<u32>>>,
}

impl SinkServant for Slow {
    fn put(&self, data: &[u8]) {
        // The only message is the permission.
        let _ = self.may.lock().unwrap().recv();
        let number = u32::from_be_bytes(data[..4].try_into().unwrap());
        self.seen.lock().unwrap().push(number);
    }
}

#[test]
fn accepted_calls_arrive_in_order_and_others_are_refused() {
    let orb = || Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    // Only one thread of the connection makes upcalls, so that they end in their order, however slow the machine is.
    let server = orb().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server = server.build().unwrap();
    let client = orb().build().unwrap();
    let (go, may) = channel();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let servant = Slow { may: Mutex::new(may), seen: Arc::clone(&seen) };
    let here: Sink = server.root_poa().activate(servant).unwrap();
    let there: Sink = client.resolve(&here.0.to_ior_string()).unwrap();
    let private = Policies::new().with(PrivateConnection);
    let there = Sink(there.0.with_policies(&private).unwrap());

    let events = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&events);
    let queue = OutputQueue::builder("sink")
        .max_calls(8)
        .on_event(move |event| told.lock().unwrap().push(event.clone()))
        .start()
        .unwrap();
    // Until the queue, and perhaps the transport, is full.
    let mut taken = 0_u32;
    let refused = loop {
        let (sink, number) = (there.clone(), taken);
        let put = move || {
            let mut data = vec![0; 64 << 10];
            data[..4].copy_from_slice(&number.to_be_bytes());
            sink.put(&data)
        };
        match queue.send(64 << 10, put) {
            Ok(()) => taken += 1,
            Err(exception) => break exception,
        }
        assert!(taken < 100_000, "the transport takes everything");
    };
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
    assert!(taken >= 8);
    let is_high = |event: &FlowEvent| matches!(event, FlowEvent::High { .. });
    assert!(events.lock().unwrap().iter().any(is_high));
    drop(go);
    drop(queue);
    let last = events.lock().unwrap().last().cloned();
    assert!(matches!(last, Some(FlowEvent::Low { .. })), "{last:?}");
    // The connection is ended behind what was sent, so that all of it is read.
    client.shutdown(true).unwrap();
    until(|| seen.lock().unwrap().len() >= taken as usize);
    assert_eq!(*seen.lock().unwrap(), (0..taken).collect::<Vec<_>>());
}
