//! Storage.

/// Counts the starts of a program.
///
/// # Errors
/// Those of the store.
pub fn counted(path: &std::path::Path) -> Result<u64, zorb_store::StoreError> {
    use zorb_store::{Batch, FileStore, FileStoreOptions, Store};

    let store = FileStore::open(path, &FileStoreOptions::new())?;
    let stored = store.get("counter.state", b"starts")?;
    let starts = stored.and_then(|octets| octets.try_into().ok()).map_or(0, u64::from_be_bytes) + 1;
    store.commit(Batch::new().put("counter.state", b"starts", starts.to_be_bytes()))?;
    Ok(starts)
}

#[cfg(test)]
mod tests {
    #[test]
    fn starts_are_counted() {
        let folder = std::env::temp_dir().join(format!("zorb-book-storage-{}", std::process::id()));
        assert_eq!(super::counted(&folder).unwrap(), 1);
        assert_eq!(super::counted(&folder).unwrap(), 2);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
