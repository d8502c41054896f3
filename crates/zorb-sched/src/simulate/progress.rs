//! A simulation in progress: the queues of its processors, and the events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::{Discipline, Time};

use super::{Instance, Simulation, Slice, Trace};

impl Simulation<'_> {
    /// Runs the simulation.
    #[must_use]
    pub fn run(&self) -> Trace {
        let mut run = Run {
            simulation: self,
            children: vec![Vec::new(); self.tasks.len()],
            arrivals: BinaryHeap::new(),
            done: self.tasks.iter().map(|task| vec![0; task.after.len()]).collect(),
            processors: BTreeMap::new(),
            released: 0,
            sequence: 0,
            trace: Trace::default(),
        };
        run.start();
        run.finish()
    }
}

/// An incomplete instance.
#[derive(Clone, Copy, Debug)]
struct Pending {
    task: usize,
    number: u64,
    arrival: i128,
    released: Time,
    left: Time,
}

/// The order within a queue: by discipline, then subpriority, then FIFO.
type QueueKey = (i128, Reverse<u32>, u64);

#[derive(Debug, Default)]
struct Level {
    /// The running instance, which others of the queue cannot preempt.
    begun: Option<Pending>,
    waiting: BTreeMap<QueueKey, Pending>,
}

/// A processor with its queues and the running instance.
#[derive(Debug, Default)]
struct Processor {
    levels: BTreeMap<u32, Level>,
    /// The running queue, the key of its instance there if it can be preempted, and the start of
    /// the slice.
    running: Option<(u32, Option<QueueKey>, Time)>,
}

struct Run<'s, 't> {
    simulation: &'s Simulation<'t>,
    /// The successors of each task, with the index of the task among their predecessors.
    children: Vec<Vec<(usize, usize)>>,
    /// The next release of each task: time, order, task.
    arrivals: BinaryHeap<Reverse<(Time, usize, u64)>>,
    /// The number of completed instances of each predecessor of a task.
    done: Vec<Vec<u64>>,
    processors: BTreeMap<u32, Processor>,
    released: usize,
    sequence: u64,
    trace: Trace,
}

impl Run<'_, '_> {
    fn start(&mut self) {
        for (task_index, task) in self.simulation.tasks.iter().enumerate() {
            self.processors.entry(task.processor).or_default();
            for (index, &source) in task.after.iter().enumerate() {
                if let Some(children) = self.children.get_mut(source) {
                    children.push((task_index, index));
                }
            }
            if task.after.is_empty() {
                self.arrivals.push(Reverse((task.offset, task_index, 0)));
            }
        }
    }

    fn finish(mut self) -> Trace {
        let mut now = Time::ZERO;
        loop {
            while let Some(Reverse((at, task, number))) = self.arrivals.peek().copied() {
                if at > now {
                    break;
                }
                self.arrivals.pop();
                self.arrive(now, task, number);
            }
            let moved = self.dispatch(now);
            if moved {
                continue;
            }
            let Some(next) = self.next_event() else { break };
            now = next;
            self.complete(now);
        }
        self.trace.cut |= self.released >= self.simulation.max_instances;
        self.trace
    }

    /// The time of the next event.
    fn next_event(&self) -> Option<Time> {
        let arrival = self.arrivals.peek().map(|Reverse((at, ..))| *at);
        let ends = self.processors.values().filter_map(|processor| {
            let (level, task_index, since) = processor.running?;
            let level = processor.levels.get(&level)?;
            let pending = match task_index {
                Some(task_index) => level.waiting.get(&task_index)?,
                None => level.begun.as_ref()?,
            };
            Some(since + pending.left)
        });
        ends.chain(arrival).min()
    }

    /// Releases an instance of a task without predecessors, and schedules the next release.
    fn arrive(&mut self, now: Time, task_index: usize, number: u64) {
        let Some(task) = self.simulation.tasks.get(task_index) else { return };
        let nominal = i128::from(task.offset.as_nanos()) - i128::from(task.jitter.as_nanos());
        let at = |number: u64| nominal + i128::from(number) * i128::from(task.period.as_nanos());
        self.release(now, task_index, number, at(number));
        let next = u64::try_from(at(number + 1)).map_or(Time::ZERO, Time::from_nanos);
        let next = next.max(task.offset);
        let goes_on = self.released < self.simulation.max_instances && !task.period.is_zero();
        if goes_on && next < self.simulation.until {
            self.arrivals.push(Reverse((next, task_index, number + 1)));
        }
    }

