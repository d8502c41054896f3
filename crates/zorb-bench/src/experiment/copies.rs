//! Counts the copies of arguments and results over shared memory, by the origin of their buffers.
//!
//! Client and server are two ORBs of this process, so that one counter includes both.

use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::policy::Policies;
use zorb::protocols::{ShmTransport, ShmiopProtocol};
use zorb::{BufferStrategy, Interface as _, Loan, LoanedOctets, Orb};
use zorb_os::clock::MonotonicTime;
use zorb_os::memory::{COUNTING, octets_copied};

use super::runner::Run;
use crate::driver::Done;
use crate::error::{Error, Result};
use crate::harness::Watch;
use crate::processor::process_cpu_ns;
use crate::recorder::Recorder;
use crate::report::{Claim, Figure};
use crate::stubs::copies::{Octets, Store, StoreServant};

/// Default sizes of arguments in octets.
const PAYLOADS: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];
/// Default number of calls of a block.
const CALLS: u32 = 2000;
/// Number of calls of a quick block.
const QUICK_CALLS: u32 = 20;
/// Calls before those that are timed.
const WARM: u32 = 50;

/// The origin of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The sender's memory; connections have no shared buffers.
    Copy,
    /// The sender's memory, copied to a shared buffer.
    SingleCopy,
    /// A shared buffer that the sender has on loan.
    ZeroCopy,
}

impl Way {
    const ALL: [Self; 3] = [Self::Copy, Self::SingleCopy, Self::ZeroCopy];

    const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::SingleCopy => "single-copy",
            Self::ZeroCopy => "zero-copy",
        }
    }

    const fn copies(self) -> u64 {
        match self {
            Self::Copy => 2,
            Self::SingleCopy => 1,
            Self::ZeroCopy => 0,
        }
    }
}

/// The direction of octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// To the server, as an argument.
    There,
    /// To the client, as a result.
    Back,
}

impl Direction {
    const ALL: [Self; 2] = [Self::There, Self::Back];

    const fn name(self) -> &'static str {
        match self {
            Self::There => "take_octets",
            Self::Back => "give_octets",
        }
    }
}

/// Receives and returns octets.
struct StoreOfOctets;

impl StoreServant for StoreOfOctets {
    fn put(&self, data: &[u8]) -> zorb::Result<Octets> {
        Ok(data.first().into_iter().chain(data.last()).copied().collect())
    }

    fn get(&self, count: u32, mark: u8) -> zorb::Result<LoanedOctets> {
        let mut loan = Loan::for_reply(count as usize);
        if let [first, .., last] = &mut loan[..] {
            (*first, *last) = (mark, mark);
        }
        Ok(loan.into())
    }
}

/// A server and its client with buffers of one origin.
struct Ends {
    server: Orb,
    client: Orb,
    store: Store,
    way: Way,
}

impl Ends {
    fn new(way: Way) -> Result<Self> {
        // On a busy machine, a normal call could appear stalled.
        let builder = || Orb::builder().without_environment().option("StallTakeover", "3600000");
        let mut server = builder();
        if way == Way::Copy {
            let transport = ShmTransport::new().with_buffers(0, 0);
            server = server.protocol(Arc::new(ShmiopProtocol::over(transport)));
        }
        let server = server.listen("shmiop://").build()?;
        let strategy = match way {
            Way::SingleCopy => BufferStrategy::SingleCopy,
            Way::Copy | Way::ZeroCopy => BufferStrategy::ZeroCopy,
        };
        let poa = server.root_poa().create("copies", PoaPolicies::new().with(strategy))?;
        let there: Store = poa.activate(StoreOfOctets)?;
        let client = builder().build()?;
        let store: Store = client.resolve(&there.as_object().to_ior_string())?;
        let store = store.with_policies(&Policies::new().with(strategy))?;
        Ok(Self { server, client, store, way })
    }

    /// Makes a call and returns its time in nanoseconds.
    fn call(&self, direction: Direction, payload: usize, mark: u8) -> Result<u64> {
        let (took, ends) = match direction {
            Direction::There => self.put(payload, mark)?,
            Direction::Back => self.get(payload, mark)?,
        };
        if ends != [mark; 2] {
            return Err(Error::new("the octets changed on their way"));
        }
        Ok(took)
    }

    /// A call with a loaned argument: its time and its reply.
    fn put(&self, payload: usize, mark: u8) -> Result<(u64, Vec<u8>)> {
        let mut loan = self.store.loan(payload)?;
        loan.fill(mark);
        let begun = MonotonicTime::now();
        let ends = self.store.put(&loan)?;
        Ok((MonotonicTime::now().nanos_since(begun), ends))
    }

