//! Adapters with the single-thread model: one upcall at a time, and waiting requests delay nobody else.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::held::{DONE, Raw, STRATEGIES, TWO_WAY};
use crate::support::{Acting, Echo, Servant, Served, builder, served_by, until};
use zorb_core::lanes::Strategy;
use zorb_core::poa::ThreadModel;
use zorb_core::{CollocationStrategy, Interface, Orb, OrbBuilder};
use zorb_giop::{ReplyStatus, ResponseFlags};
use zorb_types::SystemExceptionKind;

/// More than the limits of threads, connections or descriptors.
const MANY: i32 = 1_000;
/// The argument with which the servant waits for a permission.
const WAITS: i32 = 100_000;
/// The argument with which the servant panics.
const PANICS: i32 = 100_001;
const EXCEPTION: ReplyStatus = ReplyStatus::SystemException;
const ONE_WAY: ResponseFlags = ResponseFlags::NoResponse;

/// Two objects in one lane: one in an adapter with a thread model, one in another adapter.
pub(crate) struct Stage {
    pub(crate) orb: Orb,
    pub(crate) object: Echo,
    pub(crate) free: Echo,
    /// The events of the object's servant: its argument when an upcall begins, and the negative one when it ends.
    pub(crate) events: Arc<Mutex<Vec<i32>>>,
    /// Lets an upcall that waits continue.
    pub(crate) permits: Sender<()>,
    address: String,
}

impl Stage {
    pub(crate) fn new(model: ThreadModel, strategy: Option<Strategy>, threads: usize) -> Self {
        let limit = (2 * MANY).to_string();
        Self::with(model, strategy, threads, builder().option("MaxHeldRequests", limit))
    }

    pub(crate) fn with(
        model: ThreadModel,
        strategy: Option<Strategy>,
        threads: usize,
        builder: OrbBuilder,
    ) -> Self {
        let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
        let Served { policies, address, .. } = served_by(&orb, strategy, threads);
        let (permits, permitted) = channel();
        let events = Arc::<Mutex<Vec<i32>>>::default();
        let root = orb.root_poa();
        let manager = orb.create_poa_manager();
        manager.activate().unwrap();
        let mut own = policies.clone();
        own.thread_model = model;
        let poa = root.create_with_manager("turns", own, manager).unwrap();
        let object = poa.activate(servant(&events, permitted)).unwrap();
        let free = root.create("free", policies).unwrap().activate(Acting(Ok)).unwrap();
        Self { orb, object, free, events, permits, address }
    }

    pub(crate) fn connect(&self) -> Raw {
        Raw(TcpStream::connect(&self.address).unwrap())
    }

    pub(crate) fn events(&self) -> Vec<i32> {
        self.events.lock().unwrap().clone()
    }

    pub(crate) fn manager(&self) -> zorb_core::poa::PoaManager {
        self.orb.root_poa().find("turns").unwrap().manager()
    }

    /// Calls `work` while a collocated upcall of the object waits, and then lets it continue.
    fn during_an_upcall<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            let call = scope.spawn(|| self.object.twice(WAITS));
            until(|| self.events().last() == Some(&WAITS));
            let result = work();
            self.permits.send(()).unwrap();
            assert_eq!(call.join().unwrap(), Ok(WAITS));
            result
        })
    }
}

fn servant(
    events: &Arc<Mutex<Vec<i32>>>,
    permitted: Receiver<()>,
) -> Acting<impl Fn(i32) -> zorb_core::Result<i32> + Send + Sync + 'static> {
    let (events, permitted) = (Arc::clone(events), Mutex::new(permitted));
    Acting(move |value| {
        events.lock().unwrap().push(value);
        assert_ne!(value, PANICS, "as asked");
        if value == WAITS {
            permitted.lock().unwrap().recv().unwrap();
        }
        events.lock().unwrap().push(-value);
        Ok(value)
    })
}

/// The events of upcalls one after the other.
pub(crate) fn one_by_one(values: impl IntoIterator<Item = i32>) -> Vec<i32> {
    values.into_iter().flat_map(|value| [value, -value]).collect()
}

/// Replies in the order of their ids: another thread may send its reply first.
fn replies(client: &mut Raw, count: i32) -> Vec<(i32, ReplyStatus)> {
    let mut replies: Vec<_> = (0..count).map(|_| client.reply()).collect();
    replies.sort_unstable_by_key(|(id, _)| *id);
    replies
}

fn done(ids: impl IntoIterator<Item = i32>) -> Vec<(i32, ReplyStatus)> {
    ids.into_iter().map(|id| (id, DONE)).collect()
}

