//! Processes that are killed while they commit.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::support::{Random, entries, runs};
use zorb_store::{Batch, Durability, FileStore, FileStoreOptions, Store};

/// The variables with the folder and the durability.
const FOLDER: &str = "TEST_STORE_FOLDER";
const DURABILITY: &str = "TEST_STORE_DURABILITY";

const WRITERS: u64 = 4;
/// The entries of a writer that are kept.
const KEPT: u64 = 50;

fn open(path: &Path, durability: Durability) -> FileStore {
    FileStore::open(path, &FileStoreOptions::new().durability(durability)).unwrap()
}

/// The number of a writer's last batch; 0 if there is none.
fn last(store: &FileStore, writer: u64) -> u64 {
    let last = store.get("test.last", &writer.to_be_bytes()).unwrap();
    last.map_or(0, |number| u64::from_be_bytes(number.try_into().unwrap()))
}

/// A batch of a writer: three changes, which belong together.
fn batch(writer: u64, number: u64) -> Batch {
    let batch = Batch::new().put("test.last", writer.to_be_bytes(), number.to_be_bytes()).put(
        "test.numbers",
        key(writer, number),
        vec![number as u8; (number % 900) as usize],
    );
    batch.delete("test.numbers", key(writer, number.saturating_sub(KEPT)))
}

fn key(writer: u64, number: u64) -> Vec<u8> {
    [writer.to_be_bytes(), number.to_be_bytes()].concat()
}

#[test]
#[ignore = "the child process that the other test starts and kills"]
fn the_writers() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let durability = std::env::var(DURABILITY).unwrap().parse().unwrap();
    let store = &open(folder.as_ref(), durability);
    thread::scope(|scope| {
        for writer in 1..=WRITERS {
            scope.spawn(move || {
                for number in last(store, writer) + 1.. {
                    store.commit(batch(writer, number)).unwrap();
                    let line = format!("\n#{writer} {number}\n");
                    // Until the reader has ended.
                    let written = std::io::stdout().lock().write_all(line.as_bytes());
                    written.unwrap_or_else(|_| std::process::exit(1));
                }
            });
        }
    });
}

/// Starts the writers, and kills them after some acknowledged commits. Returns the last one of each writer.
fn kill(folder: &Path, durability: Durability, random: &mut Random) -> BTreeMap<u64, u64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["killed::the_writers", "--exact", "--include-ignored", "--nocapture"]);
    command.env(FOLDER, folder).env(DURABILITY, durability.name());
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut commits = lines.filter_map(|line| {
        let (writer, number) = line.strip_prefix('#')?.split_once(' ')?;
        Some((writer.parse().unwrap(), number.parse().unwrap()))
    });
    let first: Vec<(u64, u64)> = commits.by_ref().take(20 + random.below(400) as usize).collect();
    process.kill().unwrap();
    let acknowledged = first.into_iter().chain(commits).collect();
    process.wait().unwrap();
    acknowledged
}

fn kill_repeatedly(durability: Durability) {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(durability as u64);
    let mut before = [0; WRITERS as usize + 1];
    for number in 0..runs("KILLS", 4) {
        let acknowledged = kill(folder.path(), durability, random);
        assert!(!acknowledged.is_empty());
        let store = open(folder.path(), durability);
        assert!(store.recovered());
        let mut expected = BTreeMap::new();
        for writer in 1..=WRITERS {
            let (found, known) = (last(&store, writer), acknowledged.get(&writer).copied());
            let known = known.unwrap_or(before[writer as usize]);
            // One more may have been committed without an answer.
            assert!(found == known || found == known + 1, "{number}: {found} for {known}");
            before[writer as usize] = found;
            for kept in (found.saturating_sub(KEPT) + 1).max(1)..=found {
                for change in batch(writer, kept).into_changes() {
                    change.value.map(|value| {
                        expected.insert((change.table.into_owned(), change.key), value)
                    });
                }
            }
        }
        assert!(entries(&store).unwrap() == expected, "{number}: half a batch");
    }
}

#[test]
fn acknowledged_commits_survive_kill_9_with_immediate() {
    kill_repeatedly(Durability::Immediate);
}

#[test]
fn acknowledged_commits_survive_kill_9_with_grouped() {
    kill_repeatedly(Durability::Grouped);
}

#[test]
fn acknowledged_commits_survive_kill_9_with_os() {
    kill_repeatedly(Durability::Os);
}
