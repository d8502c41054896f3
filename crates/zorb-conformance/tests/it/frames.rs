//! The stamps of frames belong to their upcalls.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb::{Interface as _, Orb, OrbBuilder, Result};
use zorb_av::Stamp;

use crate::properties::mirror::{Mirror, MirrorServant};

/// The time after which a frame is sent again, since it may have been lost.
const RESEND_AFTER: Duration = Duration::from_millis(300);

/// Reports the stamp of each upcall, and makes a collocated call if it has an object for it.
struct Screen {
    stamps: Mutex<Sender<Option<u32>>>,
    beside: OnceLock<Mirror>,
}

impl MirrorServant for Screen {
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        self.post(data);
        Ok(Vec::new())
    }

    fn post(&self, data: &[u8]) {
        let report = || {
            let stamp = Stamp::current().map(|stamp| stamp.sequence);
            self.stamps.lock().unwrap().send(stamp).unwrap();
        };
        report();
        if let Some(beside) = self.beside.get() {
            beside.mirror(data).unwrap();
            report();
        }
    }
}

fn builder() -> OrbBuilder {
    Orb::builder().without_environment().protocol(Arc::new(zorb_av::av_diop()))
}

#[test]
fn a_stamp_is_seen_only_in_the_upcall_of_its_frame() {
    let server = builder().listen("av+diop://127.0.0.1:0").listen("iiop://127.0.0.1:0");
    let server = server.build().unwrap();
    server.add_server_request_interceptor("AV", zorb_av::interceptor);
    // All upcalls are made on this thread.
    let poa = server.root_poa().create("main", PoaPolicies::new().main_thread()).unwrap();
    let (stamps, reported) = channel();
    let screen = |beside| Screen { stamps: Mutex::new(stamps.clone()), beside };
    let beside: Mirror = server.root_poa().activate(screen(OnceLock::new())).unwrap();
    let object: Mirror = poa.activate(screen(OnceLock::from(beside))).unwrap();
    let reference = object.as_object().to_ior_string();
    // The first profile is that of frames; a client without them uses the other one.
    let clients =
        [builder(), Orb::builder().without_environment()].map(|client| client.build().unwrap());
    let [frames, iiop] = clients.each_ref().map(|client| {
        let screen: Mirror = client.resolve(&reference).unwrap();
        screen
    });

    // The upcall of a frame, with a collocated call.
    loop {
        frames.post(b"frame").unwrap();
        if server.perform_work_within(RESEND_AFTER).unwrap() {
            break;
        }
    }
    let stamps = || [(); 3].map(|()| reported.try_recv().unwrap());
    let of_frame = stamps();
    assert!(of_frame[0].is_some());
    assert_eq!(of_frame, [of_frame[0], None, of_frame[0]]);

    // A request over IIOP, on the same thread.
    iiop.post(b"request").unwrap();
    let of_request = loop {
        assert!(server.perform_work_within(Duration::MAX).unwrap());
        let stamps = stamps();
        // On a slow machine, one of several frames may come only now.
        if stamps[0].is_none() {
            break stamps;
        }
    };
    assert_eq!(of_request, [None; 3]);
    clients.iter().for_each(|client| client.shutdown(true).unwrap());
    server.shutdown(true).unwrap();
}
