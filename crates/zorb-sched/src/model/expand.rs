//! Expands operations to tasks by following calls.

use std::collections::{BTreeMap, HashSet};

use super::info::{CallKind, Handle, InfoType};
use super::set::TaskSet;
use crate::{Anomaly, Load, Time};

/// The maximum number of tasks.
pub const MAX_TASKS: usize = 4096;

/// The index of a task in the result of [`expand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub(crate) u32);

impl TaskId {
    /// The index, from 0 on.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// The execution of an operation once per period: of a periodic operation, or of one that is called
/// one-way from a periodic operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The operation's name; followed by that of the periodic operation if calls originate
    /// elsewhere, and by a number if the operation has several threads.
    pub name: String,
    /// The operation.
    pub operation: Handle,
    /// The periodic operation at the origin of the calls: the operation itself, if it is periodic.
    pub origin: Handle,
    /// The predecessors, whose completion releases this task; none for a periodic operation.
    pub after: Vec<TaskId>,
    /// The number of executions per period.
    pub times: u64,
    /// The total worst-case execution time of these, including two-way calls.
    pub worst: Time,
    /// The minimum time between two arrivals.
    pub period: Time,
    /// The deadline relative to the arrival.
    pub deadline: Time,
    /// The release jitter, in addition to waiting for `after`.
    pub jitter: Time,
    /// The maximum blocking time by less urgent tasks.
    pub blocking: Time,
}

impl Task {
    /// The load of the task on its processor, in a queue of this level.
    #[must_use]
    pub fn load(&self, queue: u32) -> Load {
        Load {
            worst: self.worst,
            period: self.period,
            deadline: self.deadline,
            jitter: self.jitter,
            blocking: self.blocking,
            level: queue,
        }
    }
}

/// The demand of one execution of an operation, including two-way calls.
#[derive(Clone, Debug, Default)]
struct Demand {
    worst: Time,
    blocking: Time,
    /// One-way calls: callee and count.
    one_way: BTreeMap<Handle, u64>,
}

/// Follows the calls and creates the tasks; callers come before callees.
///
/// # Errors
/// The first fatal [`Anomaly`]: unknown operations, cycles, threads without a period, operations
/// that never run, or an exceeded limit.
pub fn expand(set: &TaskSet) -> Result<Vec<Task>, Anomaly> {
    let callees_first = order(set)?;
    check_activity(set)?;
    let demands = demands(set, &callees_first)?;
    Expansion { set, demands: &demands, tasks: Vec::new() }.run(&callees_first)
}

/// The operations in topological order, each after its callees, otherwise by decreasing handle.
fn order(set: &TaskSet) -> Result<Vec<Handle>, Anomaly> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    let mut seen = vec![Seen::Not; set.len()];
    let mut done = Vec::with_capacity(set.len());
    for start in (0..set.len()).rev().map(Handle::at) {
        if seen.get(start.index()) != Some(&Seen::Not) {
            continue;
        }
        // The path from `start`, with the number of calls followed of each.
        let mut way = vec![(start, 0)];
        seen[start.index()] = Seen::Open;
        while let Some((at, next)) = way.last_mut() {
            let at = *at;
            let call = set.get(at).and_then(|info| info.calls.get(*next));
            *next += 1;
            let Some(call) = call else {
                seen[at.index()] = Seen::Done;
                done.push(at);
                way.pop();
                continue;
            };
            match seen.get(call.operation.index()) {
                None => {
                    return Err(Anomaly::UnknownDependency {
                        operation: set.name(at).to_owned(),
                        dependency: format!("operation {}", call.operation.number()),
                    });
                }
                Some(Seen::Done) => {}
                Some(Seen::Not) => {
                    seen[call.operation.index()] = Seen::Open;
                    way.push((call.operation, 0));
                }
                Some(Seen::Open) => {
                    let circle = way.iter().map(|(handle, _)| *handle);
                    let circle = circle.skip_while(|handle| *handle != call.operation);
                    let mut circle: Vec<Handle> = circle.collect();
                    let first = (0..circle.len()).min_by_key(|&start| circle[start]);
                    circle.rotate_left(first.unwrap_or_default());
                    let name = |handle| set.name(handle).to_owned();
                    return Err(Anomaly::Cycle {
                        operations: circle.into_iter().map(name).collect(),
                    });
                }
            }
        }
    }
    Ok(done)
}

/// Checks that every operation has a cause to run.
fn check_activity(set: &TaskSet) -> Result<(), Anomaly> {
    let calls = set.iter().flat_map(|(_, info)| &info.calls).filter(|call| call.times > 0);
    let called: HashSet<Handle> = calls.map(|call| call.operation).collect();
    for (handle, info) in set.iter().filter(|(_, info)| info.period.is_zero()) {
        let operation = info.entry_point.clone();
        if info.threads > 0 {
            return Err(Anomaly::ThreadSpecification { operation });
        }
        if !called.contains(&handle) && info.info_type != InfoType::RemoteDependant {
            return Err(Anomaly::UnresolvedDependencies { operation });
        }
    }
    Ok(())
}

