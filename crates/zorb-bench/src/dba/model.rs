//! A performance model: each segment of the cycle of a complete graph from the same segment of two nodes.

/// The number of segments of a cycle.
pub(super) const SEGMENTS: usize = 14;

/// How the time of a segment follows from that of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Once for each neighbor.
    PerNeighbor,
    /// Once in a cycle, however many neighbors there are.
    PerCycle,
    /// Until messages of neighbors are there.
    Waiting,
}

impl Rule {
    /// That of a segment. With `memo`, a message is encoded once for all neighbors.
    pub(super) fn of(segment: &str, memo: bool) -> Self {
        let is = |begin: &str| segment.starts_with(begin);
        match () {
            () if is("await") => Self::Waiting,
            () if is("marshal") && memo => Self::PerCycle,
            () if ["marshal", "send", "dispatch", "store"].into_iter().any(is) => Self::PerNeighbor,
            () => Self::PerCycle,
        }
    }

    /// Its name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PerNeighbor => "per neighbor",
            Self::PerCycle => "per cycle",
            Self::Waiting => "waiting",
        }
    }
}

/// A graph of nodes that are all neighbors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Complete {
    pub(super) nodes: u64,
    pub(super) processors: usize,
}

impl Complete {
    /// Predicts the segments from those of two nodes.
    ///
    /// A node's own work is that of the pair, for each neighbor or once. It waits at least as long as the pair does, whose
    /// messages are under way and whose processors wake up meanwhile. If nodes share a processor, they do their work while the
    /// node waits, and it waits as long as that takes. The two segments of waiting share the time as in the pair.
    pub(super) fn predict(
        self,
        pair: &[f64; SEGMENTS],
        rules: &[Rule; SEGMENTS],
    ) -> [f64; SEGMENTS] {
        let neighbors = self.nodes.saturating_sub(1) as f64;
        let own = |(&time, rule): (&f64, &Rule)| match rule {
            Rule::PerNeighbor => neighbors * time,
            Rule::PerCycle => time,
            Rule::Waiting => 0.0,
        };
        let work: f64 = pair.iter().zip(rules).map(own).sum();
        let waits = pair.iter().zip(rules).filter(|(_, rule)| **rule == Rule::Waiting);
        let wait: f64 = waits.map(|(time, _)| time).sum();
        let others = (self.nodes as f64 / self.processors.max(1) as f64 - 1.0).max(0.0);
        let longer = (others * work / wait.max(f64::MIN_POSITIVE)).max(1.0);
        let mut segments = [0.0; SEGMENTS];
        for (segment, (time, rule)) in segments.iter_mut().zip(pair.iter().zip(rules)) {
            *segment = match rule {
                Rule::Waiting => longer * time,
                _ => own((time, rule)),
            };
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle that sends for 10, waits for 30 and 10, and computes for 1.
    fn pair() -> ([f64; SEGMENTS], [Rule; SEGMENTS]) {
        let mut times = [0.0; SEGMENTS];
        let mut rules = [Rule::PerCycle; SEGMENTS];
        for (place, time, rule) in [
            (0, 10.0, Rule::PerNeighbor),
            (1, 30.0, Rule::Waiting),
            (5, 1.0, Rule::PerCycle),
            (8, 10.0, Rule::Waiting),
        ] {
            (times[place], rules[place]) = (time, rule);
        }
        (times, rules)
    }

    fn predict(nodes: u64, processors: usize) -> [f64; 4] {
        let (times, rules) = pair();
        let predicted = Complete { nodes, processors }.predict(&times, &rules);
        [0, 1, 5, 8].map(|place| predicted[place])
    }

    #[test]
    fn two_nodes_need_what_they_need() {
        assert_eq!(predict(2, 2), [10.0, 30.0, 1.0, 10.0]);
        assert_eq!(predict(2, 8), [10.0, 30.0, 1.0, 10.0]);
    }

    #[test]
    fn nodes_with_processors_of_their_own_wait_as_long_as_two() {
        assert_eq!(predict(4, 4), [30.0, 30.0, 1.0, 10.0]);
    }

    #[test]
    fn nodes_that_share_processors_wait_for_each_other_if_that_takes_longer() {
        // The other node's 31 are done while a node waits for 40 in any case.
        assert_eq!(predict(4, 2), [30.0, 30.0, 1.0, 10.0]);
        // The work of three others: 93.
        assert_eq!(predict(4, 1), [30.0, 30.0 * 93.0 / 40.0, 1.0, 10.0 * 93.0 / 40.0]);
    }

    #[test]
    fn segments_follow_their_rules() {
        for (segment, memo, rule) in [
            ("send value", false, Rule::PerNeighbor),
            ("await improvement", true, Rule::Waiting),
            ("marshal value", false, Rule::PerNeighbor),
            ("marshal value", true, Rule::PerCycle),
            ("store value", true, Rule::PerNeighbor),
            ("evaluate", false, Rule::PerCycle),
        ] {
            assert_eq!(Rule::of(segment, memo), rule, "{segment}");
        }
    }
}
