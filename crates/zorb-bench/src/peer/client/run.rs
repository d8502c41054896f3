//! Two-way calls of one or more threads, each timed.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use zorb_os::clock::MonotonicTime;

use super::calls::{Client, Line, Refusal, TwoWay};
use crate::driver::{Done, Run};
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::processor::process_cpu_ns;

/// A call in three parts, of which the middle one is timed.
struct Call<A, S, C, K> {
    argument: A,
    set: S,
    call: C,
    check: K,
}

/// Calls in three parts that share an argument: `set` makes it that of a call, `call` calls and is
/// timed, `check` says whether the reply is right.
pub(in crate::peer) fn in_parts<A, R>(
    argument: A,
    set: impl FnMut(&mut A, u32) + Send + 'static,
    call: impl FnMut(&mut A) -> Result<R> + Send + 'static,
    check: impl FnMut(&A, &R) -> bool + Send + 'static,
) -> Box<dyn TwoWay>
where
    A: Send + 'static,
    R: 'static,
{
    Box::new(Call { argument, set, call, check })
}

impl<A, R, S, C, K> TwoWay for Call<A, S, C, K>
where
    A: Send,
    S: FnMut(&mut A, u32) + Send,
    C: FnMut(&mut A) -> Result<R> + Send,
    K: FnMut(&A, &R) -> bool + Send,
{
    fn make(&mut self, number: u32, count: u32) -> Result<u64> {
        (self.set)(&mut self.argument, number);
        let start = MonotonicTime::now();
        for _ in 1..count {
            black_box((self.call)(black_box(&mut self.argument))?);
        }
        let reply = (self.call)(black_box(&mut self.argument));
        let end = MonotonicTime::now();
        if (self.check)(&self.argument, &reply?) {
            Ok(end.nanos_since(start))
        } else {
            Err(Error::new("the reply is not what it should be"))
        }
    }
}

/// What one thread has measured.
struct Measured {
    begin: MonotonicTime,
    end: MonotonicTime,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
    histogram: Histogram,
}

impl Measured {
    fn from_now() -> Self {
        let begin = MonotonicTime::now();
        let (sum_ns, min_ns, max_ns) = (0, u64::MAX, 0);
        Self { begin, end: begin, sum_ns, min_ns, max_ns, histogram: Histogram::new() }
    }

    /// Takes note of a batch, which took so long in all.
    fn record(&mut self, all_ns: u64, batch: u32) {
        let one_ns = all_ns / u64::from(batch);
        self.sum_ns += all_ns;
        self.min_ns = self.min_ns.min(one_ns);
        self.max_ns = self.max_ns.max(one_ns);
        self.histogram.record(one_ns);
    }
}

/// Makes the calls of a command.
pub(super) fn run(client: &dyn Client, run: &Run) -> Result<Done, Refusal> {
    if run.fresh > 0 {
        return run_fresh(client, run);
    }
    let elements = run.operation.elements(run.payload);
    let line = if run.shared { Line::Shared } else { Line::Own };
    let mut callers = Vec::new();
    for _ in 0..run.threads {
        callers.push(client.two_way(run.operation, elements, line)?);
    }
    let start = Start { barrier: Barrier::new(run.threads), cpu_ns: AtomicU64::new(u64::MAX) };
    let mut server_before = None;
    let measured: Vec<Measured> = match callers.as_mut_slice() {
        [caller] => {
            warm_up(caller.as_mut(), run)?;
            server_before = client.server_cpu_ns()?;
            vec![measure(caller.as_mut(), run, &start, Ok(()))?]
        }
        callers => thread::scope(|scope| -> Result<Vec<Measured>> {
            let mut threads = Vec::new();
            for caller in callers {
                let work = || {
                    let warmed = warm_up(caller.as_mut(), run);
                    measure(caller.as_mut(), run, &start, warmed)
                };
                threads.push(scope.spawn(work));
            }
            let join = |thread: thread::ScopedJoinHandle<'_, Result<Measured>>| {
                thread.join().unwrap_or_else(|_| Err(Error::new("a thread panicked")))
            };
            threads.into_iter().map(join).collect()
        })?,
    };
    let cpu_ns = process_cpu_ns().saturating_sub(start.cpu_ns.load(Ordering::Relaxed));
    let server = server_before.zip(client.server_cpu_ns()?);
    let server_cpu_ns = server.map_or(0, |(before, after)| after.saturating_sub(before));
    Ok(Done { server_cpu_ns, ..all_together(run, cpu_ns, &measured) })
}

