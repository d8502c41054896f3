//! Default limits that follow from those of the process.

use std::sync::OnceLock;

use zorb_os::{machine, process};

/// The address space of a thread: its stack of 2 MiB, and what it allocates.
const OF_THREAD: u64 = (2 << 20) + (256 << 10);
/// The memory of a connection: buffers, here and in the system, and the stack of its thread.
const OF_CONNECTION: u64 = 256 << 10;
/// The most threads.
const MAX_THREADS: u64 = 65_536;
/// The most connections by default: a server has a table for all of them.
const MAX_CONNECTIONS: u64 = 1024;

/// The limits of the process; `None` for those that are unknown or unlimited.
#[derive(Clone, Copy, Debug)]
struct SystemLimits {
    descriptors: Option<u64>,
    threads: Option<u64>,
    address_space: Option<u64>,
    memory: Option<u64>,
}

/// The limits that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessLimits {
    threads: usize,
    connections: usize,
    served: usize,
    called: usize,
    bridged: usize,
}

/// The default of `MaxThreads`: half of what the system allows, of half of the address
/// space if that is limited, and at most 65,536.
pub fn max_threads() -> usize {
    limits().threads
}

/// The default of `MaxConnections`: as many as the process has descriptors, threads and memory for, and at most 1,024.
/// An eighth of the descriptors, at least 16, and an eighth of the [threads](max_threads) are left for other purposes;
/// a connection may need 256 KiB of a quarter of the memory.
pub fn max_connections() -> usize {
    limits().connections
}

/// The number of connections that all ORBs of the process together should have accepted: one for each descriptor, less
/// an eighth, at least 16.
pub(crate) fn max_served() -> usize {
    limits().served
}

/// The number of connections that upcalls of all ORBs of the process may have opened: a quarter of its descriptors, at
/// least 4. The others remain for clients.
pub(crate) fn max_called() -> usize {
    limits().called
}

/// The number of clients that a bridge admits by default: each needs two connections, as of
/// [`max_connections`], and two threads.
pub fn max_bridged_connections() -> usize {
    limits().bridged
}

/// The maximum number of connections with one thread each, for this number of threads.
pub(crate) fn connections_for(threads: usize) -> usize {
    threads.saturating_sub((threads / 8).max(2)).max(1)
}

/// Computed once: limits that the process changes later have no effect.
fn limits() -> ProcessLimits {
    static LIMITS: OnceLock<ProcessLimits> = OnceLock::new();
    *LIMITS.get_or_init(|| {
        let system = SystemLimits {
            descriptors: machine::max_descriptors(),
            threads: machine::max_threads(),
            address_space: machine::max_address_space(),
            memory: machine::memory(),
        };
        if system.address_space.is_some() {
            process::use_one_arena();
        }
        ProcessLimits::of(system)
    })
}

impl ProcessLimits {
    fn of(system: SystemLimits) -> Self {
        let by_system = system.threads.map(|threads| threads / 2);
        let by_space = system.address_space.map(|octets| octets / 2 / OF_THREAD);
        let threads = least([by_system, by_space], MAX_THREADS).max(16);
        let by_descriptors =
            system.descriptors.map(|count| count.saturating_sub((count / 8).max(16)));
        let by_memory = system.memory.map(|octets| octets / 4 / OF_CONNECTION);
        let by_threads = threads - threads / 8;
        let all = least([by_descriptors, by_memory], by_threads);
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let connections = |all: u64| count(all.clamp(1, MAX_CONNECTIONS));
        Self {
            threads: count(threads),
            connections: connections(all),
            bridged: connections(all / 2),
            served: count(by_descriptors.unwrap_or(u64::MAX).max(1)),
            called: count(system.descriptors.map_or(u64::MAX, |all| (all / 4).max(4))),
        }
    }
}

/// The least of these limits.
fn least(limits: [Option<u64>; 2], most: u64) -> u64 {
    limits.into_iter().flatten().fold(most, u64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: SystemLimits =
        SystemLimits { descriptors: None, threads: None, address_space: None, memory: None };

    fn of(system: SystemLimits) -> (usize, usize) {
        let ProcessLimits { threads, connections, .. } = ProcessLimits::of(system);
        (threads, connections)
    }

    #[test]
    fn limits_follow_from_those_of_the_process() {
        assert_eq!(of(NONE), (65_536, 1024));
        // `ulimit -n`: an eighth is left, at least 16.
        let descriptors = |count| of(SystemLimits { descriptors: Some(count), ..NONE }).1;
        assert_eq!([1 << 20, 1024, 64, 16, 3].map(descriptors), [1024, 896, 48, 1, 1]);
        let served = |count| ProcessLimits::of(SystemLimits { descriptors: count, ..NONE }).served;
        assert_eq!([Some(4096), Some(64), Some(3), None].map(served), [3584, 48, 1, usize::MAX]);
        let called = |count| ProcessLimits::of(SystemLimits { descriptors: count, ..NONE }).called;
        assert_eq!([Some(4096), Some(63), Some(3), None].map(called), [1024, 15, 4, usize::MAX]);
        // `ulimit -u`, or that of a container.
        let threads = |count| of(SystemLimits { threads: Some(count), ..NONE });
        assert_eq!([1000, 10].map(threads), [(500, 438), (16, 14)]);
        // `ulimit -v 300000`.
        let octets = Some(300_000 << 10);
        let space = of(SystemLimits { address_space: octets, memory: octets, ..NONE });
        assert_eq!(space, (65, 57));
        let bridged = |system| ProcessLimits::of(system).bridged;
        let descriptors = [1 << 20, 1024, 64, 3]
            .map(|it| bridged(SystemLimits { descriptors: Some(it), ..NONE }));
        assert_eq!(descriptors, [1024, 448, 24, 1]);
        assert_eq!(bridged(SystemLimits { threads: Some(1000), ..NONE }), 219);
        let memory = |octets| of(SystemLimits { memory: Some(octets), ..NONE }).1;
        assert_eq!([64 << 20, 512 << 20].map(memory), [64, 512]);
    }

    #[test]
    fn the_process_has_some() {
        assert!(max_threads() >= 16 && (1..=1024).contains(&max_connections()));
    }
}
