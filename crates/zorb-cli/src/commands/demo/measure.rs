//! Measures calls and bare round trips in alternating blocks.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use zorb_bench::statistics::{median, percentile};

use super::calls::Call;
use super::exchange::Sizes;
use super::raw::RawConnection;
use super::table::Row;
use crate::failure::Failure;

/// Calls and bare round trips before the measurement.
const WARM_UP: u32 = 20;

/// The extent of a measurement.
#[derive(Debug)]
pub(super) struct Plan {
    rounds: usize,
    block: Duration,
}

impl Plan {
    /// Blocks of a round: bare, call, call, bare. A linear drift, for example of the processor's
    /// clock, affects both equally.
    const ORDER: [Side; 4] = [Side::Bare, Side::Call, Side::Call, Side::Bare];

    const BLOCK: Duration = Duration::from_millis(50);

    /// A plan with this duration per operation, both sides together. A longer duration means more
    /// blocks, not longer ones: the demo can be interrupted between blocks.
    pub(super) fn of(time: Duration) -> Self {
        let blocks = time.as_nanos().div_ceil(Self::BLOCK.as_nanos());
        let rounds = usize::try_from(blocks).unwrap_or(usize::MAX) / Self::ORDER.len();
        Self { rounds: rounds.max(1), block: Self::BLOCK }
    }

    /// A minimal plan.
    pub(super) fn quick() -> Self {
        Self { rounds: 1, block: Duration::from_millis(4) }
    }

    /// The number of blocks of one operation.
    pub(super) fn blocks(&self) -> usize {
        self.rounds * Self::ORDER.len()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Bare,
    Call,
}

/// The times of one side, in nanoseconds.
#[derive(Debug, Default)]
struct Samples {
    times: Vec<u64>,
    elapsed: Duration,
    /// The median of each block.
    medians: Vec<u64>,
}

impl Samples {
    /// Repeats `once` for `length`, at least once.
    fn block(
        &mut self,
        length: Duration,
        mut once: impl FnMut(u32) -> Result<Duration, Failure>,
    ) -> Result<(), Failure> {
        let first = self.times.len();
        let start = Instant::now();
        let mut number = 0_u32;
        let elapsed = loop {
            let time = once(number)?;
            self.times.push(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
            number = number.wrapping_add(1);
            let elapsed = start.elapsed();
            if elapsed >= length {
                break elapsed;
            }
        };
        self.elapsed += elapsed;
        let mut block = self.times.get(first..).unwrap_or_default().to_vec();
        block.sort_unstable();
        self.medians.push(percentile(&block, 50));
        Ok(())
    }
}

/// Measures one operation; `after_block` is called after each block, and can abort the measurement.
pub(super) fn measure(
    call: &Call,
    sizes: &Sizes,
    raw_server: SocketAddr,
    plan: &Plan,
    mut after_block: impl FnMut() -> Result<(), Failure>,
) -> Result<Row, Failure> {
    let mut connection = RawConnection::open(raw_server, sizes)?;
    let mut bare = |_| {
        let start = Instant::now();
        connection.exchange().map_err(|error| Failure::from(error).during("bare TCP"))?;
        Ok(start.elapsed())
    };
    for number in 0..WARM_UP {
        bare(number)?;
        call.make(number)?;
    }
    let (mut calls, mut bares) = (Samples::default(), Samples::default());
    for _ in 0..plan.rounds {
        for side in Plan::ORDER {
            match side {
                Side::Bare => bares.block(plan.block, &mut bare)?,
                Side::Call => calls.block(plan.block, |number| call.make(number))?,
            }
            after_block()?;
        }
    }
    let ratios = std::iter::zip(&calls.medians, &bares.medians)
        .map(|(call, bare)| *call as f64 / (*bare).max(1) as f64);
    let ratio = median(ratios);
    calls.times.sort_unstable();
    bares.times.sort_unstable();
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    // Further digits are not significant.
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    Ok(Row {
        operation: call.name,
        transport: "iiop",
        calls_per_s: (calls.times.len() as f64 / calls.elapsed.as_secs_f64()).round(),
        p50_us: micros(percentile(&calls.times, 50)),
        p99_us: micros(percentile(&calls.times, 99)),
        ratio_to_raw: rounded(ratio),
        raw_p50_us: micros(percentile(&bares.times, 50)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_at_least_one_sample() {
        let mut samples = Samples::default();
        samples.block(Duration::ZERO, |_| Ok(Duration::from_nanos(5))).unwrap();
        assert_eq!((samples.times, samples.medians), (vec![5], vec![5]));
    }

    #[test]
    fn blocks_alternate_evenly() {
        let calls = Plan::ORDER.iter().filter(|side| **side == Side::Call).count();
        assert_eq!(calls * 2, Plan::ORDER.len());
        assert_eq!(Plan::of(Duration::from_secs(1)).blocks(), 20);
        assert_eq!(Plan::of(Duration::ZERO).blocks(), 4);
    }
}
