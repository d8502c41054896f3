//! Workloads of calls.

use super::runner::{MOST_THREADS, Plan, Work};
use crate::driver::{Command, Flood, Run};
use crate::operation::Operation;
use crate::report::Figure;

/// Calls of a block with small payloads; with large ones, fewer.
const CALLS: u32 = 2000;
const LARGE: usize = 16 << 10;
const LARGE_CALLS: u32 = 800;
/// Calls that each of many threads makes at least.
const LEAST_CALLS: u32 = 60;
/// Calls of a quick block.
const QUICK_CALLS: u32 = 20;
/// Calls before those of a block: after the others' turn its code and data are out of the caches.
pub(super) const WARM: u32 = 50;
/// Octets of values whose types are known at run time, and calls with all their leaves.
const DYNAMIC: usize = 64 << 10;
const LEAF_CALLS: u32 = 40;
/// Calls to an object of the same process that are timed together: a clock's reading takes as long
/// as one of them.
const BATCH: u32 = 100;
/// Calls of a benchmark that has them prescribed: 100,000 in 10 rounds of two blocks.
const CUBIT_CALLS: u32 = 5000;

/// Calls of one thread, after as many as make it warm.
pub(super) fn run(plan: &Plan, operation: Operation, payload: usize, own_calls: u32) -> Run {
    let calls = plan.calls.unwrap_or(if plan.quick { QUICK_CALLS } else { own_calls });
    Run { warm: WARM.min(calls), ..Run::new(operation, payload, calls) }
}

/// The work that is a run.
pub(super) fn work(run: Run, label: String, figure: Figure) -> Work {
    Work { command: Command::Run(run), label, payload: run.payload, figure }
}

/// Two-way calls with nothing, octets, structs, longs and doubles.
pub(super) fn latency(plan: &Plan) -> Vec<Work> {
    let octets: Vec<usize> = (2..=16).map(|power| 1 << power).collect();
    let structs = [1, 32, 1024, 4096].map(|count| Operation::EchoStructs.payload(count));
    let numbers = [1 << 10, 32 << 10];
    let mut works = vec![(Operation::Ping, 0)];
    let sequences: [(Operation, &[usize]); 4] = [
        (Operation::EchoOctets, &octets),
        (Operation::EchoStructs, &structs),
        (Operation::EchoLongs, &numbers),
        (Operation::EchoDoubles, &numbers),
    ];
    for (operation, own) in sequences {
        let payloads = plan.payloads_of(operation, own);
        works.extend(payloads.into_iter().map(|payload| (operation, payload)));
    }
    let work_of = |(operation, payload): (Operation, usize)| {
        let calls = if payload < LARGE { CALLS } else { LARGE_CALLS };
        let run = run(plan, operation, payload, calls);
        work(run, operation.to_string(), Figure::Latency)
    };
    works.into_iter().map(work_of).collect()
}

/// Cubes of numbers: void, octet, long, struct, sequences of 4 KiB, and short ones.
pub(super) fn cubit(plan: &Plan) -> Vec<Work> {
    let all: [(Operation, &[usize]); 8] = [
        (Operation::CubeVoid, &[0]),
        (Operation::CubeOctet, &[1]),
        (Operation::CubeLong, &[4]),
        (Operation::CubeStruct, &[12]),
        (Operation::CubeOctets, &[4, 4096]),
        (Operation::CubeShorts, &[4]),
        (Operation::CubeLongs, &[4, 4096]),
        (Operation::CubeStructs, &[12, 4092]),
    ];
    let mut works = Vec::new();
    for (operation, own) in all {
        let payloads = match operation.takes_many() {
            true => plan.payloads_of(operation, own),
            false => own.to_vec(),
        };
        works.extend(payloads.into_iter().map(|payload| {
            let run = run(plan, operation, payload, CUBIT_CALLS);
            work(run, operation.to_string(), Figure::Latency)
        }));
    }
    works
}

/// Threads that call at the same time, with connections of their own and with a shared one.
pub(super) fn threads(plan: &Plan) -> Vec<Work> {
    let most = if plan.quick { 2 } else { MOST_THREADS };
    let powers = || (0..).map(|power| 1 << power).take_while(move |threads| *threads <= most);
    let work_of = |(threads, shared): (usize, bool)| {
        let payload = plan.payloads.first().copied().unwrap_or_default();
        let operation = if payload == 0 { Operation::Ping } else { Operation::EchoOctets };
        // The machine has the same to do however many share the work.
        let calls = (CALLS * 2 / threads as u32).max(LEAST_CALLS);
        let run = Run { threads, shared, ..run(plan, operation, payload, calls) };
        let connections = if shared { "shared" } else { "own" };
        work(run, format!("{operation}/threads={threads}/{connections}"), Figure::Throughput)
    };
    let own = powers().map(|threads| (threads, false));
    own.chain(powers().map(|threads| (threads, true))).map(work_of).collect()
}

