//! How often the octets of an argument are copied over shared memory, by where its buffer is from.
//!
//! Client and server are two ORBs of this process, so that one count has the copies of both.

use std::sync::Arc;

use zorb::policy::Policies;
use zorb::protocols::{ShmTransport, ShmiopProtocol};
use zorb::{BufferStrategy, Interface as _, Orb};
use zorb_os::clock::MonotonicTime;
use zorb_os::memory::octets_copied;

use super::{Figure, Run, Subject};
use crate::driver::Done;
use crate::error::{Error, Result};
use crate::harness::Watch;
use crate::histogram::Histogram;
use crate::processor::process_cpu_ns;
use crate::report::{Check, rows};
use crate::stubs::bench::{BinStruct, BinStructs, Doubles, Echo, EchoServant, Longs, Octets};

/// Octets of an argument, where nobody says how many.
const PAYLOADS: [usize; 3] = [4 << 10, 64 << 10, 1 << 20];
/// Calls of a block, where nobody says how many.
const CALLS: u32 = 2000;
/// The same for a look at whether it works.
const QUICK_CALLS: u32 = 20;
/// Calls before those that are timed.
const WARM: u32 = 50;

/// Where the octets of an argument lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In memory of the client's; connections have no shared buffers.
    Copy,
    /// In memory of the client's, and then in a shared buffer.
    SingleCopy,
    /// In a shared buffer that the client has drawn.
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

/// Looks at the octets that it is given, and answers with none.
struct Taking;

impl EchoServant for Taking {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn echo_string(&self, _: &str) -> zorb::Result<String> {
        Ok(String::new())
    }

    /// Answers with the first and the last, which have to be there.
    fn echo_octets(&self, data: &[u8]) -> zorb::Result<Octets> {
        Ok(data.first().into_iter().chain(data.last()).copied().collect())
    }

    fn echo_longs(&self, _: &[i32]) -> zorb::Result<Longs> {
        Ok(Longs::new())
    }

    fn echo_doubles(&self, _: &[f64]) -> zorb::Result<Doubles> {
        Ok(Doubles::new())
    }

    fn echo_structs(&self, _: &[BinStruct]) -> zorb::Result<BinStructs> {
        Ok(BinStructs::new())
    }
}

/// A server and its client, of which one argument goes one way.
struct Ends {
    server: Orb,
    client: Orb,
    echo: Echo,
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
        let there: Echo = server.root_poa().activate(Taking)?;
        let client = builder().build()?;
        let strategy = match way {
            Way::SingleCopy => BufferStrategy::SingleCopy,
            Way::Copy | Way::ZeroCopy => BufferStrategy::ZeroCopy,
        };
        let echo: Echo = client.resolve(&there.as_object().to_ior_string())?;
        let echo = echo.with_policies(&Policies::new().with(strategy))?;
        Ok(Self { server, client, echo, way })
    }

    /// One call, with the argument drawn and filled; how long the call took, in nanoseconds.
    fn call(&self, payload: usize, fill: u8) -> Result<u64> {
        let mut loan = self.echo.loan(payload)?;
        loan.fill(fill);
        let begun = MonotonicTime::now();
        let ends = self.echo.echo_octets(&loan)?;
        let took = MonotonicTime::now().nanos_since(begun);
        if *ends != [fill; 2] {
            return Err(Error::new("other octets came than were sent"));
        }
        Ok(took)
    }

    /// A block of calls, and how many octets were copied in it.
    fn block(&self, payload: usize, calls: u32) -> Result<(Done, u64)> {
        (0..WARM.min(calls)).try_for_each(|_| self.call(payload, 1).map(drop))?;
        let mut histogram = Histogram::new();
        let (mut sum_ns, mut min_ns, mut max_ns) = (0, u64::MAX, 0);
        let (before, cpu, begun) = (octets_copied(), process_cpu_ns(), MonotonicTime::now());
        for number in 0..calls {
            let took = self.call(payload, number as u8)?;
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

/// Arguments that are copied twice, once, and by nobody.
pub(super) fn copies(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let calls = if run.plan.quick { QUICK_CALLS } else { CALLS };
    let calls = run.plan.calls.unwrap_or(calls).max(1);
    let payloads = match &run.plan.payloads[..] {
        [] => PAYLOADS.to_vec(),
        named => named.iter().copied().filter(|payload| *payload > 1).collect(),
    };
    let ends = Way::ALL.into_iter().map(Ends::new).collect::<Result<Vec<_>>>()?;
    let rounds = run.rounds();
    watch.begin(payloads.len() * ends.len() * rounds);
    for payload in payloads {
        let mut blocks = vec![Vec::new(); ends.len()];
        let mut copied = vec![0; ends.len()];
        for _ in 0..rounds {
            for ((ends, blocks), copied) in ends.iter().zip(&mut blocks).zip(&mut copied) {
                if watch.wants_to_stop() {
                    return Err(Error::Stopped);
                }
                let (done, octets) = ends.block(payload, calls)?;
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
            let subject = Subject {
                experiment: run.experiment.name(),
                transport: "shmiop",
                operation: format!("take_octets/copies={each:.2}"),
                payload,
                rounds,
                figure: Figure::Latency,
            };
            for (row, detail) in rows(&subject, &[(ends.way.name(), blocks)]) {
                run.rows.push(row);
                run.details.push(detail);
            }
            run.checks.push(check(ends.way, payload, copied / all / payload as u64));
        }
    }
    ends.into_iter().try_for_each(Ends::end)
}

fn check(way: Way, payload: usize, copies: u64) -> Check {
    Check {
        what: format!("{} of {payload} octets copies them", way.name()),
        expected: format!("{} times", way.copies()),
        found: format!("{copies} times"),
        holds: payload < PAYLOADS[0] || copies == way.copies(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_copies_than_expected_is_told() {
        for way in Way::ALL {
            assert!(check(way, 4096, way.copies()).holds);
            assert!(!check(way, 4096, way.copies() + 1).holds, "{way:?}");
        }
    }
}
