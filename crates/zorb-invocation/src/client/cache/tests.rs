use std::net::TcpListener;
use std::sync::Mutex;
use std::time::Duration;

use zorb_base::calling_lane::CallingLane;
use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_base::upcall_thread::{begin_upcall, end_upcall};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Scripted, in_own_process, until};
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::connect_time::ConnectTime;
use crate::client::endpoint_cache::{MessageQueue, NoConnection, Wanted};
use crate::flow::{FlowLimits, FlowQueue};

fn cache(all: &ConnectionCache, number: usize) -> Arc<EndpointCache> {
    cache_to(all, &format!("host{number}:2809"))
}

fn cache_to(all: &ConnectionCache, address: &str) -> Arc<EndpointCache> {
    let protocol: Arc<dyn Protocol> = Arc::new(IiopProtocol::new());
    let endpoint = Endpoint::new("iiop", address).unwrap();
    let options = Options::default();
    all.cache(
        &endpoint,
        &ConnectionClass::plain(&options),
        &protocol,
        &Receiving::new(&options, &PeerShares::new(process_budget(), 0)),
    )
}

#[test]
fn caches_without_a_reference_do_not_pile_up() {
    let all = ConnectionCache::default();
    let cache = |number| cache(&all, number);
    let kept = cache(0);
    for number in 1..10 * MAX_UNUSED {
        cache(number);
    }
    assert!(all.caches.lock().by_key.len() <= MAX_UNUSED);
    assert!(Arc::ptr_eq(&kept, &cache(0)), "one that is referred to stays");
    // The number of caches in use is not limited.
    let many: Vec<_> = (0..2 * MAX_UNUSED).map(cache).collect();
    assert!(many.iter().enumerate().all(|(number, known)| Arc::ptr_eq(known, &cache(number))));
}

#[test]
fn a_closed_cache_opens_nothing() {
    let all = ConnectionCache::default();
    let before = cache(&all, 0);
    all.close();
    let (options, time) = (Options::default(), ConnectTime::default());
    let wanted = Wanted::new(Duration::from_secs(1), &options, &time, None);
    for cache in [before, cache(&all, 0), cache(&all, 1)] {
        assert!(matches!(cache.open_separate(wanted), Err(NoConnection::Closed)));
    }
}

/// A queue of one-way calls that has none.
fn queue() -> Arc<MessageQueue> {
    let stream = Arc::new(Scripted::new(|_| Ok(0), |_| Ok(None)));
    Arc::new(MessageQueue { messages: FlowQueue::new(FlowLimits::default()), stream })
}

#[test]
fn all_queues_end_before_the_first_is_waited_for() {
    let all = ConnectionCache::default();
    let queues = [(); 4].map(|()| queue());
    let caches = [0, 1].map(|number| cache(&all, number));
    for (index, queue) in queues.iter().enumerate() {
        caches[index % 2].add_queue(queue);
    }
    let closing = begin_close_all(&caches);
    assert!(queues.iter().all(|queue| queue.messages.has_ended()));
    closing.finish();
}

#[test]
fn a_queue_that_comes_too_late_is_closed_at_once() {
    let all = ConnectionCache::default();
    let [before, after] = [(); 2].map(|()| queue());
    let cache = cache(&all, 0);
    cache.add_queue(&before);
    assert!(!before.messages.has_ended());
    all.close();
    cache.add_queue(&after);
    assert!([before, after].iter().all(|queue| queue.messages.has_ended()));
}

/// Makes a call that opens a connection, and releases it.
fn call(cache: &EndpointCache) -> Result<(), NoConnection> {
    let (options, time) = (Options::default(), ConnectTime::default());
    cache.connection(Wanted::new(Duration::from_secs(10), &options, &time, None)).map(drop)
}

/// Makes room for a second connection of the process within 50 ms, or in an hour. Returns also what the caller has
/// spent of that.
fn make_second(all: &ConnectionCache, hour: bool) -> (Option<Counted>, Duration) {
    let limit = if hour { Duration::from_secs(3600) } else { Duration::from_millis(50) };
    let (options, time) = (Options::default(), ConnectTime::default());
    let wanted = Wanted::new(limit, &options, &time, None);
    let wanted = Wanted { max_connect_time: limit, ..wanted };
    let counted = all.caches.make_room(1, wanted);
    (counted, limit - wanted.time_to_connect())
}

#[test]
fn waiting_for_room_leaves_the_token_of_the_thread() {
    let name = "client::cache::tests::waiting_for_room_leaves_the_token_of_the_thread";
    in_own_process(name, || {
        let _in_use = ConnectionCount::of_clients().enter();
        let program = std::thread::spawn(|| {
            std::thread::current().unpark();
            assert!(make_second(&ConnectionCache::default(), false).0.is_none());
            std::thread::park();
        });
        until(|| program.is_finished());
        program.join().unwrap();
    });
}

