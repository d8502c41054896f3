//! Limits of tables and batches, which every [`Store`](crate::Store) checks.

use crate::{Batch, StoreError, StoreErrorKind};

/// Maximum length of a table's name, in octets. Names consist of `a` to `z`, `0` to `9`, `.`, `-` and `_`.
pub const MAX_TABLE_NAME: usize = 64;
/// Maximum length of a key, in octets: 64 KiB.
pub const MAX_KEY: usize = 64 << 10;
/// Maximum length of a value, in octets: 16 MiB.
pub const MAX_VALUE: usize = 16 << 20;
/// Maximum [size](Batch::octets) of a batch, in octets: 64 MiB.
pub const MAX_BATCH: usize = 64 << 20;

/// Checks all limits.
///
/// # Errors
/// [`StoreErrorKind::Limit`], with what exceeds it.
pub fn check(batch: &Batch) -> Result<(), StoreError> {
    for change in batch.changes() {
        check_table(&change.table)?;
        check_entry(change.key.len(), change.value.as_ref().map_or(0, Vec::len))?;
    }
    check_length("batch", batch.octets(), MAX_BATCH)
}

/// Checks a table's name.
///
/// # Errors
/// [`StoreErrorKind::Limit`].
pub fn check_table(name: &str) -> Result<(), StoreError> {
    let allowed = |octet: u8| matches!(octet, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_');
    if name.is_empty() || !name.bytes().all(allowed) {
        let what = format!("`{}` is not a name of a table", name.escape_default());
        return Err(StoreError::new(StoreErrorKind::Limit, what)
            .with_hint("names consist of a to z, 0 to 9, `.`, `-` and `_`"));
    }
    check_length("name of a table", name.len(), MAX_TABLE_NAME)
}

/// Checks the lengths of a key and a value.
pub(crate) fn check_entry(key: usize, value: usize) -> Result<(), StoreError> {
    check_length("key", key, MAX_KEY)?;
    check_length("value", value, MAX_VALUE)
}

fn check_length(what: &str, length: usize, maximum: usize) -> Result<(), StoreError> {
    if length <= maximum {
        return Ok(());
    }
    let what = format!("a {what} of {length} octets exceeds the limit of {maximum}");
    Err(StoreError::new(StoreErrorKind::Limit, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_the_longest_that_is_accepted() {
        let put = |name: usize, key: usize, value: usize| {
            check(&Batch::new().put("t".repeat(name), vec![0; key], vec![0; value]))
        };
        put(MAX_TABLE_NAME, MAX_KEY, MAX_VALUE).unwrap();
        for (name, key, value) in
            [(MAX_TABLE_NAME + 1, 1, 1), (1, MAX_KEY + 1, 1), (1, 1, MAX_VALUE + 1)]
        {
            assert_eq!(put(name, key, value).unwrap_err().kind(), StoreErrorKind::Limit);
        }
        let whole =
            (0..3).fold(Batch::new(), |batch, n: u8| batch.put("t", [], vec![n; MAX_VALUE]));
        let rest = MAX_BATCH - whole.octets();
        let more = Batch::new().put("t", [], []).octets();
        let whole = whole.put("t", [], vec![0; rest - more]);
        assert_eq!(whole.octets(), MAX_BATCH);
        check(&whole).unwrap();
        assert_eq!(check(&whole.delete("t", [])).unwrap_err().kind(), StoreErrorKind::Limit);
    }

    #[test]
    fn changes_without_octets_count() {
        let batch = (0..800_000).fold(Batch::new(), |batch, _| batch.delete("t", []));
        assert_eq!(check(&batch).unwrap_err().kind(), StoreErrorKind::Limit);
    }

    #[test]
    fn names_of_tables_are_plain() {
        check_table("naming.bindings-2_a").unwrap();
        for name in ["", "Naming", "a/b", "a b", "ä", "a\0"] {
            check_table(name).unwrap_err();
        }
    }
}
