//! Param_Test by both marshalling engines: seven types, each as in, inout and out parameter and as result.
//!
//! Client and server are two ORBs of this process, and the calls by both engines use the same connection, so that only
//! the engines differ.

mod engine;
mod instructions;

use zorb::Orb;
use zorb_os::thread;

use super::runner::Run;
use crate::driver::Done;
use crate::error::{Error, Result};
use crate::harness::{Watch, order};
use crate::param::{ENGINES, STRING, STRUCTS};
use crate::peer::without_id;
use crate::processor::{pin, process_cpu_ns};
use crate::recorder::Recorder;
use crate::report::{Claim, Figure, TextTable};
use crate::statistics::{Interval, median};
use crate::transport::bare_transport;
use engine::{compiled, interpretive};

/// Octets of the numbers and texts of each type.
const PAYLOADS: [usize; 7] = {
    let strings = STRUCTS * STRING;
    let var = 2 * STRING + strings;
    [2, 4 * STRING, 21, strings, var, var, STRUCTS * var]
};
/// The ways to pass a value.
const MODES: usize = 4;
/// Number of calls of a block.
const CALLS: u32 = 2000;
/// Number of calls of a quick block.
const QUICK_CALLS: u32 = 20;
/// Calls before those that are timed.
const WARM: u32 = 50;
/// The smallest ratio of interpretive to compiled calls per second.
const SMALLEST: f64 = 0.9;

/// A server and its clients, one for each engine.
struct Ends {
    server: Orb,
    client: Orb,
    compiled: compiled::Client,
    interpretive: interpretive::Client,
    /// Of a local socket.
    _folder: tempfile::TempDir,
}

impl Ends {
    /// Server and client as the run wants them. The threads of the server inherit its processor.
    fn new(run: &Run<'_>) -> Result<Self> {
        let own = thread::affinity()?;
        let [client, server] = run.setup.pin.choose(&own)?;
        let folder = tempfile::tempdir()?;
        let scheme = run.setup.transport.as_str();
        let url = match bare_transport(scheme) {
            "iiop" => format!("{scheme}://127.0.0.1:0"),
            _ => format!("{scheme}://{}", folder.path().join("param").display()),
        };
        let orb = || Orb::builder().arguments(&mut without_id(&run.setup.orb));
        server.map(pin).transpose()?;
        let server = orb().listen(url).build()?;
        thread::set_affinity(&own)?;
        client.map(pin).transpose()?;
        let client = orb().build()?;
        let poa = server.root_poa();
        let (compiled, interpretive) =
            (compiled::Client::new(&poa, &client)?, interpretive::Client::new(&poa, &client)?);
        Ok(Self { server, client, compiled, interpretive, _folder: folder })
    }

    /// The time of a call by an engine in nanoseconds.
    fn call(&self, engine: usize, operation: usize) -> Result<u64> {
        match engine {
            0 => compiled::Client::OPERATIONS[operation].1(&self.compiled),
            _ => interpretive::Client::OPERATIONS[operation].1(&self.interpretive),
        }
    }

    /// A block of calls.
    fn block(&self, engine: usize, operation: usize, calls: u32) -> Result<Done> {
        (0..WARM.min(calls)).try_for_each(|_| self.call(engine, operation).map(drop))?;
        let cpu_ns = process_cpu_ns();
        let mut recorder = Recorder::start();
        for _ in 0..calls {
            recorder.record(self.call(engine, operation)?, 1);
        }
        let cpu_ns = process_cpu_ns().saturating_sub(cpu_ns);
        Ok(Recorder::done(&[recorder.end()], calls.into(), cpu_ns))
    }

    fn end(self) -> Result<()> {
        self.client.shutdown(true)?;
        self.server.shutdown(true)?;
        Ok(())
    }
}

/// All operations by both engines in turns.
pub(super) fn param(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let own = thread::affinity()?;
    let measured = Ends::new(run).and_then(|ends| {
        operations(run, &ends, watch)?;
        ends.end()
    });
    thread::set_affinity(&own)?;
    measured?;
    count(run, watch)
}

