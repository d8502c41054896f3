//! A performance model: the cycle time of a complete graph from that of two nodes.

/// What two nodes that are neighbors need for a cycle, in any unit of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The time of the cycle.
    pub(super) cycle: f64,
    /// The processor time of each.
    pub(super) processor: f64,
}

/// Predicts the cycle time of so many nodes that are all neighbors, on so many processors.
///
/// A node sends, receives and wakes up for each neighbor, so its processor time is that of the pair for each of them; what
/// it computes by itself is negligible. If there are enough processors, the nodes work at the same time, and each further
/// neighbor adds its work to the cycle of the pair. Otherwise the nodes share the processors, which are never idle.
pub(super) fn predict(pair: Pair, nodes: u64, processors: usize) -> f64 {
    let neighbors = nodes.saturating_sub(1) as f64;
    let work = nodes as f64 * neighbors * pair.processor;
    let shared = work / processors.max(1) as f64;
    let parallel = pair.cycle + (neighbors - 1.0).max(0.0) * pair.processor;
    shared.max(parallel)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Pair = Pair { cycle: 50.0, processor: 30.0 };

    #[test]
    fn two_nodes_need_what_they_need() {
        assert_eq!(predict(PAIR, 2, 2), 50.0);
    }

    #[test]
    fn nodes_share_processors_that_are_too_few() {
        assert_eq!(predict(PAIR, 4, 2), 4.0 * 3.0 * 30.0 / 2.0);
        assert_eq!(predict(PAIR, 4, 8), 50.0 + 2.0 * 30.0);
        assert_eq!(predict(PAIR, 2, 1), 60.0);
    }
}
