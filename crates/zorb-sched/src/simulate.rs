//! What happens, event by event, when tasks arrive and run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::{Discipline, Time};

/// A task as the simulation sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedTask {
    /// How long it runs each time.
    pub worst: Time,
    /// The time between its arrivals.
    pub period: Time,
    /// How long after an arrival it has to be done.
    pub deadline: Time,
    /// Its processor.
    pub processor: u32,
    /// Its queue: 0 is the most urgent.
    pub level: u32,
    /// How the queue is ordered.
    pub discipline: Discipline,
    /// Among those whose order is the same otherwise, the higher comes first.
    pub subpriority: u32,
    /// When it first arrives.
    pub offset: Time,
    /// Arrivals are this much earlier than `offset` and the periods say, but nothing is released
    /// before `offset`: so tasks that were late as long as they may be come together.
    pub jitter: Time,
    /// The tasks, by their places, that each instance waits for: the one of the same number of
    /// each. It is released when they are done; `offset` and `jitter` have no meaning then, but
    /// for the arrival, which the deadline counts from.
    pub after: Vec<usize>,
}

/// What is simulated, and for how long.
#[derive(Clone, Debug)]
pub struct Simulation<'t> {
    /// The tasks.
    pub tasks: &'t [SimulatedTask],
    /// Whether, in queues ordered by deadline, the first interrupts what has begun.
    pub preemptive: bool,
    /// Instances are released before this moment, and run to their ends.
    pub until: Time,
    /// The most instances; the simulation ends with them.
    pub most: usize,
}

/// One instance of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The place of its task.
    pub task: usize,
    /// Its number, from 0 on.
    pub number: u64,
    /// When it arrived, in nanoseconds; before the beginning, for one that was late at it.
    pub arrival: i128,
    /// When it was released.
    pub released: Time,
    /// When it was done.
    pub finished: Time,
}

impl Instance {
    /// How long it took from its arrival to its end.
    #[must_use]
    pub fn response(&self) -> Time {
        let response = i128::from(self.finished.as_nanos()) - self.arrival;
        Time::from_nanos(u64::try_from(response).unwrap_or(0))
    }
}

/// A stretch of time in which a processor runs one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The place of the task.
    pub task: usize,
    /// Which instance of it.
    pub number: u64,
    /// The processor.
    pub processor: u32,
    /// From when on.
    pub from: Time,
    /// Until when.
    pub to: Time,
}

/// What has happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Who ran when, by rising ends.
    pub slices: Vec<Slice>,
    /// The instances that were done, in that order.
    pub instances: Vec<Instance>,
    /// Whether it ended early, because there were too many instances.
    pub cut: bool,
}

impl Trace {
    /// The longest response time of each of `count` tasks; `None` for one that never ended.
    #[must_use]
    pub fn responses(&self, count: usize) -> Vec<Option<Time>> {
        let mut longest = vec![None; count];
        for instance in &self.instances {
            if let Some(place) = longest.get_mut(instance.task) {
                *place = (*place).max(Some(instance.response()));
            }
        }
        longest
    }
}

impl Simulation<'_> {
    /// Runs it.
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

/// An instance that is not done.
#[derive(Clone, Copy, Debug)]
struct Pending {
    task: usize,
    number: u64,
    arrival: i128,
    released: Time,
    left: Time,
}

/// The order within a queue: what the discipline says, then the subpriority, then the turn.
type Place = (i128, Reverse<u32>, u64);

#[derive(Debug, Default)]
struct Level {
    /// What has begun and is not to be interrupted by others of the queue.
    begun: Option<Pending>,
    waiting: BTreeMap<Place, Pending>,
}

/// A processor: its queues, and who runs on it.
#[derive(Debug, Default)]
struct Processor {
    levels: BTreeMap<u32, Level>,
    /// The queue that runs, the place that its instance has there if it can be interrupted, and
    /// since when.
    running: Option<(u32, Option<Place>, Time)>,
}

struct Run<'s, 't> {
    simulation: &'s Simulation<'t>,
    /// For each task, those that wait for it, and as which of theirs.
    children: Vec<Vec<(usize, usize)>>,
    /// The next release of each task: when, who, which.
    arrivals: BinaryHeap<Reverse<(Time, usize, u64)>>,
    /// For each task, how many instances of those that it waits for are done.
    done: Vec<Vec<u64>>,
    processors: BTreeMap<u32, Processor>,
    released: usize,
    sequence: u64,
    trace: Trace,
}

