//! Lists and text that need memory as a peer demands. Without memory these functions fail; those of the standard
//! library end the process.

use alloc::boxed::Box;
use alloc::collections::TryReserveError;
use alloc::string::String;
use alloc::vec::Vec;

/// Appends an entry to a list.
///
/// # Errors
/// Without memory; the list is unchanged.
pub fn push<T>(list: &mut Vec<T>, entry: T) -> Result<(), TryReserveError> {
    list.try_reserve(1)?;
    list.push(entry);
    Ok(())
}

/// A list without room for further entries.
///
/// # Errors
/// Without memory for a list of that length.
pub fn boxed<T>(list: Vec<T>) -> Result<Box<[T]>, TryReserveError> {
    let mut exact = list;
    if exact.len() < exact.capacity() {
        let list = exact;
        exact = Vec::new();
        exact.try_reserve_exact(list.len())?;
        exact.extend(list);
    }
    Ok(exact.into_boxed_slice())
}

/// Text without room for more.
///
/// # Errors
/// Without memory for text of that length.
pub fn boxed_text(text: String) -> Result<Box<str>, TryReserveError> {
    let exact = if text.len() < text.capacity() { copy_text(&text)? } else { text };
    Ok(exact.into_boxed_str())
}

/// A copy of octets or other plain values.
///
/// # Errors
/// Without memory.
pub fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>, TryReserveError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

/// A copy of text.
///
/// # Errors
/// Without memory.
pub fn copy_text(text: &str) -> Result<String, TryReserveError> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy)
}
