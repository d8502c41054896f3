//! The complete analysis: from operations to priorities, response times and anomalies.

use std::cmp::Ordering;

use crate::analysis::demand::{Demand, deadline_demand};
use crate::analysis::utilization::Utilization;
use crate::analysis::{Budget, Exhausted, Load};
use crate::model::expand::{Task, TaskId, expand};
use crate::model::info::{Handle, RtInfo};
use crate::model::set::TaskSet;
use crate::partition;
use crate::simulate::SimulatedTask;
use crate::strategy::{Assignment, Queue, Rank, Strategy, assign};
use crate::system::System;
use crate::{Anomaly, Severity, Time};

/// A task that is later than this many periods and deadlines because of its predecessors is
/// considered unbounded: each iteration of the analysis would find it later still.
const MAX_LATENESS: u64 = 50;

/// The result of the response time analysis of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Its response time is at most this.
    Within(Time),
    /// Its deadline is met; its response time is unknown, because computing it takes too long.
    InTime,
    /// It is unbounded, or no bound is known.
    Unbounded,
    /// The computation takes too long.
    Unknown,
}

/// A task with its placement and analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledTask {
    /// The task; `worst` includes the overhead, and is not zero.
    pub task: Task,
    /// Its processor.
    pub processor: u32,
    /// The number of its queue.
    pub queue: u32,
    /// The priority of its thread.
    pub priority: u8,
    /// Its subpriority.
    pub subpriority: u32,
    /// Its response time.
    pub response: Response,
}

impl ScheduledTask {
    /// Whether its deadline is guaranteed.
    #[must_use]
    pub fn is_in_time(&self) -> bool {
        match self.response {
            Response::Within(longest) => longest <= self.task.deadline,
            Response::InTime => true,
            Response::Unbounded | Response::Unknown => false,
        }
    }
}

/// The priorities of all operations, and whether they meet their deadlines.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The system it was computed for.
    pub system: System,
    /// The queues; the most urgent is first.
    pub queues: Vec<Queue>,
    /// All tasks.
    pub tasks: Vec<ScheduledTask>,
    /// The utilization of each processor.
    pub utilization: Vec<Utilization>,
    /// The anomalies.
    pub anomalies: Vec<Anomaly>,
    ranks: Vec<Rank>,
    processors: Vec<u32>,
}

impl Schedule {
    /// Analyzes `set`.
    ///
    /// # Errors
    /// The first [`Anomaly`] with [`Severity::Fatal`]. The schedule contains the others.
    pub fn compute(set: &TaskSet, system: &System) -> Result<Self, Anomaly> {
        let system = &system.clone().processors(system.processors);
        let mut tasks = expand(set)?;
        for task in &mut tasks {
            // Even an operation without execution time occupies the processor.
            let worst = task.worst + system.overhead.times(task.times);
            task.worst = worst.max(Time::from_nanos(1));
        }
        let Assignment { queues, ranks, anomaly } =
            assign(set, &tasks, system.strategy, system.priorities);
        let (processors, more) = partition::place(set, &tasks, &ranks, system)?;
        let mut schedule = Self {
            system: system.clone(),
            queues,
            tasks: Vec::with_capacity(tasks.len()),
            utilization: Vec::new(),
            anomalies: anomaly.into_iter().chain(more).collect(),
            ranks,
            processors,
        };
        for task in tasks {
            let rank = schedule.ranks[task.operation.index()];
            schedule.tasks.push(ScheduledTask {
                processor: schedule.processors[task.operation.index()],
                queue: rank.queue,
                priority: schedule.priority_of(rank),
                subpriority: rank.subpriority,
                response: Response::Unknown,
                task,
            });
        }
        schedule.analyse();
        Ok(schedule)
    }

