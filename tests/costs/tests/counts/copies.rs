//! The number of copies of an argument's octets over shared memory, and the cost of a loan.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb::poa::{Poa, PoaPolicies};
use zorb::policy::{Policies, SetOverrideType};
use zorb::protocols::{ShmTransport, ShmiopProtocol};
use zorb::{
    BufferStrategy, Caller, Interface as _, Loan, LoanedOctets, Orb, OrbBuilder, SystemException,
};
use zorb_cdr::{CdrReader, CdrWriter};
use zorb_costs::{
    BinStruct, Counted, CountedServant, Lender, LenderServant, Part, Point, Servant, counted,
};
use zorb_os::alloc::AllocationCount;
use zorb_os::memory::octets_copied;
use zorb_rt::{LaneBuilder, Priority, RtOrb, Strategy};

const CALLS: u64 = 30;
const LEN: usize = 64 << 10;

/// Sums its argument, and delegates everything else to [`Servant`].
#[derive(Default)]
struct Adding(Arc<AtomicU64>);

impl CountedServant for Adding {
    fn take_octets(&self, data: &[u8]) -> zorb::Result<()> {
        let sum: u64 = data.iter().map(|octet| u64::from(*octet)).sum();
        self.0.fetch_add(sum, Ordering::Relaxed);
        Ok(())
    }

    fn nothing(&self) -> zorb::Result<()> {
        Servant.nothing()
    }

    fn echo_long(&self, number: i32) -> zorb::Result<i32> {
        Servant.echo_long(number)
    }

    fn echo_struct(&self, data: &BinStruct) -> zorb::Result<BinStruct> {
        Servant.echo_struct(data)
    }

    fn note(&self, number: i32) {
        Servant.note(number);
    }

    fn echo_string(&self, text: &str) -> zorb::Result<String> {
        Servant.echo_string(text)
    }

    fn give_octets(&self, count: u32) -> zorb::Result<Vec<u8>> {
        Servant.give_octets(count)
    }

    fn take_structs(&self, data: &[BinStruct]) -> zorb::Result<()> {
        Servant.take_structs(data)
    }

    fn take_points(&self, data: &[Point]) -> zorb::Result<()> {
        Servant.take_points(data)
    }

    fn take_parts(&self, data: &[Part]) -> zorb::Result<()> {
        Servant.take_parts(data)
    }

    fn refuse(&self, reason: i32) -> zorb::Result<(), counted::RefuseError> {
        Servant.refuse(reason)
    }

    fn mark(&self, name: &str) -> zorb::Result<()> {
        Servant.mark(name)
    }
}

fn builder() -> OrbBuilder {
    // On a busy machine the watchdog would take a call for a slow one and start a thread.
    Orb::builder().without_environment().option("StallTakeover", "3600000")
}

struct Pair {
    server: Orb,
    client: Orb,
    there: Counted,
    sum: Arc<AtomicU64>,
}

fn pair(server: OrbBuilder, url: &str) -> Pair {
    let server = server.listen(url).build().unwrap();
    let poa = server.root_poa();
    pair_of(server, &poa)
}

/// The same in a lane of one thread.
fn pair_in_lane(strategy: Strategy) -> Pair {
    let server = builder().listen("shmiop://").build().unwrap();
    let rt = RtOrb::builder().attach(&server).unwrap();
    let pool = rt.threadpool("lane").lane(LaneBuilder::new(Priority::MIN, 1));
    let pool = pool.strategy(strategy).create().unwrap();
    let model = rt.client_propagated(Priority::MIN);
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.root_poa().create("lane", policies).unwrap();
    pair_of(server, &poa)
}

fn pair_of(server: Orb, poa: &Poa) -> Pair {
    let servant = Adding::default();
    let sum = Arc::clone(&servant.0);
    let counted: Counted = poa.activate(servant).unwrap();
    let client = builder().build().unwrap();
    let there = client.resolve(&counted.as_object().to_ior_string()).unwrap();
    Pair { server, client, there, sum }
}