/// References whose calls take turns. What a call finds in the processor's caches then does not
/// depend on how many there were before it.
const TOGETHER: u32 = 16;

/// Times one call of each of many references, all of which have connections of their own.
fn run_fresh(client: &dyn Client, run: &Run) -> Result<Done, Refusal> {
    let elements = run.operation.elements(run.payload);
    let some = |count: u32, measured: &mut Measured| -> Result<(), Refusal> {
        let line = Line::Fresh { bound: run.bound };
        let callers = (0..count).map(|_| client.two_way(run.operation, elements, line));
        let mut callers = callers.collect::<Result<Vec<_>, _>>()?;
        for number in 1..run.fresh {
            callers.iter_mut().try_for_each(|caller| caller.make(number, 1).map(drop))?;
        }
        for caller in &mut callers {
            measured.record(caller.make(0, 1)?, 1);
        }
        Ok(())
    };
    let all = |count: u32, measured: &mut Measured| {
        let mut begun = (0..count).step_by(TOGETHER as usize);
        begun.try_for_each(|begun| some((count - begun).min(TOGETHER), measured))
    };
    all(run.warm, &mut Measured::from_now())?;
    let cpu_ns = process_cpu_ns();
    let mut measured = Measured::from_now();
    all(run.calls, &mut measured)?;
    measured.end = MonotonicTime::now();
    Ok(all_together(run, process_cpu_ns().saturating_sub(cpu_ns), &[measured]))
}

/// Where the threads wait for each other.
struct Start {
    barrier: Barrier,
    /// What the process had used of the processor when the first of them went on.
    cpu_ns: AtomicU64,
}

fn warm_up(caller: &mut dyn TwoWay, run: &Run) -> Result<()> {
    (0..run.warm).try_for_each(|number| caller.make(number, 1).map(drop))
}

/// The calls behind those that have warmed up, or not.
fn measure(
    caller: &mut dyn TwoWay,
    run: &Run,
    start: &Start,
    warmed: Result<()>,
) -> Result<Measured> {
    let mut number = run.warm;
    let mut next = |count| {
        let this = number;
        number = number.wrapping_add(count);
        caller.make(this, count)
    };
    // Past the barrier in any case: the others wait there.
    start.barrier.wait();
    warmed?;
    start.cpu_ns.fetch_min(process_cpu_ns(), Ordering::Relaxed);
    let mut measured = Measured::from_now();
    for _ in 0..run.calls / run.batch {
        measured.record(next(run.batch)?, run.batch);
    }
    measured.end = MonotonicTime::now();
    Ok(measured)
}

fn all_together(run: &Run, cpu_ns: u64, threads: &[Measured]) -> Done {
    let begin = threads.iter().map(|thread| thread.begin).min();
    let end = threads.iter().map(|thread| thread.end).max();
    let wall_ns = begin.zip(end).map_or(0, |(begin, end)| end.nanos_since(begin));
    let mut histogram = Histogram::new();
    for thread in threads {
        histogram.merge(&thread.histogram);
    }
    Done {
        calls: u64::from(run.calls) * run.threads as u64,
        wall_ns: wall_ns.max(1),
        cpu_ns,
        server_cpu_ns: 0,
        sum_ns: threads.iter().map(|thread| thread.sum_ns).sum(),
        min_ns: threads.iter().map(|thread| thread.min_ns).min().unwrap_or_default(),
        max_ns: threads.iter().map(|thread| thread.max_ns).max().unwrap_or_default(),
        histogram,
    }
}

#[cfg(test)]
mod tests;
