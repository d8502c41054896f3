//! A flood of one-way calls, timed as a whole.

use zorb_os::clock::MonotonicTime;

use super::calls::{Client, Refusal, Tally};
use crate::driver::{Done, Flood};
use crate::error::Error;
use crate::processor::process_cpu_ns;

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
