//! The machine, its strategy, and the response times of the loads of its processors.

use crate::Time;
use crate::analysis::dynamic::DynamicQueue;
use crate::analysis::{Budget, Exhausted, Load, fixed};
use crate::strategy::{Discipline, PriorityRange, Strategy};

/// The maximum number of processors of a machine.
pub(crate) const MAX_PROCESSORS: u32 = 1024;

/// The machine, and how operations are scheduled on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The strategy that assigns priorities. Default: rate monotonic.
    pub strategy: Strategy,
    /// The number of processors, up to 1024. Default: 1.
    pub processors: u32,
    /// The priorities to assign. Default: 1 to 89.
    pub priorities: PriorityRange,
    /// Whether [`Strategy::Edf`] is preemptive, as `SCHED_DEADLINE` is. Default: it is not, as in a
    /// queue with one thread.
    pub preemptive: bool,
    /// The overhead of running an operation once, such as two context switches. Default: none.
    pub overhead: Time,
    /// The budget of the analysis.
    pub budget: Budget,
}

impl Default for System {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            processors: 1,
            priorities: PriorityRange::default(),
            preemptive: false,
            overhead: Time::ZERO,
            budget: Budget::default(),
        }
    }
}

impl System {
    /// One processor with this strategy.
    #[must_use]
    pub fn new(strategy: Strategy) -> Self {
        Self { strategy, ..Self::default() }
    }

    /// Sets the number of processors, 1 to 1024.
    #[must_use]
    pub fn processors(self, processors: u32) -> Self {
        Self { processors: processors.clamp(1, MAX_PROCESSORS), ..self }
    }

    /// Sets whether EDF is preemptive.
    #[must_use]
    pub fn preemptive(self, preemptive: bool) -> Self {
        Self { preemptive, ..self }
    }

    /// The response times of all loads of one processor; `None` for unbounded ones.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub(crate) fn response_times(
        &self,
        loads: &[Load],
        budget: &mut Budget,
    ) -> Result<Vec<Option<Time>>, Exhausted> {
        let discipline = self.strategy.discipline();
        if discipline == Discipline::Static {
            return (0..loads.len()).map(|n| fixed::response_time(loads, n, budget)).collect();
        }
        let mut responses = vec![None; loads.len()];
        let mut levels: Vec<u32> = loads.iter().map(|load| load.level).collect();
        levels.sort_unstable();
        levels.dedup();
        for level in levels {
            let queue = DynamicQueue::new(loads, level, discipline, self.preemptive);
            let positions = (0..loads.len()).filter(|&position| loads[position].level == level);
            for (index, position) in positions.enumerate() {
                responses[position] = queue.response_time(index, budget)?;
            }
        }
        Ok(responses)
    }

    /// Whether all loads of one processor meet their deadlines.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub(crate) fn meets_all(&self, loads: &[Load], budget: &mut Budget) -> Result<bool, Exhausted> {
        let responses = self.response_times(loads, budget)?;
        let in_time = |(response, load): (&Option<Time>, &Load)| {
            response.is_some_and(|response| response <= load.deadline)
        };
        Ok(responses.iter().zip(loads).all(in_time))
    }
}
