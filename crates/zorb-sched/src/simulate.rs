//! Discrete-event simulation of tasks.

mod progress;

use crate::{Discipline, Time};

/// A task of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedTask {
    /// Its execution time.
    pub worst: Time,
    /// The time between its arrivals.
    pub period: Time,
    /// Its deadline relative to its arrival.
    pub deadline: Time,
    /// Its processor.
    pub processor: u32,
    /// Its queue: 0 is the most urgent.
    pub level: u32,
    /// The discipline of its queue.
    pub discipline: Discipline,
    /// Its subpriority: the higher comes first among equals.
    pub subpriority: u32,
    /// The time of its first arrival.
    pub offset: Time,
    /// The jitter: arrivals precede the times given by `offset` and the period by this much, but nothing is released
    /// before `offset`, so that tasks with maximum jitter are released together.
    pub jitter: Time,
    /// Its predecessors, by index: each instance is released when their instances of the same
    /// number are done. Then `offset` and `jitter` determine only the arrival, which the deadline
    /// is relative to.
    pub after: Vec<usize>,
}

/// A simulation and its duration.
#[derive(Clone, Debug)]
pub struct Simulation<'t> {
    /// The tasks.
    pub tasks: &'t [SimulatedTask],
    /// Whether queues ordered by deadline are preemptive.
    pub preemptive: bool,
    /// Instances are released before this time, and run to completion.
    pub until: Time,
    /// The maximum number of instances; the simulation stops there.
    pub max_instances: usize,
}

/// An instance of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The index of its task.
    pub task: usize,
    /// Its number, from 0 on.
    pub number: u64,
    /// Its arrival in nanoseconds; negative if it arrived before the start.
    pub arrival: i128,
    /// Its release.
    pub released: Time,
    /// Its completion.
    pub finished: Time,
}

impl Instance {
    /// The response time.
    #[must_use]
    pub fn response(&self) -> Time {
        let response = i128::from(self.finished.as_nanos()) - self.arrival;
        Time::from_nanos(u64::try_from(response).unwrap_or(0))
    }
}

/// An interval in which a processor runs one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The index of the task.
    pub task: usize,
    /// The number of the instance.
    pub number: u64,
    /// The processor.
    pub processor: u32,
    /// The start.
    pub from: Time,
    /// The end.
    pub to: Time,
}

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The slices, ordered by their ends.
    pub slices: Vec<Slice>,
    /// The completed instances, in order of completion.
    pub instances: Vec<Instance>,
    /// Whether it stopped early because of the maximum number of instances.
    pub cut: bool,
}

impl Trace {
    /// The longest response time of each of `count` tasks; `None` for one without completed
    /// instances.
    #[must_use]
    pub fn responses(&self, count: usize) -> Vec<Option<Time>> {
        let mut longest = vec![None; count];
        for instance in &self.instances {
            if let Some(slot) = longest.get_mut(instance.task) {
                *slot = (*slot).max(Some(instance.response()));
            }
        }
        longest
    }
}