impl Pair {
    /// Copies of `len` octets that `call` makes, which passes so many with each octet 3.
    fn copies(&self, len: usize, call: impl Fn(&Counted)) -> u64 {
        call(&self.there);
        let (before, sum) = (octets_copied(), self.sum.load(Ordering::Relaxed));
        (0..CALLS).for_each(|_| call(&self.there));
        let copied = octets_copied() - before;
        assert_eq!(self.sum.load(Ordering::Relaxed) - sum, 3 * len as u64 * CALLS);
        // Requests and replies without the octets go through the rings.
        let (copies, rest) = (copied / len as u64 / CALLS, copied % (len as u64 * CALLS));
        assert!(rest < 500 * CALLS, "{rest} octets beside");
        copies
    }

    fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

fn loaned(len: usize) -> impl Fn(&Counted) {
    move |there| {
        let mut loan = there.loan(len).unwrap();
        loan.fill(3);
        there.take_octets(&loan).unwrap();
    }
}

fn plain(len: usize) -> impl Fn(&Counted) {
    let octets = vec![3; len];
    move |there| there.take_octets(&octets).unwrap()
}

/// Copies of `len` octets that a result makes on its way to where the client reads it.
fn copies_of_results(pair: &Pair, len: usize, read: impl Fn(&[u8]) -> bool) -> u64 {
    let call = || {
        let arguments = |writer: &mut CdrWriter<'_>| {
            writer.write_u32(len as u32);
            Ok(())
        };
        let results = |reader: &mut CdrReader<'_>| reader.read_octets().map(&read);
        let good: Result<bool, SystemException> =
            pair.there.as_object().invoke("give_octets", arguments, results);
        assert!(good.unwrap());
    };
    call();
    let before = octets_copied();
    (0..CALLS).for_each(|_| call());
    let copied = octets_copied() - before;
    let (copies, rest) = (copied / len as u64 / CALLS, copied % (len as u64 * CALLS));
    assert!(rest < 500 * CALLS, "{rest} octets beside");
    copies
}

/// Octets that the server's program has, and the client's reads where they are.
fn results_are_copied_once(pair: &Pair, copies: u64, what: &str) {
    let given = Servant.give_octets(LEN as u32).unwrap();
    assert_eq!(copies_of_results(pair, LEN, |octets| octets == given), copies, "{what}");
    assert_eq!(pair.there.give_octets(LEN as u32).unwrap(), given);
    // A reply of types known at run time only, read where it lies and kept.
    let arguments = |writer: &mut CdrWriter<'_>| {
        writer.write_u32(LEN as u32);
        Ok(())
    };
    let object = pair.there.as_object();
    let kept = object.invoke_dynamic("give_octets", arguments, |reply| {
        assert_eq!(reply.reader().read_octets().unwrap(), given);
        reply.to_owned_reply()
    });
    assert_eq!(kept.unwrap().reader().read_octets().unwrap(), given, "{what}");
}

/// Returns loans for the reply, filled with 3.
struct Lending {
    orb: Orb,
    /// How this operation wants it.
    by: Option<BufferStrategy>,
    /// The strategy that it sets for the connection.
    of_connection: Option<BufferStrategy>,
    /// The strategy that it sets for its thread during the upcall.
    of_thread: Policies,
}

impl Lending {
    fn new(orb: &Orb) -> Self {
        Self { orb: orb.clone(), by: None, of_connection: None, of_thread: Policies::new() }
    }

    fn drawn(&self, len: usize) -> Loan {
        if let Some(strategy) = self.of_connection {
            Caller::current().unwrap().set_buffer_strategy(strategy);
        }
        let draw = || match self.by {
            None => Loan::for_reply(len),
            Some(strategy) => Loan::for_reply_by(strategy, len),
        };
        let mut loan = match self.of_thread.is_empty() {
            true => draw(),
            false => self.orb.policy_current().during(&self.of_thread, draw).unwrap(),
        };
        loan.fill(3);
        loan
    }
}