/// Values whose types are known at run time, beside a stub's call with the same.
pub(super) fn dynamic(plan: &Plan) -> Vec<Work> {
    const ONE: usize = Operation::DiiStructs.payload(1);
    let whole = [DYNAMIC];
    let all: [(Operation, &[usize], u32); 13] = [
        (Operation::EchoStructs, &[ONE, DYNAMIC], LARGE_CALLS),
        (Operation::DiiStructs, &[ONE, DYNAMIC], LARGE_CALLS),
        (Operation::DiiOctets, &whole, LARGE_CALLS),
        (Operation::DiiLongs, &whole, LARGE_CALLS),
        (Operation::DiiDoubles, &whole, LARGE_CALLS),
        (Operation::CodecStructs, &whole, LARGE_CALLS),
        (Operation::CodecOctets, &whole, LARGE_CALLS),
        (Operation::CodecLongs, &whole, LARGE_CALLS),
        (Operation::CodecDoubles, &whole, LARGE_CALLS),
        (Operation::LeavesStructs, &[ONE, DYNAMIC], LEAF_CALLS),
        (Operation::LeavesOctets, &whole, LEAF_CALLS),
        (Operation::LeavesLongs, &whole, LEAF_CALLS),
        (Operation::LeavesDoubles, &whole, LEAF_CALLS),
    ];
    let work_of = |(operation, own, calls): (Operation, &[usize], u32)| {
        let payloads = plan.payloads_of(operation, own).into_iter();
        let works = payloads.map(move |payload| {
            let run = run(plan, operation, payload, calls);
            let run = Run { warm: run.warm.min(calls / 4), ..run };
            work(run, operation.to_string(), Figure::Latency)
        });
        works.collect::<Vec<_>>()
    };
    all.into_iter().flat_map(work_of).collect()
}

/// Calls to an object of the same process.
pub(super) fn collocated(plan: &Plan) -> Vec<Work> {
    let of = |operation: Operation, payload: usize| {
        let mut run = run(plan, operation, payload, CALLS * 10);
        run.calls = run.calls.next_multiple_of(BATCH);
        run.batch = BATCH;
        work(run, operation.to_string(), Figure::Latency)
    };
    let many = |operation: Operation, own: usize| {
        plan.payloads_of(operation, &[own]).into_iter().map(move |payload| (operation, payload))
    };
    let fixed = [(Operation::Ping, 0), (Operation::CubeLong, 4)];
    let works = fixed.into_iter().chain(many(Operation::EchoString, 32));
    let works = works.chain(many(Operation::EchoOctets, 4096));
    works.map(|(operation, payload)| of(operation, payload)).collect()
}

/// Calls of one busy client.
pub(super) fn busy(plan: &Plan, idle: usize) -> Work {
    let payload = plan.payloads.first().copied().unwrap_or_default();
    let operation = if payload == 0 { Operation::Ping } else { Operation::EchoOctets };
    let run = run(plan, operation, payload, CALLS);
    work(run, format!("{operation}/idle={idle}"), Figure::Latency)
}

/// The operations of floods, in the order of the table.
const FLOODS: [Operation; 7] = [
    Operation::SendShorts,
    Operation::SendChars,
    Operation::SendLongs,
    Operation::SendOctets,
    Operation::SendDoubles,
    Operation::SendStructs,
    Operation::SendPadded,
];

/// Floods of seven types, 1 to 128 KiB by powers of two; each block sends the same number of octets.
pub(super) fn ttcp(plan: &Plan) -> Vec<Work> {
    let powers = if plan.quick { 0..=2 } else { 0..=7 };
    let own: Vec<usize> = powers.map(|power| 1024 << power).collect();
    let mut works = Vec::new();
    for operation in FLOODS {
        for payload in plan.payloads_of(operation, &own) {
            let calls = plan.calls.unwrap_or_else(|| {
                let calls = plan.total.div_ceil(payload.max(1) as u64);
                u32::try_from(calls).unwrap_or(u32::MAX).max(1)
            });
            let flood = Flood { operation, payload, calls };
            works.push(Work {
                command: Command::Flood(flood),
                label: operation.to_string(),
                payload,
                figure: Figure::Throughput,
            });
        }
    }
    works
}

#[cfg(test)]
mod tests;