    /// Admission test: whether `info` can be added to `set` so that all deadlines are still met.
    /// Returns the schedule with it.
    ///
    /// # Errors
    /// The anomalies with it that are not mere warnings.
    pub fn admit(set: &TaskSet, system: &System, info: RtInfo) -> Result<Self, Vec<Anomaly>> {
        let mut more = set.clone();
        more.add(info).map_err(|anomaly| vec![anomaly])?;
        let schedule = Self::compute(&more, system).map_err(|anomaly| vec![anomaly])?;
        if schedule.is_schedulable() {
            return Ok(schedule);
        }
        let bad = |anomaly: &Anomaly| anomaly.severity() > Severity::Warning;
        Err(schedule.anomalies.into_iter().filter(bad).collect())
    }

    /// Whether all deadlines are guaranteed.
    #[must_use]
    pub fn is_schedulable(&self) -> bool {
        self.anomalies.iter().all(|anomaly| anomaly.severity() == Severity::Warning)
    }

    /// The rank of an operation; `None` for an unknown one.
    #[must_use]
    pub fn rank(&self, operation: Handle) -> Option<Rank> {
        self.ranks.get(operation.index()).copied()
    }

    /// The priority of the thread that an operation runs in, in the system's scheduler.
    #[must_use]
    pub fn priority(&self, operation: Handle) -> Option<u8> {
        self.rank(operation).map(|rank| self.priority_of(rank))
    }

    /// The processor that an operation runs on; `None` for one that runs on its callers'.
    #[must_use]
    pub fn processor(&self, operation: Handle) -> Option<u32> {
        let dispatched = self.rank(operation)?.dispatched;
        self.processors.get(operation.index()).copied().filter(|_| dispatched)
    }

    fn priority_of(&self, rank: Rank) -> u8 {
        let queue = self.queues.get(rank.queue as usize);
        queue.map_or(self.system.priorities.lowest(), |queue| queue.priority)
    }

    /// The tasks for a [`Simulation`](crate::Simulation) of the critical instant: at the start, all
    /// arrive as late and as close together as possible.
    #[must_use]
    pub fn critical_instant(&self) -> Vec<SimulatedTask> {
        let simulated = |scheduled: &ScheduledTask| SimulatedTask {
            worst: scheduled.task.worst,
            period: scheduled.task.period,
            deadline: scheduled.task.deadline,
            processor: scheduled.processor,
            level: scheduled.queue,
            discipline: self.system.strategy.discipline(),
            subpriority: scheduled.subpriority,
            offset: Time::ZERO,
            jitter: scheduled.task.jitter,
            after: scheduled.task.after.iter().map(|id| id.index()).collect(),
        };
        self.tasks.iter().map(simulated).collect()
    }

    /// Computes the response times and the anomalies.
    fn analyse(&mut self) {
        let loads: Vec<Load> = self.tasks.iter().map(|t| t.task.load(t.queue)).collect();
        for processor in 0..self.system.processors {
            let on =
                |(task_index, _): &(usize, &Load)| self.tasks[*task_index].processor == processor;
            let here = loads.iter().enumerate().filter(on).map(|(_, load)| load);
            let utilization = Utilization::of(here);
            self.utilization.push(utilization);
            if utilization.against_one() == Ordering::Greater {
                let permille = utilization.permille();
                self.anomalies.push(Anomaly::UtilizationExceeded { processor, permille });
            }
        }
        let mut budget = self.system.budget;
        match self.responses(loads, &mut budget) {
            Ok(responses) => {
                for (scheduled, response) in self.tasks.iter_mut().zip(responses) {
                    scheduled.response = response.map_or(Response::Unbounded, Response::Within);
                }
            }
            Err(Exhausted) => {
                let what = "computing the response times of all tasks takes too long".to_owned();
                if !self.deadlines_alone() {
                    self.anomalies.push(Anomaly::TooMuchWork { what });
                }
            }
        }
        let missed = self
            .tasks
            .iter()
            .filter(|scheduled| !scheduled.is_in_time() && scheduled.response != Response::Unknown);
        let missed = missed.map(|scheduled| Anomaly::DeadlineMiss {
            task: scheduled.task.name.clone(),
            deadline: scheduled.task.deadline,
            response: match scheduled.response {
                Response::Within(longest) => Some(longest),
                _ => None,
            },
        });
        self.anomalies.extend(missed.collect::<Vec<_>>());
    }

