//! Strategies that assign priorities.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::expand::Task;
use crate::model::info::{CallKind, Handle};
use crate::model::set::TaskSet;
use crate::{Anomaly, Time};

/// A strategy that assigns priorities to operations.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Rate monotonic: the shorter the period, the higher the priority. Liu and Layland, 1973.
    #[default]
    Rms,
    /// Deadline monotonic: the shorter the deadline, the higher the priority.
    Dm,
    /// Earliest deadline first: one queue, in the order of deadlines.
    Edf,
    /// Minimum laxity first: one queue, ordered by the latest time at which an operation can start
    /// and still meet its deadline.
    Mlf,
    /// Maximum urgency first: a priority for each criticality, and minimum laxity first among
    /// operations of the same criticality.
    Muf,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 5] = [Self::Rms, Self::Dm, Self::Edf, Self::Mlf, Self::Muf];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rms => "rms",
            Self::Dm => "dm",
            Self::Edf => "edf",
            Self::Mlf => "mlf",
            Self::Muf => "muf",
        }
    }

    /// The discipline of the queues of this strategy.
    #[must_use]
    pub const fn discipline(self) -> Discipline {
        match self {
            Self::Rms | Self::Dm => Discipline::Static,
            Self::Edf => Discipline::Deadline,
            Self::Mlf | Self::Muf => Discipline::Laxity,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An unknown strategy name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the strategies are rms, dm, edf, mlf and muf")]
pub struct UnknownStrategy;

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        Self::ALL.into_iter().find(|known| known.name() == text).ok_or(UnknownStrategy)
    }
}

/// The order of a dispatch queue (`Dispatching_Type_t`).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Discipline {
    /// By subpriority, then FIFO (`STATIC_DISPATCHING`).
    Static,
    /// By deadline (`DEADLINE_DISPATCHING`).
    Deadline,
    /// By laxity: the time until the deadline minus the remaining execution time
    /// (`LAXITY_DISPATCHING`).
    Laxity,
}

/// A range of priorities of the system's scheduler (`SCHED_FIFO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityRange {
    lowest: u8,
    highest: u8,
}

impl PriorityRange {
    /// The range from `lowest` to `highest`, between 1 and 99.
    ///
    /// # Errors
    /// [`Anomaly::PriorityRange`] if it is empty or out of range.
    pub const fn new(lowest: u8, highest: u8) -> Result<Self, Anomaly> {
        if lowest == 0 || highest < lowest || highest > 99 {
            return Err(Anomaly::PriorityRange { lowest, highest });
        }
        Ok(Self { lowest, highest })
    }

    /// The lowest priority.
    #[must_use]
    pub const fn lowest(self) -> u8 {
        self.lowest
    }

    /// The highest priority.
    #[must_use]
    pub const fn highest(self) -> u8 {
        self.highest
    }

    /// The number of priorities.
    #[must_use]
    pub const fn count(self) -> usize {
        (self.highest - self.lowest) as usize + 1
    }
}

/// 1 to 89: higher priorities are reserved for watchdogs.
impl Default for PriorityRange {
    fn default() -> Self {
        Self { lowest: 1, highest: 89 }
    }
}

/// A dispatch queue with a thread on each processor (`Config_Info`).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Its number (`Preemption_Priority_t`): 0 is the most urgent.
    pub number: u32,
    /// The priority of its threads, in the system's scheduler.
    pub priority: u8,
    /// Its order.
    #[serde(rename = "dispatching")]
    pub discipline: Discipline,
}

/// The rank of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The number of its queue.
    pub queue: u32,
    /// The subpriority: the higher comes first among equals in the queue
    /// (`Preemption_Subpriority_t`).
    pub subpriority: u32,
    /// Whether it is dispatched. An operation called only two-way is not: it runs in its callers'
    /// threads, and its queue is that of the most urgent caller.
    pub dispatched: bool,
}

