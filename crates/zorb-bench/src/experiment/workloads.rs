//! Workloads of calls, as tables.

use super::runner::{MAX_THREADS, Work};
use crate::driver::{Command, Flood, Run};
use crate::operation::{Action, Operation};
use crate::options::Options;
use crate::report::Figure;

/// Calls of a block with small payloads.
const CALLS: u32 = 2000;
/// A large payload in octets.
const LARGE: usize = 16 << 10;
/// Calls of a block with large payloads.
const LARGE_CALLS: u32 = 800;
/// Minimum number of calls of each of many threads.
const MIN_CALLS: u32 = 60;
/// Calls of a quick block.
const QUICK_CALLS: u32 = 20;
/// Calls before those of a block: the other peers have evicted code and data from the caches.
pub(super) const WARM: u32 = 50;
/// Calls of one object in the same process that are timed together, because reading the clock takes
/// as long as one of them.
const BATCH: u32 = 100;

/// The workloads of one operation.
#[derive(Clone, Copy)]
pub(super) struct Workload {
    operation: Operation,
    /// Sizes of the argument in octets. The user may select others for sequences.
    payloads: &'static [usize],
    /// Calls of a block with small and with large payloads. Floods have as many as fill the total.
    calls: [u32; 2],
    /// Maximum number of calls before those of a block.
    warm: u32,
    /// Calls that are timed together.
    batch: u32,
}

/// Two-way calls.
const fn calls(operation: Operation, payloads: &'static [usize]) -> Workload {
    Workload { operation, payloads, calls: [CALLS, LARGE_CALLS], warm: WARM, batch: 1 }
}

/// A prescribed number of calls: 100,000 in 10 rounds of two blocks.
const fn cubes(operation: Operation, payloads: &'static [usize]) -> Workload {
    Workload { calls: [5000; 2], ..calls(operation, payloads) }
}

/// Calls with values whose types are known at run time.
const fn dynamic(operation: Operation, payloads: &'static [usize]) -> Workload {
    Workload { calls: [LARGE_CALLS; 2], ..calls(operation, payloads) }
}

/// Calls that pass every leaf of a value.
const fn leaves(operation: Operation, payloads: &'static [usize]) -> Workload {
    Workload { calls: [40; 2], warm: 10, ..calls(operation, payloads) }
}

/// Calls of an object in the same process.
const fn collocated(operation: Operation, payloads: &'static [usize]) -> Workload {
    Workload { calls: [CALLS * 10; 2], batch: BATCH, ..calls(operation, payloads) }
}

/// One-way calls: 1 to 128 KiB by powers of two.
const fn flood(operation: Operation) -> Workload {
    const SIZES: &[usize] =
        &[1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10];
    calls(operation, SIZES)
}

/// Octets by powers of two.
const OCTETS: &[usize] = &[
    4,
    8,
    16,
    32,
    64,
    128,
    256,
    512,
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
];
/// Octets of 1 and more `BinStruct`.
const STRUCTS: &[usize] = &[24, 32 * 24, 1024 * 24, 4096 * 24];
const NUMBERS: &[usize] = &[1 << 10, 32 << 10];
/// Octets of values whose types are known at run time.
const WHOLE: &[usize] = &[64 << 10];
const ONE_AND_WHOLE: &[usize] = &[24, 64 << 10];

pub(super) const LATENCY: &[Workload] = &[
    calls(Operation::Ping, &[0]),
    calls(Operation::EchoOctets, OCTETS),
    calls(Operation::EchoStructs, STRUCTS),
    calls(Operation::EchoLongs, NUMBERS),
    calls(Operation::EchoDoubles, NUMBERS),
];

pub(super) const CUBIT: &[Workload] = &[
    cubes(Operation::CubeVoid, &[0]),
    cubes(Operation::CubeOctet, &[1]),
    cubes(Operation::CubeLong, &[4]),
    cubes(Operation::CubeStruct, &[12]),
    cubes(Operation::CubeOctets, &[4, 4096]),
    cubes(Operation::CubeShorts, &[4]),
    cubes(Operation::CubeLongs, &[4, 4096]),
    cubes(Operation::CubeStructs, &[12, 4092]),
];

pub(super) const DYNAMIC: &[Workload] = &[
    dynamic(Operation::EchoStructs, ONE_AND_WHOLE),
    dynamic(Operation::EchoOctets, WHOLE),
    dynamic(Operation::EchoLongs, WHOLE),
    dynamic(Operation::EchoDoubles, WHOLE),
    dynamic(Operation::DiiStructs, ONE_AND_WHOLE),
    dynamic(Operation::DiiOctets, WHOLE),
    dynamic(Operation::DiiLongs, WHOLE),
    dynamic(Operation::DiiDoubles, WHOLE),
    dynamic(Operation::CodecStructs, WHOLE),
    dynamic(Operation::CodecOctets, WHOLE),
    dynamic(Operation::CodecLongs, WHOLE),
    dynamic(Operation::CodecDoubles, WHOLE),
    leaves(Operation::LeavesStructs, ONE_AND_WHOLE),
    leaves(Operation::LeavesOctets, WHOLE),
    leaves(Operation::LeavesLongs, WHOLE),
    leaves(Operation::LeavesDoubles, WHOLE),
];

