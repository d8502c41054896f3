//! Two-way calls of one or more threads, each timed.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use zorb_os::clock::MonotonicTime;

use super::calls::{Client, ConnectionUse, Refusal, TwoWay};
use crate::driver::{Done, Run};
use crate::error::{Error, Result};
use crate::processor::process_cpu_ns;
use crate::recorder::Recorder;

/// A call. Only the step `call` is timed.
struct Call<A, S, C, K> {
    argument: A,
    set: S,
    call: C,
    check: K,
}

/// Calls in three steps: `set` changes the argument to that of a call, `call` makes the call and is
/// timed, `check` returns whether the reply is correct.
pub fn in_parts<A, R>(
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
            Err(Error::new("the reply is wrong"))
        }
    }
}

/// Makes the calls of a command.
pub(super) fn run(client: &dyn Client, run: &Run) -> Result<Done, Refusal> {
    if run.fresh > 0 {
        return run_fresh(client, run);
    }
    let elements = run.operation.elements(run.payload);
    let line = match run {
        Run { pipelined: true, .. } => ConnectionUse::Pipelined,
        Run { shared: true, .. } => ConnectionUse::Shared,
        _ => ConnectionUse::Own,
    };
    let mut callers = Vec::new();
    for _ in 0..run.threads {
        callers.push(client.two_way(run.operation, elements, line)?);
    }
    let start = Start { barrier: Barrier::new(run.threads), cpu_ns: AtomicU64::new(u64::MAX) };
    let mut server_before = None;
    let measured: Vec<Recorder> = match callers.as_mut_slice() {
        [caller] => {
            warm_up(caller.as_mut(), run)?;
            server_before = client.server_cpu_ns()?;
            vec![measure(caller.as_mut(), run, &start, Ok(()))?]
        }
        callers => thread::scope(|scope| -> Result<Vec<Recorder>> {
            let mut threads = Vec::new();
            for caller in callers {
                let work = || {
                    let warmed = warm_up(caller.as_mut(), run);
                    measure(caller.as_mut(), run, &start, warmed)
                };
                threads.push(scope.spawn(work));
            }
            let join = |thread: thread::ScopedJoinHandle<'_, Result<Recorder>>| {
                thread.join().unwrap_or_else(|_| Err(Error::new("a thread panicked")))
            };
            threads.into_iter().map(join).collect()
        })?,
    };
    let cpu_ns = process_cpu_ns().saturating_sub(start.cpu_ns.load(Ordering::Relaxed));
    let server = server_before.zip(client.server_cpu_ns()?);
    let server_cpu_ns = server.map_or(0, |(before, after)| after.saturating_sub(before));
    let calls = u64::from(run.calls) * run.threads as u64;
    Ok(Done { server_cpu_ns, ..Recorder::done(&measured, calls, cpu_ns) })
}

/// References whose calls are interleaved, so that the contents of the processor's caches do not
/// depend on the number of calls before.
const TOGETHER: u32 = 16;

/// Times one call of each of many references, each with a connection of its own.
fn run_fresh(client: &dyn Client, run: &Run) -> Result<Done, Refusal> {
    let elements = run.operation.elements(run.payload);
    let some = |count: u32, measured: &mut Recorder| -> Result<(), Refusal> {
        let line = ConnectionUse::Fresh { bound: run.bound };
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
    let all = |count: u32, measured: &mut Recorder| {
        let mut begun = (0..count).step_by(TOGETHER as usize);
        begun.try_for_each(|begun| some((count - begun).min(TOGETHER), measured))
    };
    all(run.warm, &mut Recorder::start())?;
    let cpu_ns = process_cpu_ns();
    let mut measured = Recorder::start();
    all(run.calls, &mut measured)?;
    let measured = measured.end();
    let cpu_ns = process_cpu_ns().saturating_sub(cpu_ns);
    Ok(Recorder::done(&[measured], run.calls.into(), cpu_ns))
}

/// The common start of all threads.
struct Start {
    barrier: Barrier,
    /// CPU time of the process when the first thread started.
    cpu_ns: AtomicU64,
}

fn warm_up(caller: &mut dyn TwoWay, run: &Run) -> Result<()> {
    (0..run.warm).try_for_each(|number| caller.make(number, 1).map(drop))
}

/// Times the calls after the warm-up, which may have failed.
fn measure(
    caller: &mut dyn TwoWay,
    run: &Run,
    start: &Start,
    warmed: Result<()>,
) -> Result<Recorder> {
    let mut number = run.warm;
    let mut next = |count| {
        let this = number;
        number = number.wrapping_add(count);
        caller.make(this, count)
    };
    // Passes the barrier in any case: the others wait there.
    start.barrier.wait();
    warmed?;
    start.cpu_ns.fetch_min(process_cpu_ns(), Ordering::Relaxed);
    let mut measured = Recorder::start();
    for _ in 0..run.calls / run.batch {
        measured.record(next(run.batch)?, run.batch);
    }
    Ok(measured.end())
}

#[cfg(test)]
mod tests;
