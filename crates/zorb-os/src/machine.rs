//! The identity of the machine.

use std::fs;
use std::sync::OnceLock;

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
    fn a_machine_is_known_by_a_uuid() {
        let id = boot_id().unwrap();
        assert_eq!(id.len(), 36);
        assert_eq!(boot_id(), Some(id));
    }
}