impl LenderServant for Lending {
    fn lend(&self, count: u32) -> zorb::Result<LoanedOctets> {
        Ok(self.drawn(count as usize).into())
    }

    fn lend_last(&self, count: u32) -> zorb::Result<(String, LoanedOctets)> {
        Ok(("octets".into(), self.drawn(count as usize).into()))
    }

    fn turn(&self, data: &[u8]) -> zorb::Result<LoanedOctets> {
        let mut turned = self.drawn(data.len());
        data.iter().zip(turned.iter_mut().rev()).for_each(|(from, to)| *to = *from);
        Ok(turned.into())
    }

    fn picture(&self) -> zorb::Result<LoanedOctets> {
        Ok(self.drawn(5000).into())
    }
}

/// A lender of the pair's server, as its client knows it.
fn lender(pair: &Pair, poa: &Poa, policies: &Policies, servant: Lending) -> Lender {
    let there: Lender = poa.activate_with_policies(&Arc::new(servant), None, policies).unwrap();
    pair.client.resolve(&there.as_object().to_ior_string()).unwrap()
}

/// Copies of the octets of a result that a stub returns.
fn copies_of_lent(call: impl Fn() -> LoanedOctets) -> u64 {
    let (good, len) =
        (|lent: LoanedOctets| lent.iter().all(|octet| *octet == 3), call().len() as u64);
    let before = octets_copied();
    assert!((0..CALLS).all(|_| good(call())));
    let copied = octets_copied() - before;
    assert!(copied % (len * CALLS) < 600 * CALLS, "{copied}");
    copied / len / CALLS
}

/// Octets that the servant has written are those that the client's program reads.
fn results_are_lent(pair: &Pair, poa: &Poa, what: &str) {
    let there = lender(pair, poa, &Policies::new(), Lending::new(&pair.server));
    assert_eq!(copies_of_lent(|| there.lend(LEN as u32).unwrap()), 0, "{what}");
    assert_eq!(copies_of_lent(|| there.lend_last(LEN as u32).unwrap().1), 0, "{what}");
    assert_eq!(copies_of_lent(|| there.picture().unwrap()), 0, "{what}");
    let mut turned = there.loan(LEN).unwrap();
    turned.fill(3);
    assert_eq!(copies_of_lent(|| there.turn(&turned).unwrap()), 0, "{what}");
    // Short octets, and those without a free buffer, go through the ring.
    assert!(!there.lend(100).unwrap().is_shared());
    let kept: Vec<_> = (0..20).map(|_| there.lend(LEN as u32).unwrap()).collect();
    let shared = kept.iter().filter(|lent| lent.is_shared()).count();
    assert!((1..20).contains(&shared), "{what}: {shared}");
    assert!(kept.iter().all(|lent| lent[..] == [3; LEN]), "{what}");
    let clone = kept.first().cloned().unwrap();
    drop(kept);
    assert!(clone.is_shared() && clone[..] == [3; LEN], "{what}");
    assert_eq!(copies_of_lent(|| there.lend(LEN as u32).unwrap()), 0, "{what}");
    // A collocated stub gets the servant's octets.
    let here: Lender = pair.server.resolve(&there.as_object().to_ior_string()).unwrap();
    assert_eq!(here.lend(LEN as u32).unwrap().into_vec(), [3; LEN]);
}

