//! Judges a record of upcalls: pure functions.

/// A recorded upcall. Times are in nanoseconds of one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upcall {
    /// The request's number.
    pub id: i32,
    /// The priority of its client.
    pub priority: i16,
    /// When it had been sent, so that the server could read it.
    pub readable: u64,
    /// When its upcall began.
    pub start: u64,
    /// When its upcall ended.
    pub end: u64,
}

/// Upcalls that started while a more urgent request waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inversions {
    /// Their number.
    pub count: usize,
    /// The longest delay of a more urgent request, in nanoseconds.
    pub longest_ns: u64,
}

/// The inversions among upcalls of one processor.
///
/// An upcall that was running when the more urgent request arrived is not an inversion. A request that
/// becomes readable at the same moment counts as later.
#[must_use]
pub fn inversions(upcalls: &[Upcall]) -> Inversions {
    let mut found = Inversions::default();
    for low in upcalls {
        let waiting = |high: &&Upcall| {
            high.priority > low.priority && high.readable < low.start && high.start > low.start
        };
        let kept = |high: &Upcall| high.start.min(low.end).saturating_sub(low.start);
        if let Some(longest) = upcalls.iter().filter(waiting).map(kept).max() {
            found.count += 1;
            found.longest_ns = found.longest_ns.max(longest);
        }
    }
    found
}

/// The ids in the order of their upcalls' starts.
#[must_use]
pub fn order(upcalls: &[Upcall]) -> Vec<i32> {
    let mut begun: Vec<_> = upcalls.iter().map(|upcall| (upcall.start, upcall.id)).collect();
    begun.sort_unstable();
    begun.into_iter().map(|(_, id)| id).collect()
}

/// The maximum number of concurrent upcalls.
#[must_use]
pub fn max_concurrent(upcalls: &[Upcall]) -> usize {
    let running = |moment: u64| {
        upcalls.iter().filter(|upcall| (upcall.start..upcall.end).contains(&moment)).count()
    };
    upcalls.iter().map(|upcall| running(upcall.start)).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upcall(id: i32, priority: i16, readable: u64, start: u64, end: u64) -> Upcall {
        Upcall { id, priority, readable, start, end }
    }

    #[test]
    fn urgent_requests_first_is_no_inversion() {
        let upcalls = [
            upcall(0, 10, 0, 1, 100),
            // Comes while 0 runs, and interrupts it.
            upcall(2, 30, 10, 11, 20),
            upcall(3, 30, 12, 20, 30),
            upcall(1, 10, 2, 101, 120),
        ];
        assert_eq!(inversions(&upcalls), Inversions::default());
        assert_eq!(order(&upcalls), [0, 2, 3, 1]);
        assert_eq!(max_concurrent(&upcalls), 2);
    }

    #[test]
    fn an_upcall_before_a_waiting_urgent_request_is_an_inversion() {
        let upcalls = [
            upcall(0, 10, 0, 1, 100),
            upcall(1, 10, 2, 100, 130),
            upcall(2, 10, 3, 130, 190),
            upcall(3, 30, 50, 190, 200),
        ];
        // 0 had begun before; 1 and 2 had not.
        assert_eq!(inversions(&upcalls), Inversions { count: 2, longest_ns: 60 });
        assert_eq!(max_concurrent(&upcalls), 1);
    }

    #[test]
    fn an_inversion_lasts_until_the_urgent_one_begins() {
        let upcalls = [upcall(0, 10, 0, 60, 100), upcall(1, 30, 50, 75, 80)];
        assert_eq!(inversions(&upcalls), Inversions { count: 1, longest_ns: 15 });
    }

    #[test]
    fn equals_and_later_ones_are_no_inversion() {
        let equals = [upcall(0, 30, 0, 10, 20), upcall(1, 30, 0, 20, 30)];
        assert_eq!(inversions(&equals).count, 0);
        let same_moment = [upcall(0, 10, 0, 10, 20), upcall(1, 30, 10, 11, 12)];
        assert_eq!(inversions(&same_moment).count, 0);
        // Both begin at once, on two threads.
        let together = [upcall(0, 10, 0, 10, 20), upcall(1, 30, 5, 10, 12)];
        assert_eq!(inversions(&together).count, 0);
        assert_eq!(inversions(&[]), Inversions::default());
    }

    #[test]
    fn three_priorities_are_each_before_the_lower_ones() {
        let upcalls =
            [upcall(0, 10, 0, 30, 40), upcall(1, 20, 0, 20, 30), upcall(2, 30, 0, 40, 50)];
        assert_eq!(inversions(&upcalls).count, 2);
    }
}
