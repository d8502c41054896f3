//! Lanes that are frozen while their threads are starting.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use zorb_os::lock::Lock;
use zorb_os::thread;
use zorb_tcp::IiopProtocol;
use zorb_testkit::until;

use crate::Orb;
use crate::lanes::{LaneSettings, LaneThreads, PoolSettings};

const PAGE: usize = 4096;

/// Delays auxiliary threads: they start when the lane is frozen, touch fresh memory, and wait at their start
/// until released.
#[derive(Debug)]
struct Late {
    is_frozen: AtomicBool,
    fresh: Lock<Vec<u8>>,
    touched: AtomicUsize,
    faulted: AtomicUsize,
    may_go: AtomicBool,
}

impl LaneThreads for Late {
    fn assist(&self) -> io::Result<()> {
        until(|| self.is_frozen.load(Ordering::SeqCst));
        let before = thread::own_page_faults()?;
        let mut fresh = self.fresh.lock();
        // Zeroed memory of this size has no pages until it is written to; a page may be a huge one.
        let half = fresh.len() / 2;
        fresh.truncate(half);
        fresh.iter_mut().skip(half / 2).step_by(PAGE).for_each(|octet| *octet = 1);
        drop(fresh);
        if thread::own_page_faults()? > before {
            self.faulted.fetch_add(1, Ordering::SeqCst);
        }
        self.touched.fetch_add(1, Ordering::SeqCst);
        until(|| self.may_go.load(Ordering::SeqCst));
        Ok(())
    }
}

#[test]
fn actions_before_the_first_wait_of_a_thread_are_not_counted() {
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.build().unwrap();
    let late = Arc::new(Late {
        is_frozen: AtomicBool::new(false),
        fresh: Lock::new(vec![0; 64 << 20]),
        touched: AtomicUsize::new(0),
        faulted: AtomicUsize::new(0),
        may_go: AtomicBool::new(false),
    });
    let lane = LaneSettings {
        endpoints: vec!["iiop://127.0.0.1:0".to_owned()],
        dynamic_threads: 1,
        threads: Arc::clone(&late) as Arc<dyn LaneThreads>,
        ..LaneSettings::new(Some(1), 1)
    };
    let settings = PoolSettings { lanes: vec![lane], ..PoolSettings::new("late") };
    let pool = orb.create_pool(settings).unwrap();
    orb.serve().unwrap();
    orb.freeze_pools(None).unwrap();
    late.is_frozen.store(true, Ordering::SeqCst);
    // The one that accepts connections, and the one that starts others.
    until(|| late.touched.load(Ordering::SeqCst) == 2);
    let counted = orb.pool_violations();
    late.may_go.store(true, Ordering::SeqCst);
    assert_eq!(late.faulted.load(Ordering::SeqCst), 2, "the control: there was something to count");
    assert!(counted.iter().all(|lane| lane.total() == 0), "{counted:?}");
    pool.destroy().unwrap();
}
