//! Octets that usually need no memory of their own.

use std::collections::TryReserveError;
use std::ops::Deref;

/// Octets; up to `SHORT` of them are in the value itself. Otherwise each `resolve` would allocate those of its name and those
/// of its reply, which took a tenth of its instructions.
#[derive(Clone)]
pub(crate) struct Octets<const SHORT: usize> {
    short: [u8; SHORT],
    /// The number of short ones.
    len: usize,
    /// All octets, if there are more.
    long: Option<Vec<u8>>,
}

impl<const SHORT: usize> Octets<SHORT> {
    /// Makes room for so many octets in all.
    ///
    /// # Errors
    /// Without memory.
    pub(crate) fn try_reserve(&mut self, most: usize) -> Result<(), TryReserveError> {
        if most > SHORT && self.long.is_none() {
            let mut long = Vec::new();
            long.try_reserve_exact(most)?;
            long.extend_from_slice(self);
            self.long = Some(long);
        }
        Ok(())
    }

    pub(crate) fn extend(&mut self, octets: &[u8]) {
        let end = self.len + octets.len();
        match self.short.get_mut(self.len..end) {
            Some(place) if self.long.is_none() => {
                place.copy_from_slice(octets);
                self.len = end;
            }
            _ => self.extend_long(octets),
        }
    }

    #[cold]
    fn extend_long(&mut self, octets: &[u8]) {
        let short = self.short.get(..self.len).unwrap_or_default();
        self.long.get_or_insert_with(|| short.to_vec()).extend_from_slice(octets);
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.long = None;
    }
}

impl<const SHORT: usize> Default for Octets<SHORT> {
    fn default() -> Self {
        Self { short: [0; SHORT], len: 0, long: None }
    }
}

impl<const SHORT: usize> Deref for Octets<SHORT> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.long {
            None => self.short.get(..self.len).unwrap_or_default(),
            Some(long) => long,
        }
    }
}

impl<const SHORT: usize> std::fmt::Debug for Octets<SHORT> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<const SHORT: usize> PartialEq for Octets<SHORT> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const SHORT: usize> Eq for Octets<SHORT> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_the_same_wherever_they_are() {
        for reserved in [0, 3, 4, 5, 100] {
            let (mut octets, mut expected) = (Octets::<4>::default(), Vec::new());
            octets.try_reserve(reserved).unwrap();
            for piece in [&b"a"[..], b"", b"bcd", b"e", b"fgh", b""] {
                octets.extend(piece);
                expected.extend_from_slice(piece);
                assert_eq!(*octets, *expected, "{reserved} reserved");
            }
            assert_eq!(octets, octets.clone());
            octets.try_reserve(expected.len() + 1).unwrap();
            assert_eq!(*octets, *expected);
            octets.clear();
            octets.extend(b"x");
            assert_eq!(*octets, *b"x");
        }
    }
}
