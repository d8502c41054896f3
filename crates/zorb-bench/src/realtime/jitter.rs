//! E13: jitter of calls on an idle and on a loaded machine.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::bare::Bare;
use super::bed::{Bench, HIGH, SHARED};
use super::finding::{Finding, rounded};
use super::interleaved::{Calls, Compared};
use super::limit::Limit;
use super::load::Load;
use super::times::{Times, ratio};
use crate::error::{Error, Result};

/// Busy threads per processor.
const HOGS: usize = 3;
/// Octets per write to disk and network.
const CHUNK: usize = 64 << 10;
/// Chunks before the file is overwritten.
const CHUNKS: usize = 256;
/// Maximum ratio of p99.9 to the median without load, and the factor by which it may exceed the ratio of
/// threads without an ORB if the machine's own tail is longer.
const MOST: f64 = 4.0;
const OVER_BARE: f64 = 1.25;
const SETTLE: Duration = Duration::from_millis(20);

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let calls = bench.count(500_000, 50_000);
    finding.measure("calls_wanted", calls);
    let found = both(bench, HIGH, Limit::AtMost(2.0), calls)?;
    finding.timelines("priority", "call", &found);
    let tail = |times: &Times| ratio(times.micros(0.999), times.p50());
    let (spread, bare) = (tail(&found.free), tail(&found.bare_free));
    finding.measure("idle_p999_of_p50", rounded(spread));
    finding.measure("bare_idle_p999_of_p50", rounded(bare));
    finding.check(
        "idle: p99.9 relative to the median",
        "at most 4, or 1.25 times the ratio without an ORB",
        format!("{} (without an ORB {})", rounded(spread), rounded(bare)),
        spread <= MOST.max(bare * OVER_BARE),
    );
    let what = "processors, disk and network busy: p99, relative to p99 without load";
    finding.judged(what, &found);
    let found = both(bench, SHARED, Limit::AtLeast(2.0), calls / 5)?;
    finding.timelines("no priority", "call", &found);
    let what = "client and server without priority: p99 under load, relative to p99 without";
    finding.judged(what, &found);
    Ok(finding)
}

/// Calls of a priority without load and under load.
fn both(bench: &Bench, priority: i16, limit: Limit, count: usize) -> Result<Compared> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(priority, 1)])?;
    let worker = server.propagated(&pool, priority, &client)?;
    let bare = Bare::beside(&server, &bench.transport, priority, 0)?;
    let call = || Ok(worker.work(-1, 0)?);
    let calls = Calls::new(&client, priority, &call, &bare).paced(count, Duration::ZERO);
    // Wake-ups of idle processors are a part of jitter.
    let calls = Calls { bare_every: 4, awake: false, ..calls };
    calls.interleaved(bench, everything(bench)?, limit)
}

/// Threads without real-time priority that load processors, disk and network.
fn everything(bench: &Bench) -> Result<Load<'static>> {
    let mut load = Load::settling(SETTLE);
    for processor in bench.watched() {
        for _ in 0..HOGS {
            load = load.with_any(move |fresh| {
                if fresh {
                    let _ = zorb_os::thread::set_affinity(&[processor]);
                }
                super::work::busy(100);
                Ok(())
            });
        }
    }
    let mut file = tempfile::tempfile()?;
    let (data, mut chunks) = (vec![7; CHUNK], 0);
    let load = load.with_any(move |_| {
        write_again(&mut file, &data, &mut chunks);
        Ok(())
    });
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut sender = TcpStream::connect(listener.local_addr()?)?;
    let (mut receiver, _) = listener.accept()?;
    // Neither side blocks when the load is switched off.
    sender.set_write_timeout(Some(SETTLE))?;
    receiver.set_read_timeout(Some(SETTLE))?;
    let data = vec![7; CHUNK];
    let load = load.with_any(move |_| no_matter_when(sender.write(&data)));
    let mut data = vec![0; CHUNK];
    Ok(load.with_any(move |_| no_matter_when(receiver.read(&mut data))))
}

fn no_matter_when(moved: std::io::Result<usize>) -> Result<()> {
    match moved {
        Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(Error::from(error).during("network load"))
        }
        _ => Ok(()),
    }
}

/// Errors are ignored: a full disk is not a failure of the experiment.
fn write_again(file: &mut File, data: &[u8], chunks: &mut usize) {
    let written = file.write_all(data);
    *chunks += 1;
    if *chunks >= CHUNKS || written.is_err() {
        *chunks = 0;
        let _ = file.sync_data();
        let _ = file.rewind();
    }
}