    /// The response times of all tasks. The release jitter of a task with predecessors is their
    /// response time, computed iteratively to a fixed point (Tindell and Clark, 1994).
    fn responses(
        &self,
        mut loads: Vec<Load>,
        budget: &mut Budget,
    ) -> Result<Vec<Option<Time>>, Exhausted> {
        let own: Vec<Time> = loads.iter().map(|load| load.jitter).collect();
        let mut unbounded = vec![false; loads.len()];
        loop {
            let mut responses = vec![None; loads.len()];
            for processor in 0..self.system.processors {
                budget.charge(loads.len())?;
                let here: Vec<usize> =
                    (0..loads.len()).filter(|&n| self.tasks[n].processor == processor).collect();
                let there: Vec<Load> = here.iter().map(|&task_index| loads[task_index]).collect();
                // If one task is unbounded, so is every task that may have to wait for it.
                let flood = here.iter().filter(|&&task_index| unbounded[task_index]);
                let flood = flood.map(|&task_index| loads[task_index].level).min();
                for (task_index, response) in
                    here.iter().zip(self.system.response_times(&there, budget)?)
                {
                    let flooded = flood.is_some_and(|level| level <= loads[*task_index].level);
                    responses[*task_index] = response.filter(|_| !flooded);
                }
            }
            let mut changed = false;
            for (task_index, scheduled) in self.tasks.iter().enumerate() {
                let ends = scheduled.task.after.iter().map(|id: &TaskId| responses[id.index()]);
                let Some(latest) =
                    ends.map(|end| end.ok_or(())).collect::<Result<Vec<_>, ()>>().ok()
                else {
                    changed |= !unbounded[task_index];
                    unbounded[task_index] = true;
                    continue;
                };
                let jitter = own[task_index] + latest.into_iter().max().unwrap_or_default();
                if jitter > loads[task_index].jitter {
                    loads[task_index].jitter = jitter;
                    changed = true;
                    let Task { period, deadline, .. } = scheduled.task;
                    unbounded[task_index] |= jitter > (period + deadline).times(MAX_LATENESS);
                }
            }
            if !changed {
                return Ok(responses);
            }
        }
    }

    /// When response times take too long to compute and only deadlines matter: whether those are
    /// met.
    fn deadlines_alone(&mut self) -> bool {
        let late = self.tasks.iter().any(|scheduled| !scheduled.task.after.is_empty());
        if self.system.strategy != Strategy::Edf || late {
            return false;
        }
        let mut known = true;
        for processor in 0..self.system.processors {
            let here = self.tasks.iter().filter(|t| t.processor == processor);
            let loads: Vec<Load> = here.map(|t| t.task.load(t.queue)).collect();
            let mut budget = self.system.budget;
            match deadline_demand(&loads, self.system.preemptive, &mut budget) {
                Ok(Demand::Met) => {
                    let here = self.tasks.iter_mut().filter(|t| t.processor == processor);
                    here.for_each(|scheduled| scheduled.response = Response::InTime);
                }
                Ok(Demand::Exceeded(excess)) => {
                    let (at, demand) = (excess.at, excess.demand);
                    self.anomalies.push(Anomaly::DemandExceeded { processor, at, demand });
                }
                Ok(Demand::Overload) => {
                    let here = self.tasks.iter_mut().filter(|t| t.processor == processor);
                    here.for_each(|scheduled| scheduled.response = Response::Unbounded);
                }
                Err(Exhausted) => known = false,
            }
        }
        known
    }
}
