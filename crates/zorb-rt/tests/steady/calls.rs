//! Frozen lanes: a repeated call allocates nothing, touches no new memory, starts no thread, opens no
//! connection and changes no table. Over every protocol.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use zorb_arq::ArqProtocol;
use zorb_core::OrbBuilder;
use zorb_giop::{GiopLite, ProfileTag};
use zorb_rt::{Denied, LaneBuilder, LaneViolations, Strategy};
use zorb_sctp::SciopProtocol;
use zorb_shm::ShmiopProtocol;
use zorb_short::Short;
use zorb_tcp::IiopProtocol;
use zorb_tls::{Pem, Settings, SsliopProtocol, Tls};
use zorb_transport::Composed;
use zorb_udp::DiopProtocol;
use zorb_unix::UiopProtocol;

use crate::fixture::{STRATEGIES, Scene, Worker, call_each, call_many, number, scene_of, set_up};

const URLS: [&str; 11] = [
    "iiop://127.0.0.1:0",
    "uiop://",
    "shmiop://",
    "lite+iiop://127.0.0.1:0",
    "lite+uiop://",
    "lite+shmiop://",
    "short+iiop://127.0.0.1:0",
    "short+uiop://",
    "ssliop://127.0.0.1:0",
    "rudp://127.0.0.1:0",
    "sciop://127.0.0.1:0",
];

/// The kind of the profiles of GIOPlite in shared memory here: the ORB has no number for it.
const LITE_SHMIOP: ProfileTag = ProfileTag(0x7a6c_7368);

/// Maximum number of allocations by libraries during two calls with replies and one without: rustls allocates once per
/// reply, sctp-proto for chunks and their records. The ORB itself allocates nothing.
const BY_LIBRARIES: [(&str, u64); 2] = [("ssliop", 2), ("sciop", 120)];
/// How often [`call_many`] makes these calls.
const ROUNDS: u64 = 200;

/// Clients and servers show the same certificate.
fn tls() -> Tls {
    static TLS: OnceLock<Tls> = OnceLock::new();
    let tls = TLS.get_or_init(|| {
        let authority = crate::certificates::Authority::new("authority");
        let own = authority.server();
        let tls = Settings::new().certificate(Pem::text(own.certificate), Pem::text(own.key));
        tls.roots(Pem::text(authority.certificate())).build().unwrap()
    });
    tls.clone()
}

fn builder() -> OrbBuilder {
    let lite = Composed::new(&GiopLite, ShmiopProtocol::new(), LITE_SHMIOP);
    let short_iiop = Composed::new(&Short, IiopProtocol::new(), ProfileTag::ZORB_SHORT_IIOP);
    let short_uiop = Composed::new(&Short, UiopProtocol::new(), ProfileTag::ZORB_SHORT_UIOP);
    crate::fixture::builder()
        .protocol(Arc::new(lite))
        .protocol(Arc::new(short_iiop))
        .protocol(Arc::new(short_uiop))
        .protocol(Arc::new(SsliopProtocol::new(tls()).unwrap()))
        .protocol(Arc::new(ArqProtocol::new()))
        .protocol(Arc::new(SciopProtocol::new()))
        .protocol(Arc::new(DiopProtocol::new()))
}

/// Whether memory can be locked here. The system may page out other memory at any time.
fn is_locked() -> bool {
    let apart = builder().build().unwrap();
    set_up().lock_memory(true).denied(Denied::Refuse).attach(&apart).is_ok()
}

/// Makes calls of each priority, freezes, makes them again, and checks the counts.
fn is_steady(scene: &Scene, locked: bool, what: &str, calls: impl Fn(&Worker) + Sync, asks: u64) {
    for priority in [10, 20] {
        let round = || {
            scene.at(priority, |worker| {
                calls(worker);
                scene.rt.freeze().unwrap();
                calls(worker);
            });
            let violations = scene.rt.violations();
            assert_eq!(violations.len(), 2);
            for lane in &violations {
                let other = lane.total() - lane.page_faults - lane.allocations;
                assert!(other == 0 && lane.allocations <= asks, "{what} {lane}");
            }
            violations
        };
        // The system may move a page, once, which its next user notices.
        let is_calm = |violations: &Vec<LaneViolations>| {
            !locked || violations.iter().all(|lane| lane.page_faults == 0)
        };
        let calm = std::iter::repeat_with(round).take(3).find(is_calm);
        assert!(calm.is_some(), "{what} {:?}", scene.rt.violations());
        scene.rt.thaw();
        let violations = scene.rt.violations();
        assert_eq!(scene.pool.violations(), violations);
    }
}

/// Makes both threads of the low lane serve calls of each kind, two at a time.
fn warm_low_lane(scene: &Scene) {
    let pairs = &scene.sinner.pairs;
    pairs.begin(3);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                scene.client_rt.current().set_priority(number(10)).unwrap();
                while !pairs.is_over() {
                    call_each(&scene.worker, 1);
                }
                call_many(&scene.worker);
            });
        }
    });
}

#[test]
fn steady_calls_violate_nothing() {
    let locked = is_locked();
    for url in URLS {
        for strategy in STRATEGIES {
            let scene = scene_of(builder, &[url], strategy, LaneBuilder::new(number(20), 1));
            warm_low_lane(&scene);
            let by_library = BY_LIBRARIES.iter().find(|(scheme, _)| url.starts_with(scheme));
            let asks = by_library.map_or(0, |(_, most)| most * ROUNDS);
            is_steady(&scene, locked, &format!("{url} {strategy:?}"), call_many, asks);
            scene.end();
        }
    }
}

/// Makes one-way calls, each after the previous one has arrived.
fn leave_many(scene: &Scene, worker: &Worker) {
    for id in 0..100 {
        let before = scene.sinner.left.load(Ordering::SeqCst);
        let mut sent = None;
        while scene.sinner.left.load(Ordering::SeqCst) == before {
            // A datagram may be lost.
            if sent.is_none_or(|sent: Instant| sent.elapsed() > Duration::from_secs(1)) {
                worker.leave(id).unwrap();
                sent = Some(Instant::now());
            }
            std::thread::yield_now();
        }
    }
}

/// Makes both threads of the low lane serve a one-way call, at the same time.
fn warm_low_lane_by_datagrams(scene: &Scene) {
    let pairs = &scene.sinner.pairs;
    pairs.begin(1);
    scene.at(10, |worker| {
        while !pairs.is_over() {
            let before = scene.sinner.left.load(Ordering::SeqCst);
            let sent = Instant::now();
            (0..2).for_each(|id| worker.leave(id).unwrap());
            // Datagrams may be lost.
            let arrived = || scene.sinner.left.load(Ordering::SeqCst) - before;
            while arrived() < 2 && sent.elapsed() < Duration::from_secs(1) {
                std::thread::yield_now();
            }
        }
    });
}

#[test]
fn steady_datagrams_violate_nothing() {
    let locked = is_locked();
    for strategy in STRATEGIES {
        let urls = ["diop://127.0.0.1:0"];
        let scene = scene_of(builder, &urls, strategy, LaneBuilder::new(number(20), 1));
        let calls = |worker: &Worker| leave_many(&scene, worker);
        // A datagram endpoint has its connection and that connection's thread from the start; so call each lane
        // before freezing, and where a queue has several threads, each of them.
        for priority in [10, 20] {
            scene.at(priority, calls);
        }
        if strategy == Strategy::HalfSync {
            warm_low_lane_by_datagrams(&scene);
        }
        is_steady(&scene, locked, &format!("diop {strategy:?}"), calls, 0);
        scene.end();
    }
}
