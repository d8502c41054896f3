//! How often the octets of an argument or a result are copied over shared memory, by where its buffer
//! is from.
//!
//! Client and server are two ORBs of this process, so that one count has the copies of both.

use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::policy::Policies;
use zorb::protocols::{ShmTransport, ShmiopProtocol};
use zorb::{BufferStrategy, Interface as _, Loan, LoanedOctets, Orb};
use zorb_os::clock::MonotonicTime;
use zorb_os::memory::octets_copied;

use super::runner::Run;
use crate::driver::Done;
use crate::error::{Error, Result};
use crate::harness::Watch;
use crate::histogram::Histogram;
use crate::processor::process_cpu_ns;
use crate::report::{Claim, Figure};
use crate::stubs::copies::{Octets, Store, StoreServant};

/// Octets of an argument, where nobody says how many.
const PAYLOADS: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];
/// Calls of a block, where nobody says how many.
const CALLS: u32 = 2000;
/// The same for a look at whether it works.
const QUICK_CALLS: u32 = 20;
/// Calls before those that are timed.
const WARM: u32 = 50;

/// Where the octets lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In memory of the sender's; connections have no shared buffers.
    Copy,
    /// In memory of the sender's, and then in a shared buffer.
    SingleCopy,
    /// In a shared buffer that the sender has drawn.
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

/// Which way the octets go.
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

/// Looks at the octets that it is given, and gives octets.
struct Keeper;

impl StoreServant for Keeper {
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

/// A server and its client, between which octets lie in one way.
struct Ends {
    server: Orb,
    client: Orb,
    store: Store,
    way: Way,
}

impl Ends {
    fn new(way: Way) -> Result<Self> {
        // On a busy machine a call would look like a slow one.
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
        let there: Store = poa.activate(Keeper)?;
        let client = builder().build()?;
        let store: Store = client.resolve(&there.as_object().to_ior_string())?;
        let store = store.with_policies(&Policies::new().with(strategy))?;
        Ok(Self { server, client, store, way })
    }

    /// One call; how long it took, in nanoseconds.
    fn call(&self, direction: Direction, payload: usize, mark: u8) -> Result<u64> {
        let (took, ends) = match direction {
            Direction::There => self.put(payload, mark)?,
            Direction::Back => self.get(payload, mark)?,
        };
        if ends != [mark; 2] {
            return Err(Error::new("other octets came than were sent"));
        }
        Ok(took)
    }

    /// A call with an argument that has been drawn and filled, and what it answers.
    fn put(&self, payload: usize, mark: u8) -> Result<(u64, Vec<u8>)> {
        let mut loan = self.store.loan(payload)?;
        loan.fill(mark);
        let begun = MonotonicTime::now();
        let ends = self.store.put(&loan)?;
        Ok((MonotonicTime::now().nanos_since(begun), ends))
    }

    /// A call for a result, and the first and last octet of it, read where they lie.
    fn get(&self, payload: usize, mark: u8) -> Result<(u64, Vec<u8>)> {
        let count = u32::try_from(payload).unwrap_or(u32::MAX);
        let begun = MonotonicTime::now();
        let lent = self.store.get(count, mark)?;
        let took = MonotonicTime::now().nanos_since(begun);
        let ends = lent.first().into_iter().chain(lent.last()).copied().collect();
        let good = lent.len() == payload && lent.is_shared() == (self.way != Way::Copy);
        // A short one goes through the ring.
        if !good && payload >= PAYLOADS[0] {
            return Err(Error::new("the octets do not lie where they should"));
        }
        Ok((took, ends))
    }

    /// A block of calls, and how many octets were copied in it.
    fn block(&self, direction: Direction, payload: usize, calls: u32) -> Result<(Done, u64)> {
        (0..WARM.min(calls)).try_for_each(|_| self.call(direction, payload, 1).map(drop))?;
        let mut histogram = Histogram::new();
        let (mut sum_ns, mut min_ns, mut max_ns) = (0, u64::MAX, 0);
        let (before, cpu, begun) = (octets_copied(), process_cpu_ns(), MonotonicTime::now());
        for number in 0..calls {
            let took = self.call(direction, payload, number as u8)?;
            (sum_ns, min_ns, max_ns) = (sum_ns + took, min_ns.min(took), max_ns.max(took));
            histogram.record(took);
        }
        let copied = octets_copied() - before;
        let done = Done {
            calls: calls.into(),
            wall_ns: MonotonicTime::now().nanos_since(begun).max(1),
            cpu_ns: process_cpu_ns().saturating_sub(cpu),
            server_cpu_ns: 0,
            sum_ns,
            min_ns,
            max_ns,
            histogram,
        };
        Ok((done, copied))
    }

    fn end(self) -> Result<()> {
        self.client.shutdown(true)?;
        self.server.shutdown(true)?;
        Ok(())
    }
}

/// Arguments and results that are copied twice, once, and by nobody.
pub(super) fn copies(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let calls = if run.plan.quick { QUICK_CALLS } else { CALLS };
    let calls = run.plan.calls.unwrap_or(calls).max(1);
    let payloads = match &run.plan.payloads[..] {
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
            // What goes through the rings beside the argument is less than a small one.
            let each = copied as f64 / all as f64 / payload as f64;
            let operation = format!("{}/copies={each:.2}", direction.name());
            let peers = [(ends.way.name(), blocks)];
            run.add("shmiop", (&operation, payload), Figure::Latency, &peers);
            let copies = copied / all / payload as u64;
            run.claims.push(check(direction, ends.way, payload, copies));
        }
    }
    ends.into_iter().try_for_each(Ends::end)
}

fn check(direction: Direction, way: Way, payload: usize, copies: u64) -> Claim {
    let name = direction.name();
    Claim::new(
        format!("{} of {payload} octets ({name}) copies them", way.name()),
        format!("{} times", way.copies()),
        format!("{copies} times"),
        payload < PAYLOADS[0] || copies == way.copies(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_copies_than_expected_is_told() {
        for way in Way::ALL {
            for direction in Direction::ALL {
                assert!(check(direction, way, 4096, way.copies()).holds);
                assert!(!check(direction, way, 4096, way.copies() + 1).holds, "{way:?}");
            }
        }
    }
}