impl Run<'_, '_> {
    fn start(&mut self) {
        for (place, task) in self.simulation.tasks.iter().enumerate() {
            self.processors.entry(task.processor).or_default();
            for (index, &source) in task.after.iter().enumerate() {
                if let Some(children) = self.children.get_mut(source) {
                    children.push((place, index));
                }
            }
            if task.after.is_empty() {
                self.arrivals.push(Reverse((task.offset, place, 0)));
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
        self.trace.cut |= self.released >= self.simulation.most;
        self.trace
    }

    /// When something happens next.
    fn next_event(&self) -> Option<Time> {
        let arrival = self.arrivals.peek().map(|Reverse((at, ..))| *at);
        let ends = self.processors.values().filter_map(|processor| {
            let (level, place, since) = processor.running?;
            let level = processor.levels.get(&level)?;
            let pending = match place {
                Some(place) => level.waiting.get(&place)?,
                None => level.begun.as_ref()?,
            };
            Some(since + pending.left)
        });
        ends.chain(arrival).min()
    }

    /// An instance of a task that waits for nobody: releases it, and plans the next.
    fn arrive(&mut self, now: Time, place: usize, number: u64) {
        let Some(task) = self.simulation.tasks.get(place) else { return };
        let nominal = i128::from(task.offset.as_nanos()) - i128::from(task.jitter.as_nanos());
        let at = |number: u64| nominal + i128::from(number) * i128::from(task.period.as_nanos());
        self.release(now, place, number, at(number));
        let next = u64::try_from(at(number + 1)).map_or(Time::ZERO, Time::from_nanos);
        let next = next.max(task.offset);
        let goes_on = self.released < self.simulation.most && !task.period.is_zero();
        if goes_on && next < self.simulation.until {
            self.arrivals.push(Reverse((next, place, number + 1)));
        }
    }

    fn release(&mut self, now: Time, place: usize, number: u64, arrival: i128) {
        let Some(task) = self.simulation.tasks.get(place) else { return };
        if self.released >= self.simulation.most {
            return;
        }
        self.released += 1;
        self.sequence += 1;
        let signed = |time: Time| i128::from(time.as_nanos());
        let key = match task.discipline {
            // By subpriority first, and then in turn.
            Discipline::Static => 0,
            Discipline::Deadline => arrival + signed(task.deadline),
            Discipline::Laxity => arrival + signed(task.deadline) - signed(task.worst),
        };
        let pending = Pending { task: place, number, arrival, released: now, left: task.worst };
        let processor = self.processors.entry(task.processor).or_default();
        let level = processor.levels.entry(task.level).or_default();
        level.waiting.insert((key, Reverse(task.subpriority), self.sequence), pending);
    }

    /// Has every processor run what comes first; whether anything was over at once.
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
            let (&place, pending) = level.waiting.first_key_value()?;
            let task = simulation.tasks.get(pending.task)?;
            if simulation.preemptive && task.discipline == Discipline::Deadline {
                return Some((at, Some(place)));
            }
            level.begun = level.waiting.remove(&place);
            Some((at, None))
        });
        let same = processor.running.map(|(level, place, _)| (level, place)) == chosen;
        if !same {
            self.pause(now, number);
            if let Some(processor) = self.processors.get_mut(&number) {
                processor.running = chosen.map(|(level, place)| (level, place, now));
            }
        }
        // What takes no time is over.
        let before = self.trace.instances.len();
        self.complete_on(now, number);
        self.trace.instances.len() != before
    }

    /// Notes what has run since it began, and stops it.
    fn pause(&mut self, now: Time, number: u32) {
        let Some(processor) = self.processors.get_mut(&number) else { return };
        let Some((level, place, since)) = processor.running.take() else { return };
        let Some(level) = processor.levels.get_mut(&level) else { return };
        let pending = match place {
            Some(place) => level.waiting.get_mut(&place),
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

    /// Ends what a processor runs, if it is done by now.
    fn complete_on(&mut self, now: Time, number: u32) {
        let Some(processor) = self.processors.get_mut(&number) else { return };
        let Some((at, place, since)) = processor.running else { return };
        let Some(level) = processor.levels.get_mut(&at) else { return };
        let left = match place {
            Some(place) => level.waiting.get(&place).map(|pending| pending.left),
            None => level.begun.map(|pending| pending.left),
        };
        if left.is_none_or(|left| since + left > now) {
            return;
        }
        let pending = match place {
            Some(place) => level.waiting.remove(&place),
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

    /// Releases instances that have waited for this one alone.
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
