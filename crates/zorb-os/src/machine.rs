//! Which machine this is.

use std::fs;
use std::sync::OnceLock;

/// The text by which the running kernel is known: another one on every machine and after every
/// start. Processes in containers of one machine have the same.
///
/// `None` where `/proc` is not there. Read once.
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
