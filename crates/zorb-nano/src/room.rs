//! Lists with room for all that they will ever have.

use alloc::vec::Vec;

/// Appends an entry, and returns whether there was room for it. The image then has no code that grows such lists, which
/// could panic.
pub(crate) fn push<T>(list: &mut Vec<T>, entry: T) -> bool {
    let has_room = list.len() < list.capacity();
    if has_room {
        list.push(entry);
    }
    has_room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_does_not_grow() {
        let mut list = Vec::with_capacity(2);
        let room = list.capacity();
        assert!((0..room).all(|entry| push(&mut list, entry)));
        assert_eq!((push(&mut list, 7), list.len(), list.capacity()), (false, room, room));
    }
}
