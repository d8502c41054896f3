//! Idle connections beside a busy one.

use super::runner::{Run, stop};
use super::workloads;
use crate::error::Result;
use crate::harness::{Pair, Watch};

const IDLE: [usize; 5] = [1, 10, 100, 1000, 10_000];
/// Steps of a quick run.
const QUICK: usize = 2;
/// Connections of the active client.
const BUSY: usize = 16;
/// The peer that each other one is compared with.
const BARE: &str = "raw";

/// Maximum number of threads, because most servers have one per connection: three quarters of the
/// system's limit, so that it stays usable.
fn room_for_threads() -> usize {
    let limits = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"];
    let read = |path: &&str| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    limits.iter().filter_map(read).min().map_or(usize::MAX, |least| least / 4 * 3)
}

/// The peers that are measured together: all if the threads of `idle` connections to each fit into
/// `room`, otherwise each with the bare program. Empty if not even that fits.
fn groups(names: &[String], idle: usize, room: usize) -> Vec<Vec<String>> {
    if names.len().saturating_mul(idle) <= room {
        return vec![names.to_vec()];
    }
    let bare = names.iter().filter(|name| *name == BARE);
    let size = bare.clone().count() + 1;
    if size.saturating_mul(idle) > room {
        return Vec::new();
    }
    let others = names.iter().filter(|name| *name != BARE);
    others.map(|name| bare.clone().chain([name]).cloned().collect()).collect()
}

/// Calls of one client with an increasing number of idle connections to its server.
pub(super) fn connections(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let steps =
        IDLE.get(..if run.setup.options.quick { QUICK } else { IDLE.len() }).unwrap_or_default();
    let most = steps.last().copied().unwrap_or_default();
    let room = room_for_threads();
    let mut pairs = run.start(most + BUSY, watch)?;
    let names: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    let sizes = steps.iter().flat_map(|&idle| groups(&names, idle, room)).map(|group| group.len());
    watch.begin(sizes.sum::<usize>() * run.rounds() * 2);
    for &idle in steps {
        match groups(&names, idle, room).as_slice() {
            [] => {
                watch.note(&format!(
                    "{idle} connections are skipped: servers with a thread for each would need \
                     more than the {room} threads that the system is asked for"
                ));
                break;
            }
            [_] => pairs = with_idle(run, pairs, idle, watch)?,
            groups => {
                watch.note(&format!(
                    "{idle} connections are measured peer by peer: for all at once the system \
                     would need more than {room} threads"
                ));
                // Ends their threads.
                stop(std::mem::take(&mut pairs))?;
                for (number, group) in groups.iter().enumerate() {
                    let begun = run.rows.len();
                    let pairs = run.start_only(group, most + BUSY, watch)?;
                    stop(with_idle(run, pairs, idle, watch)?)?;
                    if number > 0 {
                        run.forget(BARE, begun);
                    }
                }
            }
        }
    }
    stop(pairs)
}

/// Measures the pairs with idle connections. Pairs that cannot open them are skipped and ended.
fn with_idle(
    run: &mut Run<'_>,
    pairs: Vec<Pair>,
    idle: usize,
    watch: &mut dyn Watch,
) -> Result<Vec<Pair>> {
    let mut kept = Vec::new();
    for mut pair in pairs {
        match pair.hold(run.setup, idle) {
            Ok(()) => kept.push(pair),
            Err(error) => {
                let name = &pair.name;
                watch.note(&format!("{name} is skipped from {idle} connections on: {error}"));
            }
        }
    }
    run.work(&mut kept, &workloads::busy(&run.setup.options, idle), watch)?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_measured_together_if_their_threads_fit() {
        let names = ["raw", "zorb", "ace"].map(str::to_owned);
        let of = |idle, room| {
            let groups = groups(&names, idle, room);
            groups.iter().map(|group| group.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(of(10, 30), ["raw zorb ace"]);
        assert_eq!(of(10, 29), ["raw zorb", "raw ace"]);
        assert!(of(10, 19).is_empty());
        let [_, others @ ..] = &names;
        assert_eq!(super::groups(others, 10, 10), [["zorb"], ["ace"]]);
    }
}