fn the_server_chooses_at_every_level() {
    let pair = pair(builder(), "shmiop://");
    let root = pair.server.root_poa();
    let (single, zero) = (BufferStrategy::SingleCopy, BufferStrategy::ZeroCopy);
    let none = Policies::new();
    let policies = |strategy| Policies::new().with(strategy);
    let new = || Lending::new(&pair.server);
    let copies = |poa: &Poa, of_object: &Policies, servant| {
        let there = lender(&pair, poa, of_object, servant);
        copies_of_lent(|| there.lend(LEN as u32).unwrap())
    };
    assert_eq!(copies(&root, &none, new()), 0);
    // Adapters that were there before have nothing of what the ORB says now.
    pair.server.policy_manager().add(&policies(single)).unwrap();
    assert_eq!(copies(&root, &none, new()), 1, "the ORB");
    let of_connection = |strategy| Lending { of_connection: Some(strategy), ..new() };
    assert_eq!(copies(&root, &none, of_connection(zero)), 0, "the connection");
    let of_thread = |strategy| Lending { of_thread: policies(strategy), ..new() };
    assert_eq!(copies(&root, &none, of_thread(single)), 1, "the thread");
    let adapter = |name, strategy| {
        let policies = PoaPolicies::new().with(strategy);
        pair.server.root_poa().create(name, policies).unwrap()
    };
    let (zeros, singles) = (adapter("zeros", zero), adapter("singles", single));
    assert_eq!(copies(&zeros, &none, of_thread(single)), 0, "the adapter");
    assert_eq!(copies(&singles, &none, of_thread(zero)), 1, "the adapter");
    assert_eq!(copies(&zeros, &policies(single), new()), 1, "the object");
    assert_eq!(copies(&singles, &policies(zero), new()), 0, "the object");
    let by = |strategy| Lending { by: Some(strategy), ..new() };
    assert_eq!(copies(&singles, &none, by(zero)), 0, "the operation");
    assert_eq!(copies(&zeros, &none, by(single)), 1, "the operation");
    pair.end();
}

fn a_lent_result_costs_no_allocation_and_no_lock(pair: &Pair, poa: &Poa) {
    let there = lender(pair, poa, &Policies::new(), Lending::new(&pair.server));
    costs_no_allocation_and_no_lock(&pair.there, || {
        assert_eq!(there.lend(LEN as u32).unwrap()[LEN - 1], 3);
    });
}

/// No allocation, and no lock beyond those of a call of `there` without arguments.
fn costs_no_allocation_and_no_lock(there: &Counted, call: impl Fn()) {
    let round = || {
        let before = AllocationCount::total();
        (0..CALLS).for_each(|_| call());
        AllocationCount::total().since(before).allocations
    };
    assert_eq!(round().min(round()).min(round()), 0);
    let locks = |call: &dyn Fn()| {
        let before = zorb_core::counters::CallCounts::now();
        (0..CALLS).for_each(|_| call());
        let used = zorb_core::counters::CallCounts::now().since(before);
        (used.client_locks, used.server_locks, used.contended)
    };
    let without = locks(&|| there.nothing().unwrap());
    assert_eq!(locks(&call), without);
}