/// The queues of a strategy, and the rank of every operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) queues: Vec<Queue>,
    /// By the index of the operation.
    pub(crate) ranks: Vec<Rank>,
    /// The anomalies.
    pub(crate) anomaly: Option<Anomaly>,
}

/// Assigns priorities to the operations of `set` with the tasks `tasks`.
pub(crate) fn assign(
    set: &TaskSet,
    tasks: &[Task],
    strategy: Strategy,
    range: PriorityRange,
) -> Assignment {
    let urgencies = urgencies(set, tasks, strategy);
    let mut levels: Vec<u64> = urgencies.iter().flatten().copied().collect();
    levels.sort_unstable();
    levels.dedup();
    let available = range.count();
    let queue_of = |urgency: u64| {
        let level = levels.binary_search(&urgency).unwrap_or_default();
        u32::try_from(level.min(available - 1)).unwrap_or_default()
    };
    let count = u8::try_from(levels.len().min(available)).unwrap_or(u8::MAX);
    let queue = |number: u8| Queue {
        number: u32::from(number),
        priority: range.highest - number,
        discipline: strategy.discipline(),
    };
    let idle =
        Rank { queue: u32::from(count.saturating_sub(1)), subpriority: 0, dispatched: false };
    let mut ranks = vec![idle; set.len()];
    // The operations of one queue, the most urgent first.
    let mut members: BTreeMap<u32, Vec<(u64, Handle)>> = BTreeMap::new();
    for ((handle, _), urgency) in set.iter().zip(&urgencies) {
        if let Some(urgency) = *urgency {
            members.entry(queue_of(urgency)).or_default().push((urgency, handle));
        }
    }
    for (number, mut operations) in members {
        operations.sort_by_key(|(urgency, handle)| {
            let importance = set.get(*handle).map(|info| std::cmp::Reverse(info.importance));
            (*urgency, importance, *handle)
        });
        let subpriorities = (0..u32::try_from(operations.len()).unwrap_or(u32::MAX)).rev();
        for ((_, handle), subpriority) in operations.into_iter().zip(subpriorities) {
            ranks[handle.index()] = Rank { queue: number, subpriority, dispatched: true };
        }
    }
    inherit(set, &mut ranks);
    let exhausted = Anomaly::PriorityLevelsExhausted { wanted: levels.len(), available };
    Assignment {
        queues: (0..count).map(queue).collect(),
        ranks,
        anomaly: (levels.len() > available).then_some(exhausted),
    }
}

/// The urgency of each operation with tasks: smaller is more urgent.
fn urgencies(set: &TaskSet, tasks: &[Task], strategy: Strategy) -> Vec<Option<u64>> {
    let mut urgencies: Vec<Option<u64>> = vec![None; set.len()];
    for task in tasks {
        let time = |time: Time| time.as_nanos();
        let urgency = match strategy {
            Strategy::Rms => time(task.period),
            Strategy::Dm => time(task.deadline),
            Strategy::Edf | Strategy::Mlf => 0,
            Strategy::Muf => match set.get(task.operation) {
                Some(info) => u64::MAX - info.criticality as u64,
                None => continue,
            },
        };
        let slot = &mut urgencies[task.operation.index()];
        *slot = Some(slot.map_or(urgency, |known| known.min(urgency)));
    }
    urgencies
}

/// Ranks operations that run only in their callers' threads like the most urgent caller.
fn inherit(set: &TaskSet, ranks: &mut [Rank]) {
    // Calls are acyclic, so each iteration settles one more level of calls.
    for _ in 0..set.len() {
        let mut changed = false;
        for (caller, info) in set.iter() {
            let rank = ranks[caller.index()];
            let two_way = info.calls.iter().filter(|c| c.kind == CallKind::TwoWay && c.times > 0);
            for call in two_way {
                let callee = &mut ranks[call.operation.index()];
                if !callee.dispatched && callee.queue > rank.queue {
                    callee.queue = rank.queue;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}
