use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zorb_base::options::Options;
use zorb_base::peer_shares::PeerShares;
use zorb_tcp::IiopProtocol;
use zorb_transport::process_budget;

use super::*;
use crate::client::connect_time::ConnectTime;
use crate::client::pool::{ClosesWithPool, NoConnection, Wanted};

fn pool(cache: &ConnectionCache, number: usize) -> Arc<EndpointPool> {
    let protocol: Arc<dyn Protocol> = Arc::new(IiopProtocol::new());
    let endpoint = Endpoint::new("iiop", &format!("host{number}:2809")).unwrap();
    let options = Options::default();
    cache.pool(
        &endpoint,
        &ConnectionClass::plain(&options),
        &protocol,
        &Receiving::new(&options, &PeerShares::new(process_budget(), 0)),
    )
}

#[test]
fn pools_without_a_reference_do_not_pile_up() {
    let cache = ConnectionCache::default();
    let pool = |number| pool(&cache, number);
    let kept = pool(0);
    for number in 1..10 * MAX_UNUSED {
        pool(number);
    }
    assert!(cache.pools.lock().by_key.len() <= MAX_UNUSED);
    assert!(Arc::ptr_eq(&kept, &pool(0)), "one that is referred to stays");
    // The number of pools in use is not limited.
    let many: Vec<_> = (0..2 * MAX_UNUSED).map(pool).collect();
    assert!(many.iter().enumerate().all(|(number, known)| Arc::ptr_eq(known, &pool(number))));
}

#[test]
fn a_closed_cache_opens_nothing() {
    let cache = ConnectionCache::default();
    let before = pool(&cache, 0);
    cache.close();
    let wanted = Wanted {
        connect_timeout: Duration::from_secs(1),
        max_connect_time: Duration::from_secs(1),
        connect_time: &ConnectTime::default(),
        deadline: None,
        waits: true,
    };
    for pool in [before, pool(&cache, 0), pool(&cache, 1)] {
        assert!(matches!(pool.open_separate(wanted), Err(NoConnection::Closed)));
    }
}

/// What happened to queues: `None` that one ended, otherwise the deadline when it was closed.
type History = Arc<Mutex<Vec<Option<Instant>>>>;

#[derive(Debug, Default)]
struct Queue {
    closed: AtomicBool,
    history: History,
}

impl ClosesWithPool for Queue {
    fn end(&self) {
        self.history.lock().unwrap().push(None);
    }

    fn close(&self, deadline: Instant) {
        self.history.lock().unwrap().push(Some(deadline));
        self.closed.store(true, Ordering::Relaxed);
    }
}

#[test]
fn all_queues_end_before_the_first_is_waited_for() {
    let cache = ConnectionCache::default();
    let history = History::default();
    let queues = [(); 4].map(|()| -> Arc<dyn ClosesWithPool> {
        Arc::new(Queue { history: Arc::clone(&history), ..Queue::default() })
    });
    let pools = [0, 1].map(|number| pool(&cache, number));
    for (index, queue) in queues.iter().enumerate() {
        pools[index % 2].close_with_it(queue);
    }
    cache.close();
    let history = history.lock().unwrap().clone();
    let (ended, closed) = history.split_at(4);
    assert!(ended.iter().all(Option::is_none), "{history:?}");
    assert!(closed.iter().all(|deadline| *deadline == closed[0] && deadline.is_some()));
}

#[test]
fn a_queue_that_comes_too_late_is_closed_at_once() {
    let cache = ConnectionCache::default();
    let queues = [(); 2].map(|()| Arc::new(Queue::default()));
    let [before, after] = queues.each_ref().map(|queue| {
        let queue: Arc<dyn ClosesWithPool> = Arc::<Queue>::clone(queue);
        queue
    });
    let pool = pool(&cache, 0);
    pool.close_with_it(&before);
    assert!(!queues[0].closed.load(Ordering::Relaxed));
    cache.close();
    pool.close_with_it(&after);
    assert!(queues.iter().all(|queue| queue.closed.load(Ordering::Relaxed)));
}