/// Calls and floods of the endsystem paper's figures 2 to 4: 1 to 1,024 elements, and buffers of 1 to 1,024 KiB.
pub(super) const CONVENTIONAL: &[Workload] = &[
    calls(Operation::Ping, &[0]),
    calls(Operation::EchoOctets, &[1, 4, 16, 64, 256, 1024]),
    calls(Operation::EchoStructs, &[24, 4 * 24, 16 * 24, 64 * 24, 256 * 24, 1024 * 24]),
    calls(Operation::SendOctets, BUFFERS),
    calls(Operation::SendStructs, BUFFERS),
];
const BUFFERS: &[usize] = &[1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20];

pub(super) const VIEWS: &[Workload] =
    &[calls(Operation::SumStructs, &[4096 * 24]), calls(Operation::ViewStructs, &[4096 * 24])];

pub(super) const COLLOCATED: &[Workload] = &[
    collocated(Operation::Ping, &[0]),
    collocated(Operation::CubeLong, &[4]),
    collocated(Operation::EchoString, &[32]),
    collocated(Operation::EchoOctets, &[4096]),
];

pub(super) const FLOODS: &[Workload] = &[
    flood(Operation::SendShorts),
    flood(Operation::SendChars),
    flood(Operation::SendLongs),
    flood(Operation::SendOctets),
    flood(Operation::SendDoubles),
    flood(Operation::SendStructs),
    flood(Operation::SendPadded),
];

/// The works of a table, with the selections of the plan.
pub(super) fn works(options: &Options, table: &[Workload]) -> Vec<Work> {
    table.iter().flat_map(|workload| workload.works(options)).collect()
}

impl Workload {
    fn works(&self, options: &Options) -> Vec<Work> {
        let Self { operation, payloads: own, .. } = *self;
        let is_flood = operation.action() == Action::Sink;
        // A quick run floods with three sizes.
        let own = if options.quick && is_flood { own.get(..3).unwrap_or(own) } else { own };
        let payloads = match operation.takes_many() {
            true => options.payloads_of(operation, own),
            false => own.to_vec(),
        };
        let work = |payload| {
            if is_flood { self.flood(options, payload) } else { self.run(options, payload) }
        };
        payloads.into_iter().map(work).collect()
    }

    fn run(&self, options: &Options, payload: usize) -> Work {
        let [small, large] = self.calls;
        let own_calls = if payload < LARGE { small } else { large };
        let run = run(options, self.operation, payload, own_calls);
        let calls = run.calls.next_multiple_of(self.batch);
        let run = Run { calls, warm: run.warm.min(self.warm), batch: self.batch, ..run };
        work(run, self.operation.to_string(), Figure::Latency)
    }

    /// Each block of a flood sends the same number of octets.
    fn flood(&self, options: &Options, payload: usize) -> Work {
        let operation = self.operation;
        let filling = || {
            let calls = options.octets().div_ceil(payload.max(1) as u64);
            u32::try_from(calls).unwrap_or(u32::MAX).max(1)
        };
        let flood = Flood { operation, payload, calls: options.calls.unwrap_or_else(filling) };
        let (label, figure) = (operation.to_string(), Figure::Throughput);
        Work { command: Command::Flood(flood), label, payload, figure }
    }
}

/// Calls of one thread, and warm-up calls before.
pub(super) fn run(options: &Options, operation: Operation, payload: usize, own_calls: u32) -> Run {
    let calls = options.calls.unwrap_or(if options.quick { QUICK_CALLS } else { own_calls });
    Run { warm: WARM.min(calls), ..Run::new(operation, payload, calls) }
}

/// The work that makes a run.
pub(super) fn work(run: Run, label: String, figure: Figure) -> Work {
    Work { command: Command::Run(run), label, payload: run.payload, figure }
}

/// An echo of the selected payload, or a call without arguments.
pub(super) fn echo_or_ping(options: &Options) -> (Operation, usize) {
    match options.payload.first().copied().unwrap_or_default() {
        0 => (Operation::Ping, 0),
        payload => (Operation::EchoOctets, payload),
    }
}

/// Concurrent threads, with exclusive connections and with a shared one.
pub(super) fn threads(options: &Options) -> Vec<Work> {
    let most = if options.quick { 2 } else { MAX_THREADS };
    let powers = || (0..).map(|power| 1 << power).take_while(move |threads| *threads <= most);
    let (operation, payload) = echo_or_ping(options);
    let work_of = |(threads, shared): (usize, bool)| {
        // The machine has the same work, however many threads share it.
        let calls = (CALLS * 2 / threads as u32).max(MIN_CALLS);
        let run = Run { threads, shared, ..run(options, operation, payload, calls) };
        let connections = if shared { "shared" } else { "own" };
        work(run, format!("{operation}/threads={threads}/{connections}"), Figure::Throughput)
    };
    let own = powers().map(|threads| (threads, false));
    own.chain(powers().map(|threads| (threads, true))).map(work_of).collect()
}

/// Calls of one active client beside idle connections.
pub(super) fn busy(options: &Options, idle: usize) -> Work {
    let (operation, payload) = echo_or_ping(options);
    let run = run(options, operation, payload, CALLS);
    work(run, format!("{operation}/idle={idle}"), Figure::Latency)
}

#[cfg(test)]
mod tests;
