//! The machine: its identity and its memory.

use std::fs;
use std::sync::OnceLock;

use rustix::process::{Resource, getrlimit};

/// The octets of memory that this process can have: those of the machine, or fewer by `RLIMIT_AS`,
/// `RLIMIT_DATA` or the limit of the root cgroup that a container sees. `None` if nothing is known.
#[must_use]
pub fn memory() -> Option<u64> {
    let of_machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let of_container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let of_container = of_container.and_then(|text| text.trim().parse().ok());
    let of_process = [Resource::As, Resource::Data].map(|limit| getrlimit(limit).current);
    [of_machine, of_container].into_iter().chain(of_process).flatten().min()
}

/// The number of descriptors that this process may have (`RLIMIT_NOFILE`); `None` for any number.
#[must_use]
pub fn max_descriptors() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// The octets of address space that this process may have (`RLIMIT_AS`); `None` without a limit.
#[must_use]
pub fn max_address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// The number of threads that the user (`RLIMIT_NPROC`) and the root cgroup that a container sees may have; `None`
/// without a limit.
#[must_use]
pub fn max_threads() -> Option<u64> {
    let of_container = fs::read_to_string("/sys/fs/cgroup/pids.max").ok();
    let of_container = of_container.and_then(|text| text.trim().parse().ok());
    [of_container, getrlimit(Resource::Nproc).current].into_iter().flatten().min()
}

/// The octets of `MemTotal` in `/proc/meminfo`.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The kernel's boot id, which differs between machines and between boots. All containers of a
/// machine have the same.
///
/// `None` without `/proc`. Read once.
#[must_use]
pub fn boot_id() -> Option<&'static str> {
    static BOOT_ID: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let text = text.trim();
        (!text.is_empty() && text.len() <= 64).then(|| text.to_owned())
    };
    BOOT_ID.get_or_init(read).as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_known_in_octets() {
        let text = "MemFree:  5 kB\nMemTotal:       24576 kB\nSwapTotal: 7 kB\n";
        assert_eq!(total_memory(text), Some(24 << 20));
        assert_eq!(total_memory("MemTotal: many"), None);
        assert!(memory().unwrap() > 1 << 20);
    }

    #[test]
    fn a_machine_is_known_by_a_uuid() {
        let id = boot_id().unwrap();
        assert_eq!(id.len(), 36);
        assert_eq!(boot_id(), Some(id));
    }
}
