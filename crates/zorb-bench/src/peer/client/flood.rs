//! A flood of one-way calls, timed as a whole.

use zorb_os::clock::MonotonicTime;

use super::{Client, Refusal};
use crate::driver::{Done, Flood};
use crate::error::{Error, Result};
use crate::processor::process_cpu_ns;

/// What a sink has taken: `Bench::Tally`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::peer) struct Tally {
    pub(in crate::peer) calls: u32,
    pub(in crate::peer) elements: u64,
    /// Of the first and last elements' numbers.
    pub(in crate::peer) sum: u64,
    /// What the server's process has used of the processor.
    pub(in crate::peer) cpu_ns: u64,
}

/// A prepared flood.
pub(in crate::peer) trait Flooding {
    /// Makes the one-way call of this number.
    fn send(&mut self, number: u32) -> Result<()>;
    /// What the tally counts for the call of this number.
    fn number_of(&self, number: u32) -> u64;
    /// The tally since the last time.
    fn sync(&mut self) -> Result<Tally>;
}

/// Makes the calls of a command.
pub(super) fn flood(client: &dyn Client, flood: &Flood) -> Result<Done, Refusal> {
    let elements = flood.operation.elements(flood.payload);
    let mut flooding = client.flood(flood.operation, elements)?;
    let before = flooding.sync()?;
    let cpu_before = process_cpu_ns();
    let start = MonotonicTime::now();
    for number in 0..flood.calls {
        flooding.send(number)?;
    }
    let tally = flooding.sync()?;
    let wall_ns = start.elapsed().as_nanos();
    let cpu_ns = process_cpu_ns() - cpu_before;
    let expected = Tally {
        calls: flood.calls,
        elements: u64::from(flood.calls) * elements as u64,
        sum: (0..flood.calls).map(|number| flooding.number_of(number)).sum(),
        ..tally
    };
    if tally != expected {
        let text = format!("the server took {tally:?}, sent was {expected:?}");
        return Err(Error::new(text).into());
    }
    Ok(Done {
        calls: u64::from(flood.calls),
        wall_ns: u64::try_from(wall_ns).unwrap_or(u64::MAX).max(1),
        cpu_ns,
        server_cpu_ns: tally.cpu_ns.saturating_sub(before.cpu_ns),
        ..Done::default()
    })
}
