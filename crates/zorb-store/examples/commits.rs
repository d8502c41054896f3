//! Measures commits per second, by durability and number of threads, and how long a large store takes to open:
//! `cargo run --release -p zorb-store --example commits -- FOLDER [ENTRIES]`. FOLDER is on the disk to measure.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use zorb_store::{Batch, Durability, FileStore, FileStoreOptions, Store, StoreError};

/// The time of each measurement.
const TIME: Duration = Duration::from_secs(3);
/// The size of a value, which is that of a usual reference.
const VALUE: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder on the disk to measure")?;
    let entries = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    println!(
        "{:10} {:>7} {:>11} {:>14} {:>10}",
        "durability", "threads", "commits/s", "transactions/s", "sync"
    );
    for durability in Durability::ALL {
        for threads in [1, 32] {
            measure(folder.as_ref(), durability, threads)?;
        }
    }
    open(folder.as_ref(), entries)?;
    Ok(())
}

fn create(path: &Path, durability: Durability) -> Result<FileStore, StoreError> {
    FileStore::open(path, &FileStoreOptions::new().durability(durability).dump_interval(None))
}

fn measure(folder: &Path, durability: Durability, threads: u32) -> Result<(), Box<dyn Error>> {
    let path = folder.join(format!("commits-{durability}-{threads}"));
    let store = create(&path, durability)?;
    let number = AtomicU64::new(0);
    let start = Instant::now();
    let commit = || {
        while start.elapsed() < TIME {
            let key = number.fetch_add(1, Ordering::Relaxed).to_be_bytes();
            store.commit(Batch::new().put("bench", key, vec![7; VALUE]))?;
        }
        Ok::<(), StoreError>(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(commit)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    let (time, done) = (start.elapsed().as_secs_f64(), store.statistics());
    let sync = done.sync_time.checked_div(u32::try_from(done.syncs)?).unwrap_or_default();
    let (batches, transactions) = (done.batches as f64 / time, done.transactions as f64 / time);
    println!("{durability:10} {threads:7} {batches:11.0} {transactions:14.0} {sync:>10.1?}");
    drop(store);
    std::fs::remove_dir_all(path)?;
    Ok(())
}

fn open(folder: &Path, entries: u64) -> Result<(), Box<dyn Error>> {
    let path = folder.join("commits-large");
    let store = create(&path, Durability::Os)?;
    let start = Instant::now();
    for first in (0..entries).step_by(10_000) {
        let mut batch = Batch::new();
        for number in first..entries.min(first + 10_000) {
            batch.push("bench".into(), number.to_be_bytes().to_vec(), Some(vec![7; VALUE]));
        }
        store.commit(batch)?;
    }
    println!(
        "{entries} entries: {} octets, written in {:.2?}",
        store.statistics().octets,
        start.elapsed()
    );
    let start = Instant::now();
    let contents = store.dump()?;
    println!("dump: {} octets in {:.2?}", contents.octets, start.elapsed());
    // As after kill -9.
    let copy = folder.join("commits-killed");
    std::fs::create_dir_all(&copy)?;
    for file in ["version", "store.redb"] {
        std::fs::copy(path.join(file), copy.join(file))?;
    }
    drop(store);
    for (name, path) in [("closed", path), ("killed", copy)] {
        let start = Instant::now();
        let store = create(&path, Durability::Os)?;
        let opened = start.elapsed();
        let mut octets = 0;
        store.scan("bench", &mut |key, value| {
            octets += key.len() + value.len();
            ControlFlow::Continue(())
        })?;
        println!("{name}: opened in {opened:.2?}, read in {:.2?}", start.elapsed() - opened);
        drop(store);
        std::fs::remove_dir_all(path)?;
    }
    Ok(())
}