    fn release(&mut self, now: Time, task_index: usize, number: u64, arrival: i128) {
        let Some(task) = self.simulation.tasks.get(task_index) else { return };
        if self.released >= self.simulation.max_instances {
            return;
        }
        self.released += 1;
        self.sequence += 1;
        let signed = |time: Time| i128::from(time.as_nanos());
        let key = match task.discipline {
            // By subpriority, then FIFO.
            Discipline::Static => 0,
            Discipline::Deadline => arrival + signed(task.deadline),
            Discipline::Laxity => arrival + signed(task.deadline) - signed(task.worst),
        };
        let pending =
            Pending { task: task_index, number, arrival, released: now, left: task.worst };
        let processor = self.processors.entry(task.processor).or_default();
        let level = processor.levels.entry(task.level).or_default();
        level.waiting.insert((key, Reverse(task.subpriority), self.sequence), pending);
    }

    /// Starts the first instance of every processor; returns whether any completed immediately.
    fn dispatch(&mut self, now: Time) -> bool {
        let mut over = false;
        let numbers: Vec<u32> = self.processors.keys().copied().collect();
        for number in numbers {
            over |= self.dispatch_on(now, number);
        }
        over
    }

    fn dispatch_on(&mut self, now: Time, number: u32) -> bool {
        let simulation = self.simulation;
        let Some(processor) = self.processors.get_mut(&number) else { return false };
        let chosen = processor.levels.iter_mut().find_map(|(&at, level)| {
            if level.begun.is_some() {
                return Some((at, None));
            }
            let (&task_index, pending) = level.waiting.first_key_value()?;
            let task = simulation.tasks.get(pending.task)?;
            if simulation.preemptive && task.discipline == Discipline::Deadline {
                return Some((at, Some(task_index)));
            }
            level.begun = level.waiting.remove(&task_index);
            Some((at, None))
        });
        let same = processor.running.map(|(level, task_index, _)| (level, task_index)) == chosen;
        if !same {
            self.pause(now, number);
            if let Some(processor) = self.processors.get_mut(&number) {
                processor.running = chosen.map(|(level, task_index)| (level, task_index, now));
            }
        }
        // An instance without execution time completes immediately.
        let before = self.trace.instances.len();
        self.complete_on(now, number);
        self.trace.instances.len() != before
    }

    /// Records the slice of the running instance and stops it.
    fn pause(&mut self, now: Time, number: u32) {
        let Some(processor) = self.processors.get_mut(&number) else { return };
        let Some((level, task_index, since)) = processor.running.take() else { return };
        let Some(level) = processor.levels.get_mut(&level) else { return };
        let pending = match task_index {
            Some(task_index) => level.waiting.get_mut(&task_index),
            None => level.begun.as_mut(),
        };
        let Some(pending) = pending else { return };
        pending.left = pending.left - (now - since);
        let (task, instance) = (pending.task, pending.number);
        self.slice(Slice { task, number: instance, processor: number, from: since, to: now });
    }

    fn slice(&mut self, slice: Slice) {
        if slice.from < slice.to {
            self.trace.slices.push(slice);
        }
    }

    fn complete(&mut self, now: Time) {
        let numbers: Vec<u32> = self.processors.keys().copied().collect();
        for number in numbers {
            self.complete_on(now, number);
        }
    }

    /// Completes the running instance of a processor if it is done.
    fn complete_on(&mut self, now: Time, number: u32) {
        let Some(processor) = self.processors.get_mut(&number) else { return };
        let Some((at, task_index, since)) = processor.running else { return };
        let Some(level) = processor.levels.get_mut(&at) else { return };
        let left = match task_index {
            Some(task_index) => level.waiting.get(&task_index).map(|pending| pending.left),
            None => level.begun.map(|pending| pending.left),
        };
        if left.is_none_or(|left| since + left > now) {
            return;
        }
        let pending = match task_index {
            Some(task_index) => level.waiting.remove(&task_index),
            None => level.begun.take(),
        };
        processor.running = None;
        let Some(pending) = pending else { return };
        let Pending { task, number: instance, arrival, released, .. } = pending;
        self.slice(Slice { task, number: instance, processor: number, from: since, to: now });
        let finished = Instance { task, number: instance, arrival, released, finished: now };
        self.trace.instances.push(finished);
        self.release_children(now, task, arrival);
    }

    /// Releases instances for which this one was the last predecessor.
    fn release_children(&mut self, now: Time, source: usize, arrival: i128) {
        let children = self.children.get(source).cloned().unwrap_or_default();
        for (child, index) in children {
            let Some(done) = self.done.get_mut(child) else { continue };
            let before = done.iter().min().copied().unwrap_or_default();
            if let Some(count) = done.get_mut(index) {
                *count += 1;
            }
            let after = done.iter().min().copied().unwrap_or_default();
            if after > before {
                self.release(now, child, before, arrival);
            }
        }
    }
}