/// The demand of one execution of each operation.
fn demands(set: &TaskSet, callees_first: &[Handle]) -> Result<Vec<Demand>, Anomaly> {
    let mut demands = vec![Demand::default(); set.len()];
    for &handle in callees_first {
        let Some(info) = set.get(handle) else { continue };
        let too_long =
            || Anomaly::TimeOutOfRange { operation: info.entry_point.clone(), which: "worst" };
        let mut own =
            Demand { worst: info.worst, blocking: info.blocking, one_way: BTreeMap::new() };
        for call in &info.calls {
            let times = u64::from(call.times);
            match call.kind {
                CallKind::OneWay => add(&mut own.one_way, call.operation, times),
                CallKind::TwoWay => {
                    let callee = &demands[call.operation.index()];
                    let sum = |mine: Time, theirs: Time| {
                        theirs
                            .checked_mul(times)?
                            .checked_add(mine)
                            .filter(|&t| t <= crate::MAX_TIME)
                    };
                    own.worst = sum(own.worst, callee.worst).ok_or_else(too_long)?;
                    own.blocking = sum(own.blocking, callee.blocking).ok_or_else(too_long)?;
                    for (&operation, &count) in &callee.one_way {
                        add(&mut own.one_way, operation, count.saturating_mul(times));
                    }
                }
            }
        }
        demands[handle.index()] = own;
    }
    Ok(demands)
}

fn add(counts: &mut BTreeMap<Handle, u64>, operation: Handle, times: u64) {
    if times > 0 {
        let count = counts.entry(operation).or_default();
        *count = count.saturating_add(times);
    }
}

/// A cause for an operation to run.
#[derive(Clone, Debug)]
struct Cause {
    times: u64,
    after: Vec<TaskId>,
}

struct Expansion<'a> {
    set: &'a TaskSet,
    demands: &'a [Demand],
    tasks: Vec<Task>,
}

impl Expansion<'_> {
    fn run(mut self, callees_first: &[Handle]) -> Result<Vec<Task>, Anomaly> {
        // For each operation called one-way: by the periodic operation at the origin of the calls.
        let mut causes: Vec<BTreeMap<Handle, Cause>> = vec![BTreeMap::new(); self.set.len()];
        for &handle in callees_first.iter().rev() {
            let Some(info) = self.set.get(handle) else { continue };
            let first = self.tasks.len();
            if !info.period.is_zero() {
                for thread in 0..info.threads.max(1) {
                    let number = (info.threads > 1).then_some(thread + 1);
                    let cause = Cause { times: 1, after: Vec::new() };
                    self.make(handle, handle, number, cause)?;
                }
            }
            let mut called = std::mem::take(&mut causes[handle.index()]);
            if info.info_type == InfoType::Conjunction && called.len() > 1 {
                called = self.slowest(called);
            }
            for (origin, cause) in called {
                self.make(handle, origin, None, cause)?;
            }
            for index in first..self.tasks.len() {
                let Some(task) = self.tasks.get(index) else { continue };
                for (&callee, &times) in &self.demands[handle.index()].one_way {
                    let cause = causes[callee.index()]
                        .entry(task.origin)
                        .or_insert_with(|| Cause { times: 0, after: Vec::new() });
                    cause.times = cause.times.saturating_add(times.saturating_mul(task.times));
                    cause.after.push(TaskId::at(index));
                }
            }
        }
        Ok(self.tasks)
    }

    /// The single cause of a conjunction: the slowest, after all of them.
    fn slowest(&self, causes: BTreeMap<Handle, Cause>) -> BTreeMap<Handle, Cause> {
        let period = |origin: &Handle| self.set.get(*origin).map(|info| info.period);
        let after: Vec<_> = causes.values().flat_map(|cause| cause.after.clone()).collect();
        let slowest = causes.into_iter().max_by_key(|(origin, _)| period(origin));
        let Some((origin, cause)) = slowest else { return BTreeMap::new() };
        BTreeMap::from([(origin, Cause { after, ..cause })])
    }

    fn make(
        &mut self,
        operation: Handle,
        origin: Handle,
        number: Option<u32>,
        cause: Cause,
    ) -> Result<(), Anomaly> {
        if self.tasks.len() >= MAX_TASKS {
            return Err(Anomaly::TooManyTasks { limit: MAX_TASKS });
        }
        let (Some(info), Some(from)) = (self.set.get(operation), self.set.get(origin)) else {
            return Ok(());
        };
        let demand = &self.demands[operation.index()];
        let worst = demand.worst.checked_mul(cause.times).filter(|time| *time <= crate::MAX_TIME);
        let worst = worst.ok_or_else(|| Anomaly::TimeOutOfRange {
            operation: info.entry_point.clone(),
            which: "worst",
        })?;
        let name = match number {
            _ if origin != operation => format!("{} <- {}", info.entry_point, from.entry_point),
            Some(number) => format!("{} #{number}", info.entry_point),
            None => info.entry_point.clone(),
        };
        self.tasks.push(Task {
            name,
            operation,
            origin,
            after: cause.after,
            times: cause.times,
            worst,
            period: from.period,
            deadline: if info.deadline.is_zero() { from.period } else { info.deadline },
            jitter: info.jitter,
            blocking: demand.blocking,
        });
        Ok(())
    }
}