/// Instructions of marshalling alone.
fn count(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() {
        return Err(Error::Stopped);
    }
    match instructions::count(run.setup) {
        Ok(Some(counts)) => {
            let text = run.text.get_or_insert_default();
            *text += &format!("\n{}", instructions::table(&counts));
            run.instructions = counts;
        }
        Ok(None) => watch.note("instructions are not counted: valgrind is not installed"),
        Err(error) => watch.note(&format!("instructions are not counted: {error}")),
    }
    Ok(())
}

fn operations(run: &mut Run<'_>, ends: &Ends, watch: &mut dyn Watch) -> Result<()> {
    let own = if run.setup.options.quick { QUICK_CALLS } else { CALLS };
    let calls = run.setup.options.calls.unwrap_or(own).max(1);
    let rounds = run.rounds();
    watch.begin(PAYLOADS.len() * MODES * ENGINES.len() * 2 * rounds);
    let mut table = TextTable::new([
        "operation",
        "octets",
        "compiled calls/s",
        "interpretive calls/s",
        "ratio",
        "95 % interval",
    ]);
    for (index, (operation, _)) in compiled::Client::OPERATIONS.iter().enumerate() {
        let mut blocks = ENGINES.map(|_| Vec::new());
        for engine in (0..rounds).flat_map(|_| order(ENGINES.len())) {
            if watch.wants_to_stop() {
                return Err(Error::Stopped);
            }
            let done = ends.block(engine, index, calls);
            blocks[engine].push(done.map_err(|error| error.during(operation))?);
            watch.block(operation);
        }
        let payload = PAYLOADS[index / MODES];
        let ratio = ratio(&blocks);
        let [compiled, interpretive] =
            blocks.each_ref().map(|blocks| median(blocks.iter().map(calls_per_s)));
        table.row([
            (*operation).to_owned(),
            payload.to_string(),
            format!("{compiled:.0}"),
            format!("{interpretive:.0}"),
            format!("{:.2}", ratio.median),
            format!("{:.2} to {:.2}", ratio.low, ratio.high),
        ]);
        let blocks = blocks.map(Some);
        let peers = [(ENGINES[0], &blocks[0]), (ENGINES[1], &blocks[1])];
        run.add(&run.setup.transport.clone(), (operation, payload), Figure::Latency, &peers);
        run.claims.push(check(operation, ratio));
    }
    run.text = Some(table.to_string());
    Ok(())
}

fn calls_per_s(block: &Done) -> f64 {
    block.calls as f64 * 1e9 / block.sum_ns.max(1) as f64
}

/// Interpretive calls per second as a share of compiled ones, from adjacent blocks.
fn ratio([compiled, interpretive]: &[Vec<Done>; 2]) -> Interval {
    let pairs = std::iter::zip(compiled, interpretive);
    Interval::of(pairs.map(|(compiled, interpretive)| {
        calls_per_s(interpretive) / calls_per_s(compiled).max(f64::MIN_POSITIVE)
    }))
}

fn check(operation: &str, ratio: Interval) -> Claim {
    let what = format!("{operation}: interpretive / compiled calls per second");
    Claim::at_least(what, SMALLEST, ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of one call each, which took these times.
    fn blocks(nanos: &[u64]) -> Vec<Done> {
        let block = |nanos: &u64| Done { calls: 1, sum_ns: *nanos, ..Done::default() };
        nanos.iter().map(block).collect()
    }

    #[test]
    fn an_engine_that_takes_a_fifth_longer_fails() {
        let found = |nanos: &[u64]| check("x", ratio(&[blocks(&[100; 20]), blocks(nanos)]));
        assert!(found(&[105; 20]).holds && !found(&[105; 20]).fails());
        assert!(found(&[120; 20]).fails());
        let both: Vec<u64> = [100, 125].repeat(10);
        assert!(!found(&both).fails(), "the interval contains the limit");
    }

    #[test]
    fn both_engines_have_the_same_operations() {
        let names = compiled::Client::OPERATIONS.iter().map(|(name, _)| *name);
        assert!(names.eq(interpretive::Client::OPERATIONS.iter().map(|(name, _)| *name)));
        assert_eq!(compiled::Client::OPERATIONS.len(), PAYLOADS.len() * MODES);
    }
}