#[test]
fn callers_get_room_in_their_order() {
    let name = "client::cache::tests::callers_get_room_in_their_order";
    in_own_process(name, || {
        let all = ConnectionCache::default();
        let in_use = ConnectionCount::of_clients().enter();
        let served = Mutex::new(Vec::new());
        let call = |number| {
            let counted = make_second(&all, true).0.unwrap();
            served.lock().unwrap().push(number);
            drop(counted);
        };
        std::thread::scope(|scope| {
            for number in 0..5 {
                let call = &call;
                scope.spawn(move || call(number));
                until(|| all.caches.waiting.lock().len() > number);
            }
            drop(in_use);
            // There is room now, but not for a newcomer.
            call(5);
        });
        assert_eq!(served.into_inner().unwrap(), [0, 1, 2, 3, 4, 5]);
    });
}

#[test]
fn callers_with_a_lower_limit_do_not_keep_those_of_another_orb_waiting() {
    let name =
        "client::cache::tests::callers_with_a_lower_limit_do_not_keep_those_of_another_orb_waiting";
    in_own_process(name, || {
        let all = ConnectionCache::default();
        let in_use = ConnectionCount::of_clients().enter();
        std::thread::scope(|scope| {
            scope.spawn(|| make_second(&all, true).0.unwrap());
            until(|| !all.caches.waiting.lock().is_empty());
            let (options, time) = (Options::default(), ConnectTime::default());
            let wanted = Wanted::new(Duration::from_secs(3600), &options, &time, None);
            drop(ConnectionCache::default().caches.make_room(2, wanted).unwrap());
            drop(in_use);
        });
    });
}

#[test]
fn an_upcall_does_not_wait_for_calls_that_may_wait_for_it() {
    let name = "client::cache::tests::an_upcall_does_not_wait_for_calls_that_may_wait_for_it";
    in_own_process(name, || {
        let all = ConnectionCache::default();
        let _in_use = ConnectionCount::of_clients().enter();
        begin_upcall();
        let (counted, spent) = make_second(&all, false);
        end_upcall();
        assert!(counted.is_none());
        assert_eq!(spent, Duration::ZERO);
        let (counted, spent) = make_second(&all, false);
        assert!(counted.is_none());
        assert_eq!(spent, Duration::from_millis(50));
    });
}

#[test]
fn the_idle_connections_of_upcalls_make_room_for_others_of_upcalls() {
    let name =
        "client::cache::tests::the_idle_connections_of_upcalls_make_room_for_others_of_upcalls";
    in_own_process(name, || {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let all = ConnectionCache::default();
        let caches = [1, 2, 3, 4].map(|host| cache_to(&all, &format!("127.0.0.{host}:{port}")));
        call(&caches[0]).unwrap();
        begin_upcall();
        call(&caches[1]).unwrap();
        call(&caches[2]).unwrap();
        let in_use: Vec<_> =
            std::iter::from_fn(|| ConnectionCount::of_upcalls().enter_below(0)).collect();
        call(&caches[3]).unwrap();
        // The clock is too coarse to tell which of two was used first.
        let open = caches.each_ref().map(|cache| cache.has_connections());
        assert!(open[0] && open[3] && open[1] != open[2], "{open:?}");
        assert!(ConnectionCount::of_upcalls().enter_below(0).is_none());
        let closed = caches[1..].iter().map(|cache| cache.close_unused(Some(Duration::ZERO)));
        assert_eq!(closed.sum::<usize>(), 2);
        let rest: Vec<_> =
            std::iter::from_fn(|| ConnectionCount::of_upcalls().enter_below(0)).collect();
        assert!(matches!(call(&caches[1]), Err(NoConnection::TooManyOfUpcalls)));
        assert!(caches[0].has_connections());
        end_upcall();
        drop((in_use, rest));
    });
}

#[test]
fn the_idle_connection_of_a_lane_makes_room() {
    let name = "client::cache::tests::the_idle_connection_of_a_lane_makes_room";
    in_own_process(name, || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let all = ConnectionCache::default();
        let cache = cache_to(&all, &listener.local_addr().unwrap().to_string());
        let lane = CallingLane::new().unwrap();
        let entered = lane.enter();
        call(&cache).unwrap();
        drop(entered);
        assert!(cache.has_connections());
        assert!(make_second(&all, false).0.is_some());
        assert!(!cache.has_connections());
    });
}
