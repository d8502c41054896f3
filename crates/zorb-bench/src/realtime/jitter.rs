//! E13: how far apart the times of calls lie, on a machine that has nothing else to do and on one
//! that has.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use super::bed::{Bench, HIGH, SHARED};
use super::finding::{Finding, rounded};
use super::times::{Sample, Times, ratio};
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Threads on each processor that do nothing but use it.
const HOGS: usize = 3;
/// What is written to the disk, and sent over the network, at a time.
const CHUNK: usize = 64 << 10;
/// The file begins anew after so many chunks.
const CHUNKS: usize = 256;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let calls = bench.count(500_000, 20_000);
    finding.measure("calls_wanted", calls);
    let (idle, loaded) = both(bench, HIGH, calls)?;
    finding.times("priority, idle", "call", &idle);
    finding.times("priority, loaded", "call", &loaded);
    let spread = ratio(idle.micros(0.999), idle.p50());
    finding.measure("idle_p999_of_p50", rounded(spread));
    finding.check("idle: p99.9, of the median", "at most 4 times", rounded(spread), spread <= 4.0);
    let found = ratio(loaded.p99(), idle.p99());
    finding.measure("p99_ratio", rounded(found));
    finding.check(
        "processors, disk and network busy: p99, of that without load",
        "at most 2 times",
        rounded(found),
        found <= 2.0,
    );
    let (idle, loaded) = both(bench, SHARED, calls / 5)?;
    finding.times("no priority, idle", "call", &idle);
    finding.times("no priority, loaded", "call", &loaded);
    let found = ratio(loaded.p99(), idle.p99());
    finding.measure("no_priority_p99_ratio", rounded(found));
    finding.control(
        "client and server without priority: p99 under load, of that without",
        "more than 2 times",
        rounded(found),
        found > 2.0,
    );
    Ok(finding)
}

/// The times of calls of a priority, without load and with it.
fn both(bench: &Bench, priority: i16, calls: usize) -> Result<(Times, Times)> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(priority, 1)])?;
    let worker = server.propagated(&pool, priority, &client)?;
    let idle = client.at(priority, || timed(&worker, calls))?;
    let loaded = under_load(bench, || client.at(priority, || timed(&worker, calls)))?;
    Ok((bench.times(&idle), bench.times(&loaded)))
}

fn timed(worker: &Worker, calls: usize) -> Result<Vec<Sample>> {
    for _ in 0..calls / 20 {
        worker.work(-1, 0)?;
    }
    let mut samples = Vec::with_capacity(calls);
    for _ in 0..calls {
        let (sample, done) = Sample::of(|| worker.work(-1, 0));
        done?;
        samples.push(sample);
    }
    Ok(samples)
}

/// Does something while the processors, the disk and the network are kept busy by threads without
/// priority.
fn under_load<T>(bench: &Bench, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let stop = AtomicBool::new(false);
    let mut file = tempfile::tempfile()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut sender = TcpStream::connect(listener.local_addr()?)?;
    let (mut receiver, _) = listener.accept()?;
    std::thread::scope(|scope| {
        let stop = &stop;
        for processor in bench.watched() {
            for _ in 0..HOGS {
                scope.spawn(move || {
                    let _ = zorb_os::thread::set_affinity(&[processor]);
                    while !stop.load(Ordering::Relaxed) {
                        super::work::busy(100);
                    }
                });
            }
        }
        scope.spawn(|| write_again(&mut file, stop));
        scope.spawn(move || {
            let data = vec![7; CHUNK];
            while !stop.load(Ordering::Relaxed) && sender.write_all(&data).is_ok() {}
        });
        scope.spawn(move || {
            let mut data = vec![0; CHUNK];
            while receiver.read(&mut data).is_ok_and(|octets| octets > 0) {}
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        done
    })
}

/// A disk that is full or slow is no load, and no failure either.
fn write_again(file: &mut File, stop: &AtomicBool) {
    let data = vec![7; CHUNK];
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..CHUNKS {
            if stop.load(Ordering::Relaxed) || file.write_all(&data).is_err() {
                break;
            }
        }
        let _ = file.sync_data();
        let _ = file.rewind();
    }
}