    /// A call for a result: its time, and the first and last octet of the result, read in place.
    fn get(&self, payload: usize, mark: u8) -> Result<(u64, Vec<u8>)> {
        let count = u32::try_from(payload).unwrap_or(u32::MAX);
        let begun = MonotonicTime::now();
        let octets = self.store.get(count, mark)?;
        let took = MonotonicTime::now().nanos_since(begun);
        let ends = octets.first().into_iter().chain(octets.last()).copied().collect();
        let good = octets.len() == payload && octets.is_shared() == (self.way != Way::Copy);
        // Short results are sent through the ring.
        if !good && payload >= PAYLOADS[0] {
            return Err(Error::new("the octets are not in the expected memory"));
        }
        Ok((took, ends))
    }

    /// A block of calls, and the number of octets that were copied.
    fn block(&self, direction: Direction, payload: usize, calls: u32) -> Result<(Done, u64)> {
        (0..WARM.min(calls)).try_for_each(|_| self.call(direction, payload, 1).map(drop))?;
        let (before, cpu_ns) = (octets_copied(), process_cpu_ns());
        let mut recorder = Recorder::start();
        for number in 0..calls {
            recorder.record(self.call(direction, payload, number as u8)?, 1);
        }
        let copied = octets_copied() - before;
        let cpu_ns = process_cpu_ns().saturating_sub(cpu_ns);
        Ok((Recorder::done(&[recorder.end()], calls.into(), cpu_ns), copied))
    }

    fn end(self) -> Result<()> {
        self.client.shutdown(true)?;
        self.server.shutdown(true)?;
        Ok(())
    }
}

/// Arguments and results that are copied twice, once, and never.
pub(super) fn copies(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    require_counting(COUNTING)?;
    let calls = if run.setup.options.quick { QUICK_CALLS } else { CALLS };
    let calls = run.setup.options.calls.unwrap_or(calls).max(1);
    let payloads = match &run.setup.options.payload[..] {
        [] => PAYLOADS.to_vec(),
        named => named.iter().copied().filter(|payload| *payload > 1).collect(),
    };
    let ends = Way::ALL.into_iter().map(Ends::new).collect::<Result<Vec<_>>>()?;
    let rounds = run.rounds();
    watch.begin(Direction::ALL.len() * payloads.len() * ends.len() * rounds);
    let both = |payload| Direction::ALL.map(|direction| (direction, payload));
    for (direction, payload) in payloads.into_iter().flat_map(both) {
        let mut blocks = vec![Vec::new(); ends.len()];
        let mut copied = vec![0; ends.len()];
        for _ in 0..rounds {
            for ((ends, blocks), copied) in ends.iter().zip(&mut blocks).zip(&mut copied) {
                if watch.wants_to_stop() {
                    return Err(Error::Stopped);
                }
                let (done, octets) = ends.block(direction, payload, calls)?;
                blocks.push(done);
                *copied += octets;
                watch.block("copies");
            }
        }
        let blocks: Vec<_> = blocks.into_iter().map(Some).collect();
        let all = u64::from(calls) * rounds as u64;
        for ((ends, blocks), copied) in ends.iter().zip(&blocks).zip(copied) {
            // The headers in the rings are smaller than the smallest argument.
            let each = copied as f64 / all as f64 / payload as f64;
            let operation = format!("{}/copies={each:.2}", direction.name());
            let peers = [(ends.way.name(), blocks)];
            run.add("shmiop", (&operation, payload), Figure::Latency, &peers);
            let copies = copied / all / payload as u64;
            run.claims.extend(check(direction, ends.way, payload, copies));
        }
    }
    ends.into_iter().try_for_each(Ends::end)
}

/// Refuses to run in a build that does not count copies, where every number would be 0.
fn require_counting(counting: bool) -> Result<()> {
    if counting {
        return Ok(());
    }
    Err(Error::new("release builds do not count copies: run `cargo run -- bench copies`"))
}

/// What the number of copies has to be; nothing for short octets, which are sent through the ring in any case.
fn check(direction: Direction, way: Way, payload: usize, copies: u64) -> Option<Claim> {
    let name = direction.name();
    (payload >= PAYLOADS[0]).then(|| {
        Claim::new(
            format!("{} of {payload} octets ({name}) copies them", way.name()),
            format!("{} times", way.copies()),
            format!("{copies} times"),
            copies == way.copies(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_does_not_count_is_refused() {
        assert!(require_counting(true).is_ok());
        let refusal = require_counting(false).unwrap_err().to_string();
        assert!(refusal.contains("`cargo run -- bench copies`"), "{refusal}");
    }

    #[test]
    fn a_wrong_number_of_copies_fails() {
        for way in Way::ALL {
            for direction in Direction::ALL {
                let holds = |copies| check(direction, way, 4096, copies).map(|claim| claim.holds);
                assert_eq!(holds(way.copies()), Some(true));
                assert_eq!(holds(way.copies() + 1), Some(false), "{way:?}");
            }
        }
    }

    #[test]
    fn nothing_is_claimed_of_octets_in_the_ring() {
        for way in Way::ALL {
            let claims = [2, 4095].map(|payload| check(Direction::There, way, payload, 14));
            assert!(claims.iter().all(Option::is_none), "{way:?}");
        }
    }
}