#[test]
fn a_thousand_waiting_requests_delay_nobody_on_their_connection_or_in_their_lane() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 1);
        let (mut client, mut other) = (stage.connect(), stage.connect());
        stage.during_an_upcall(|| {
            (1..=MANY).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, MANY + 1, TWO_WAY);
            assert_eq!(client.reply(), (MANY + 1, DONE), "{strategy:?}");
            other.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(other.reply(), (7, DONE), "{strategy:?}");
            assert_eq!(stage.events(), [WAITS], "{strategy:?}");
        });
        assert_eq!(replies(&mut client, MANY), done(1..=MANY), "{strategy:?}");
        assert_eq!(stage.events(), one_by_one([WAITS].into_iter().chain(1..=MANY)), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

/// The control: where requests wait in upcalls, those behind them wait for their thread.
#[test]
fn requests_that_wait_in_upcalls_delay_the_others_of_their_lane() {
    for strategy in STRATEGIES.into_iter().flatten() {
        let stage = Stage::new(ThreadModel::OrbControlled, Some(strategy), 1);
        let mut client = stage.connect();
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.events() == [WAITS]);
        client.twice(&stage.free, 2, TWO_WAY);
        stage.permits.send(()).unwrap();
        assert_eq!([client.reply(), client.reply()], [(WAITS, DONE), (2, DONE)], "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_waiting_upcall_leaves_the_other_threads_of_its_lane_free() {
    for strategy in STRATEGIES.into_iter().filter(|it| *it != Some(Strategy::SingleThread)) {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 2);
        let mut clients = [stage.connect(), stage.connect()];
        clients[0].twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.events() == [WAITS]);
        // They need the second thread, which is the only one that is free.
        (1..=10).for_each(|value| clients[1].twice(&stage.object, value, TWO_WAY));
        clients[1].twice(&stage.free, 11, TWO_WAY);
        assert_eq!(clients[1].reply(), (11, DONE), "{strategy:?}");
        stage.permits.send(()).unwrap();
        assert_eq!(clients[0].reply(), (WAITS, DONE), "{strategy:?}");
        assert_eq!(replies(&mut clients[1], 10), done(1..=10), "{strategy:?}");
        assert_eq!(stage.events(), one_by_one([WAITS].into_iter().chain(1..=10)), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_panic_ends_the_turn() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 1);
        let mut client = stage.connect();
        stage.during_an_upcall(|| {
            client.twice(&stage.object, PANICS, TWO_WAY);
            client.twice(&stage.object, 1, TWO_WAY);
            client.twice(&stage.free, 2, TWO_WAY);
            assert_eq!(client.reply(), (2, DONE), "{strategy:?}");
        });
        let replies = replies(&mut client, 2);
        assert_eq!(replies, [(1, DONE), (PANICS, EXCEPTION)], "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_keep_their_order_although_the_manager_holds_them_meanwhile() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 1);
        let manager = stage.manager();
        let mut client = stage.connect();
        stage.during_an_upcall(|| {
            (1..=50).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, 51, TWO_WAY);
            assert_eq!(client.reply(), (51, DONE), "{strategy:?}");
            manager.hold_requests().unwrap();
            // Held by the manager before those whose turn comes next.
            client.twice(&stage.object, 52, TWO_WAY);
        });
        until(|| manager.held_requests() == 51);
        manager.activate().unwrap();
        let expected = (1..=50).chain([52]);
        assert_eq!(replies(&mut client, 51), done(expected.clone()), "{strategy:?}");
        assert_eq!(stage.events(), one_by_one([WAITS].into_iter().chain(expected)), "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

/// Sends three one-way requests to a POA with this thread model, and returns their events. The first request calls its
/// client back. During the callback, `passing` further events occur after the one for its beginning. With `others_pass`, a
/// request to another object is answered during the callback.
fn order_of_one_ways(
    model: ThreadModel,
    strategy: Option<Strategy>,
    threads: usize,
    (passing, others_pass): (usize, bool),
) -> Vec<i32> {
    let client_orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let here: Echo = client_orb.root_poa().activate(Servant::default()).unwrap();
    let stage = Stage::new(model, strategy, threads);
    let back: Echo = stage.orb.resolve(&here.object().to_ior_string()).unwrap();
    let (sender, events) = channel();
    let poa = stage.orb.root_poa().find("turns").unwrap();
    let calling: Echo = poa
        .activate(Acting(move |value: i32| {
            sender.send(value).unwrap();
            if value == 1 {
                back.wait_for(1)?;
            }
            sender.send(-value).unwrap();
            Ok(value)
        }))
        .unwrap();
    let mut client = stage.connect();
    (1..=3).for_each(|value| client.twice(&calling, value, ONE_WAY));
    if others_pass {
        client.twice(&stage.free, 4, TWO_WAY);
        assert_eq!(client.reply(), (4, DONE), "{strategy:?}");
    }
    let mut order: Vec<i32> = events.iter().take(1 + passing).collect();
    here.note(1).unwrap();
    order.extend(events.iter().take(5 - passing));
    stage.orb.shutdown(true).unwrap();
    client_orb.shutdown(true).unwrap();
    order
}

#[test]
fn a_one_way_request_is_finished_before_the_next_one_begins() {
    // Its servant calls back, so that other threads serve the connection meanwhile.
    for strategy in STRATEGIES {
        let has_others = strategy != Some(Strategy::SingleThread);
        let threads = if has_others { 4 } else { 1 };
        let passing = (0, has_others);
        let order = order_of_one_ways(ThreadModel::SingleThread, strategy, threads, passing);
        assert_eq!(order, one_by_one(1..=3), "{strategy:?}");
    }
}

#[test]
fn in_a_lane_of_one_thread_a_one_way_request_is_finished_before_the_next_one_begins() {
    for strategy in STRATEGIES.into_iter().flatten() {
        let order = order_of_one_ways(ThreadModel::OrbControlled, Some(strategy), 1, (0, false));
        assert_eq!(order, one_by_one(1..=3), "{strategy:?}");
    }
}

/// The control: with other threads, those behind a callback run during it.
#[test]
fn one_way_requests_overtake_one_that_calls_back_where_there_are_other_threads() {
    let strategies = STRATEGIES.into_iter().filter(|it| *it != Some(Strategy::SingleThread));
    for strategy in strategies {
        let order = order_of_one_ways(ThreadModel::OrbControlled, strategy, 4, (4, true));
        assert_eq!(order.last(), Some(&-1), "{strategy:?}: {order:?}");
    }
}

#[test]
fn one_way_requests_with_published_keys_wait_for_their_turn() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::SingleThread, strategy, 1);
        stage.orb.publish("turns", &stage.object).unwrap();
        let mut client = stage.connect();
        stage.during_an_upcall(|| {
            (1..=20).for_each(|value| client.twice_to(b"turns", value, ONE_WAY));
            client.twice(&stage.free, 21, TWO_WAY);
            assert_eq!(client.reply(), (21, DONE), "{strategy:?}");
        });
        let expected = one_by_one([WAITS].into_iter().chain(1..=20));
        until(|| stage.events().len() == expected.len());
        assert_eq!(stage.events(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_beyond_the_limit_are_answered_and_so_are_those_that_wait_at_the_shutdown() {
    for strategy in STRATEGIES {
        let limited = builder().option("MaxHeldRequests", "6");
        let stage = Stage::with(ThreadModel::SingleThread, strategy, 1, limited);
        let mut client = stage.connect();
        stage.during_an_upcall(|| {
            (1..=4).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            assert_eq!(client.reply(), (4, EXCEPTION), "{strategy:?}");
            stage.orb.shutdown(false).unwrap();
        });
        let replies = replies(&mut client, 3);
        assert_eq!(replies, [(1, EXCEPTION), (2, EXCEPTION), (3, EXCEPTION)], "{strategy:?}");
        stage.orb.run().unwrap();
    }
}

#[test]
fn a_thread_may_call_the_adapter_in_its_upcall_and_others_wait_until_their_deadline() {
    let strategies = [
        CollocationStrategy::Direct,
        CollocationStrategy::ThruPoa,
        CollocationStrategy::Marshalled,
    ];
    for strategy in strategies {
        let stage = Stage::new(ThreadModel::SingleThread, None, 1);
        let object = stage.object.with_collocation(strategy);
        let known = Arc::new(OnceLock::<Echo>::new());
        let own = Arc::clone(&known);
        let poa = stage.orb.root_poa().find("turns").unwrap();
        let nested: Echo = poa
            .activate(Acting(move |value| match value {
                0 => Ok(0),
                _ => Ok(own.get().unwrap().twice(value - 1)? + 1),
            }))
            .unwrap();
        known.set(nested.with_collocation(strategy)).unwrap();
        assert_eq!(nested.with_collocation(strategy).twice(5), Ok(5));
        stage.during_an_upcall(|| {
            let hasty: Echo =
                Interface::from_object(object.object().with_timeout(Duration::from_millis(1)));
            let late = hasty.twice(1).unwrap_err();
            assert_eq!(late.kind, SystemExceptionKind::Timeout, "{strategy:?}");
        });
        std::thread::scope(|scope| {
            let waiting = stage.during_an_upcall(|| scope.spawn(|| object.twice(3)));
            assert_eq!(waiting.join().unwrap(), Ok(3), "{strategy:?}");
        });
        let expected = one_by_one([WAITS, WAITS, 3]);
        assert_eq!(stage.events(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_missing_adapter_below_a_holding_one_is_held() {
    for strategy in STRATEGIES {
        let stage = Stage::new(ThreadModel::OrbControlled, strategy, 1);
        let root = stage.orb.root_poa();
        let manager = stage.orb.create_poa_manager();
        let policies = root.find("free").unwrap().policies().persistent().user_ids();
        let above = root.create_with_manager("above", policies.clone(), manager.clone()).unwrap();
        let create = || {
            let below = above.create("below", policies.clone()).unwrap();
            let echo: Echo = below.activate_with_id("it", Acting(Ok)).unwrap();
            (below, echo)
        };
        let (below, echo) = create();
        below.destroy();
        let mut client = stage.connect();
        client.twice(&echo, 1, TWO_WAY);
        until(|| manager.held_requests() == 1);
        let (below, _echo) = create();
        manager.activate().unwrap();
        assert_eq!(client.reply(), (1, DONE), "{strategy:?}");
        below.destroy();
        client.twice(&echo, 2, TWO_WAY);
        assert_eq!(client.reply(), (2, EXCEPTION), "the control: {strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}
