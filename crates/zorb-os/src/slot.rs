//! Passing a box between threads without a lock.

pub use crate::sys::slot::Slot;

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::Slot;

    #[test]
    fn a_dropped_slot_drops_its_box() {
        let value = Arc::new(());
        let slot = Slot::empty();
        assert!(slot.put(Box::new(Arc::clone(&value))).is_none());
        assert_eq!(Arc::strong_count(&value), 2);
        drop(slot);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn each_box_is_taken_by_one_thread() {
        // Miri runs each step some thousand times slower, and looks at every access.
        const ROUNDS: u64 = if cfg!(miri) { 200 } else { 10_000 };
        let slot = Slot::empty();
        let taken: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let slot = &slot;
                    scope.spawn(move || {
                        let mine = (0..ROUNDS).map(|round| {
                            let put = slot.put(Box::new(thread * ROUNDS + round));
                            let back = put.map_or(0, |value| *value);
                            back + slot.take().map_or(0, |value| *value)
                        });
                        mine.sum::<u64>()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let left = slot.take().map_or(0, |value| *value);
        assert_eq!(taken + left, (0..4 * ROUNDS).sum());
    }
}
