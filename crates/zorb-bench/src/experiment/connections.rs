//! Idle connections beside a busy one.

use super::{Run, calls, stop};
use crate::error::Result;
use crate::harness::Watch;

const IDLE: [usize; 5] = [1, 10, 100, 1000, 10_000];
/// How many of them a quick run has.
const QUICK: usize = 2;
/// Connections of the busy client, and of asking first.
const BUSY: usize = 16;

/// The threads that an experiment may use, as most servers have one a connection: three in four of
/// those that the system allows, so that it stays usable.
fn room_for_threads() -> usize {
    let limits = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"];
    let read = |path: &&str| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    limits.iter().filter_map(read).min().map_or(usize::MAX, |least| least / 4 * 3)
}

/// Calls of one client while more and more connections are open to its server.
pub(super) fn connections(run: &mut Run<'_>, watch: &mut dyn Watch) -> Result<()> {
    let steps = IDLE.get(..if run.plan.quick { QUICK } else { IDLE.len() }).unwrap_or_default();
    let most = steps.last().copied().unwrap_or_default();
    let mut pairs = run.start(most + BUSY, watch)?;
    watch.begin(steps.len() * pairs.len() * run.rounds() * 2);
    for &idle in steps {
        let room = room_for_threads();
        if pairs.len() * idle > room {
            watch.note(&format!(
                "{idle} connections are left out: {} peers would need up to {} threads, and the \
                 system is asked for no more than {room}; compare fewer peers at once",
                pairs.len(),
                pairs.len() * idle,
            ));
            break;
        }
        let mut kept = Vec::new();
        for mut pair in pairs {
            match pair.hold(&run.plan.setup, idle) {
                Ok(()) => kept.push(pair),
                Err(error) => {
                    let name = &pair.name;
                    watch.note(&format!("{name} is left out from {idle} connections on: {error}"));
                }
            }
        }
        pairs = kept;
        run.work(&mut pairs, &calls::busy(run.plan, idle), watch)?;
    }
    stop(pairs)
}
