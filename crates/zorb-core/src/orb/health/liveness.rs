//! Whether the threads of lanes make progress.

use std::time::{Duration, Instant};

use zorb_serving::LaneProgress;

/// What probes have seen of the lanes.
#[derive(Debug)]
pub(super) struct Liveness {
    stuck_after: Duration,
    /// The lanes without a free thread at the last probe.
    busy: Vec<Busy>,
}

#[derive(Debug)]
struct Busy {
    lane: LaneProgress,
    /// When a probe first saw it like this.
    since: Instant,
}

impl Liveness {
    /// Lanes are stuck when they have been busy without progress for `stuck_after`.
    pub(super) fn new(stuck_after: Duration) -> Self {
        Self { stuck_after, busy: Vec::new() }
    }

    /// The lanes that are stuck at the time `now`, at which they are as in `lanes`.
    pub(super) fn stuck(&mut self, lanes: &[LaneProgress], now: Instant) -> Vec<String> {
        let before = std::mem::take(&mut self.busy);
        let since = |lane: &LaneProgress| {
            let known = before.iter().find(|known| known.lane == *lane);
            known.map_or(now, |known| known.since)
        };
        let busy = lanes.iter().filter(|lane| !lane.has_free_thread);
        self.busy = busy.map(|lane| Busy { since: since(lane), lane: lane.clone() }).collect();
        let is_stuck = |busy: &&Busy| now.saturating_duration_since(busy.since) >= self.stuck_after;
        let stuck = self.busy.iter().filter(is_stuck);
        stuck.map(|busy| format!("no thread of lane {} makes progress", busy.lane.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(name: &str, has_free_thread: bool, completed: u64) -> LaneProgress {
        LaneProgress { pool: 1, name: name.to_owned(), has_free_thread, completed }
    }

    #[test]
    fn a_lane_is_stuck_if_all_threads_stay_busy() {
        let mut liveness = Liveness::new(Duration::from_secs(30));
        let start = Instant::now();
        let mut at = |seconds, lanes: &[LaneProgress]| {
            liveness.stuck(lanes, start + Duration::from_secs(seconds))
        };
        let none: [String; 0] = [];
        assert_eq!(at(0, &[lane("a", false, 1), lane("b", false, 1)]), none);
        assert_eq!(at(20, &[lane("a", false, 1), lane("b", false, 2)]), none);
        let stuck = at(30, &[lane("a", false, 1), lane("b", false, 3)]);
        assert_eq!(stuck, ["no thread of lane a makes progress"]);
        // It goes on, and is then busy again.
        assert_eq!(at(40, &[lane("a", false, 2), lane("b", true, 3)]), none);
        assert_eq!(at(60, &[lane("a", false, 2), lane("b", false, 3)]), none);
        assert_eq!(at(70, &[lane("a", false, 2), lane("b", false, 3)]).len(), 1);
        assert_eq!(at(90, &[lane("a", false, 2), lane("b", false, 3)]).len(), 2);
        // A lane that has ended is not stuck.
        assert_eq!(at(99, &[]), none);
    }
}