// One test, so that nothing else is counted.
#[test]
fn a_drawn_buffer_is_never_copied_and_others_once() {
    let _alone = crate::alone();
    let buffers = pair(builder(), "shmiop://");
    assert_eq!(buffers.copies(LEN, loaned(LEN)), 0);
    assert_eq!(buffers.copies(4096, loaned(4096)), 0);
    assert_eq!(buffers.copies(LEN, plain(LEN)), 1);
    assert_eq!(buffers.copies(2 << 20, plain(2 << 20)), 2, "larger than the buffers");
    results_are_copied_once(&buffers, 1, "a thread of the connection's own");
    assert_eq!(copies_of_results(&buffers, 2 << 20, |all| all.len() == 2 << 20), 2);
    let poa = buffers.server.root_poa();
    results_are_lent(&buffers, &poa, "a thread of the connection's own");
    a_lent_result_costs_no_allocation_and_no_lock(&buffers, &poa);
    the_server_chooses_at_every_level();
    the_strategy_is_chosen_at_every_level(&buffers);
    costs_no_allocation_and_no_lock(&buffers.there, || loaned(LEN)(&buffers.there));
    many_calls_send_one_buffer(&buffers);
    buffers.end();

    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection] {
        let lane = pair_in_lane(strategy);
        assert_eq!(lane.copies(LEN, loaned(LEN)), 0, "{strategy:?}");
        assert_eq!(lane.copies(LEN, plain(LEN)), 1, "{strategy:?}");
        results_are_copied_once(&lane, 1, &format!("{strategy:?}"));
        let poa = lane.server.root_poa().find("lane").unwrap();
        results_are_lent(&lane, &poa, &format!("{strategy:?}"));
        lane.end();
    }

    let shared = pair(builder(), "shmiop://");
    let client = builder().option("MaxCallsPerConnection", "4").build().unwrap();
    let there = client.resolve(&shared.there.as_object().to_ior_string()).unwrap();
    shared.client.shutdown(true).unwrap();
    let shared = Pair { there, client, ..shared };
    assert_eq!(shared.copies(LEN, plain(LEN)), 1);
    results_are_copied_once(&shared, 1, "a connection that calls share");
    results_are_lent(&shared, &shared.server.root_poa(), "a connection that calls share");
    shared.end();

    let transport = ShmTransport::new().with_buffers(0, 0);
    let protocol = ShmiopProtocol::over(transport);
    let rings = pair(builder().protocol(Arc::new(protocol)), "shmiop://");
    assert_eq!(rings.copies(LEN, plain(LEN)), 2);
    results_are_copied_once(&rings, 2, "rings");
    assert_eq!(rings.copies(LEN, loaned(LEN)), 2, "as good as any other argument");
    assert!(!rings.there.loan(LEN).unwrap().is_shared());
    rings.end();

    let sockets = pair(builder(), "uiop://");
    assert!(!sockets.there.loan(LEN).unwrap().is_shared());
    assert_eq!(sockets.copies(LEN, loaned(LEN)), 0, "of shared memory there is none");
    sockets.end();
}

fn the_strategy_is_chosen_at_every_level(buffers: &Pair) {
    let single = Policies::new().with(BufferStrategy::SingleCopy);
    let zero = Policies::new().with(BufferStrategy::ZeroCopy);
    let (there, orb) = (&buffers.there, &buffers.client);
    let copies = |there: &Counted| buffers.copies(LEN, |_| loaned(LEN)(there));

    orb.policy_manager().add(&single).unwrap();
    assert_eq!(copies(there), 1, "the ORB");
    orb.policy_current().add(&zero).unwrap();
    assert_eq!(copies(there), 0, "the thread");
    let object = there.with_policies(&single).unwrap();
    assert_eq!(copies(&object), 1, "the object");
    let call = object.for_call(&zero).unwrap();
    assert_eq!(copies(&call), 0, "the call");
    let (none, set) = (Policies::new(), SetOverrideType::SetOverride);
    orb.policy_manager().set_policy_overrides(&none, set).unwrap();
    orb.policy_current().set_policy_overrides(&none, set).unwrap();
    assert_eq!(copies(there), 0);
}

fn many_calls_send_one_buffer(buffers: &Pair) {
    let there = &buffers.there;
    let mut loan = there.loan(LEN).unwrap();
    assert!(loan.is_shared());
    let sum = buffers.sum.load(Ordering::Relaxed);
    let mut expected = 0;
    for number in 0..200 {
        loan.fill(number);
        there.take_octets(&loan).unwrap();
        there.take_octets(&loan[LEN / 2..]).unwrap();
        expected += u64::from(number) * (LEN + LEN / 2) as u64;
    }
    assert_eq!(buffers.sum.load(Ordering::Relaxed) - sum, expected);
    // When there is none left, buffers come from the heap.
    let all: Vec<_> = (0..20).map(|_| there.loan(LEN).unwrap()).collect();
    let shared = all.iter().filter(|loan| loan.is_shared()).count();
    assert!((1..20).contains(&shared), "{shared}");
    assert!(!there.loan(64 << 20).unwrap().is_shared());
}
