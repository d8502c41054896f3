//! What a connection's own thread looks at before each upcall: one word, which rarely differs from that of its last one.

use std::sync::atomic::{AtomicU32, Ordering};

/// The bit of a connection with a request that has been held.
const HAS_HELD: u32 = 1 << 16;

/// The priority band that the client of a connection declares, and whether requests of it have been held.
#[derive(Debug)]
pub(crate) struct BeforeUpcall(AtomicU32);

/// The value of a [`BeforeUpcall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen(u32);

impl Seen {
    /// No band, and no request has been held.
    pub(crate) const NOTHING: Self = Self(0xffff);

    /// The highest priority of the band; -1 for none.
    pub(crate) fn band(self) -> i16 {
        let [_, _, high, low] = self.0.to_be_bytes();
        i16::from_be_bytes([high, low])
    }

    /// What a thread compares with: a connection that has held requests always differs, so that the thread looks
    /// whether one of them is running.
    pub(crate) fn to_compare(self) -> Self {
        Self(self.0 & !HAS_HELD)
    }
}

impl Default for BeforeUpcall {
    fn default() -> Self {
        Self(AtomicU32::new(Seen::NOTHING.0))
    }
}

impl BeforeUpcall {
    #[inline]
    pub(crate) fn see(&self) -> Seen {
        Seen(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn band(&self) -> i16 {
        self.see().band()
    }

    pub(crate) fn set_band(&self, band: i16) {
        let band = u32::from(band.cast_unsigned());
        let set = |seen: u32| Some(seen & HAS_HELD | band);
        // It always sets one.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, set);
    }

    /// Notes that a request is being held, by the thread that has the input, so that the next request's thread sees it.
    pub(crate) fn note_held(&self) {
        self.0.fetch_or(HAS_HELD, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_and_a_held_request_are_independent() {
        let state = BeforeUpcall::default();
        let has_held = || state.see() != state.see().to_compare();
        assert_eq!((state.see(), state.band(), has_held()), (Seen::NOTHING, -1, false));
        state.set_band(32767);
        assert_eq!((state.band(), has_held()), (32767, false));
        state.note_held();
        assert_eq!((state.band(), has_held()), (32767, true));
        state.set_band(-1);
        assert_eq!((state.band(), has_held()), (-1, true));
        assert_eq!(state.see().to_compare(), Seen::NOTHING);
    }
}
