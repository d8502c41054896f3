//! The state machine of one node.

use alloc::boxed::Box;
use alloc::vec;

use crate::message::{Improvement, Message, NodeId};
use crate::random::Random;
use crate::refusal::Refusal;

/// The greatest number of colors. A node has 4 octets for each.
pub const MAX_COLORS: u32 = 4096;

/// What a node needs to know besides its neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of colors, from 1 to [`MAX_COLORS`].
    pub colors: u32,
    /// The greatest distance of two nodes in the graph, or more. The node ends when its counter has this value.
    pub max_distance: u32,
    /// Whether the node ends when all is solved.
    pub terminates: bool,
    /// The number of cycles after which the node ends in any case, at least 1.
    pub max_cycles: u32,
    /// From which the initial color and the choice between equally good colors follow.
    pub seed: u64,
}

/// How a node has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No node of the graph has a conflict.
    Solved,
    /// After the maximum number of cycles.
    CycleLimit,
}

/// What a program has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Call [`Node::step`] again: the costs of all colors are computed.
    Evaluated,
    /// Call [`Node::step`] again: the improvements are compared.
    Compared,
    /// Pass the next message of a neighbor to [`Node::receive`].
    Wait,
    /// Send this message to all neighbors.
    Send(Message),
    /// Nothing: the node has ended.
    End(Outcome),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The node has not sent its first value.
    New,
    /// It waits for the values of a cycle.
    Values,
    /// It has all values, and has computed what it could gain.
    Evaluated,
    /// It waits for the improvements of a cycle.
    Improvements,
    /// It has compared them.
    Compared,
    /// It knows that all is solved, and has not told its neighbors.
    Solved,
    Ended(Outcome),
}

/// Messages of the current and the next cycle, by the parity of the cycle.
#[derive(Debug, Default)]
struct Slots<T>([Option<T>; 2]);

impl<T: Copy> Slots<T> {
    fn of(&mut self, cycle: u32) -> &mut Option<T> {
        let [even, odd] = &mut self.0;
        if cycle.is_multiple_of(2) { even } else { odd }
    }
}

#[derive(Debug)]
struct Neighbor {
    id: NodeId,
    /// What a conflict with it costs.
    weight: u32,
    /// Its color in the current cycle, once all values are there.
    color: u32,
    values: Slots<u32>,
    improvements: Slots<Improvement>,
}

/// What the improvements of a cycle mean for the node.
#[derive(Clone, Copy, Debug, Default)]
struct Verdict {
    /// It gains the most, and may take the best color.
    may_change: bool,
    /// Neither it nor a neighbor gains anything.
    is_minimum: bool,
}

/// A node of the graph: its color, what it knows about its neighbors, and its place in the cycle.
///
/// It allocates when it is made, and never after that.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
    settings: Settings,
    /// In the order of their ids.
    neighbors: Box<[Neighbor]>,
    /// The number of neighbors whose messages the phase still lacks.
    missing: usize,
    /// For each color, what the conflicts cost with it.
    costs: Box<[u32]>,
    random: Random,
    phase: Phase,
    cycle: u32,
    color: u32,
    best_color: u32,
    own: Improvement,
    verdict: Verdict,
}

impl Node {
    /// A node with these neighbors, of which none may be the node itself; the same id twice is one neighbor. Its initial
    /// color is random. Settings beyond their limits are taken as the nearest limit.
    #[must_use]
    pub fn new(id: NodeId, neighbors: &[NodeId], settings: Settings) -> Self {
        let mut ids = neighbors.to_vec();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|&neighbor| neighbor != id);
        let settings = Settings {
            colors: settings.colors.clamp(1, MAX_COLORS),
            max_cycles: settings.max_cycles.max(1),
            ..settings
        };
        let neighbor = |id| Neighbor {
            id,
            weight: 1,
            color: 0,
            values: Slots::default(),
            improvements: Slots::default(),
        };
        let mut random = Random::of_node(settings.seed, id);
        let color = random.below(settings.colors);
        Self {
            id,
            settings,
            neighbors: ids.into_iter().map(neighbor).collect(),
            missing: 0,
            costs: vec![0; settings.colors as usize].into(),
            random,
            phase: Phase::New,
            cycle: 0,
            color,
            best_color: color,
            own: Improvement::default(),
            verdict: Verdict::default(),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Its color, from 0.
    #[must_use]
    pub fn color(&self) -> u32 {
        self.color
    }

    /// The number of cycles that it has completed.
    #[must_use]
    pub fn cycles(&self) -> u32 {
        self.cycle
    }

    /// Whether it has sent its first value.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.phase != Phase::New
    }

    /// Whether it waits for improvements, and not for values.
    #[must_use]
    pub fn awaits_improvements(&self) -> bool {
        self.phase == Phase::Improvements
    }

    /// The weights of its conflicts with its neighbors, in the order of their ids.
    pub fn weights(&self) -> impl Iterator<Item = (NodeId, u32)> {
        self.neighbors.iter().map(|neighbor| (neighbor.id, neighbor.weight))
    }

    /// Stores a message of a neighbor. Once the node has ended it ignores all.
    ///
    /// # Errors
    /// If a correct neighbor would not have sent it now.
    pub fn receive(&mut self, from: NodeId, message: &Message) -> Result<(), Refusal> {
        let index = self.neighbors.binary_search_by_key(&from, |neighbor| neighbor.id);
        let neighbor = index.ok().and_then(|index| self.neighbors.get_mut(index));
        let neighbor = neighbor.ok_or(Refusal::Stranger(from))?;
        if matches!(self.phase, Phase::Solved | Phase::Ended(_)) {
            return Ok(());
        }
        let current = self.cycle;
        let check = |sent: u32| match sent.checked_sub(current) {
            Some(0 | 1) => Ok(()),
            _ => Err(Refusal::WrongCycle { sent, current }),
        };
        match *message {
            Message::Solved if self.settings.terminates => self.phase = Phase::Solved,
            Message::Solved => {}
            Message::Value { cycle, color } => {
                check(cycle)?;
                if color >= self.settings.colors {
                    return Err(Refusal::NoColor(color));
                }
                fill(neighbor.values.of(cycle), color, from)?;
                let is_awaited = cycle == current && self.phase == Phase::Values;
                self.missing -= usize::from(is_awaited);
            }
            Message::Improvement { cycle, improvement } => {
                check(cycle)?;
                fill(neighbor.improvements.of(cycle), improvement, from)?;
                let is_awaited = cycle == current && self.phase == Phase::Improvements;
                self.missing -= usize::from(is_awaited);
            }
        }
        Ok(())
    }

    /// Goes on by one step. Call it again unless it returns [`Step::Wait`] or [`Step::End`].
    pub fn step(&mut self) -> Step {
        match self.phase {
            Phase::New => self.send_value(),
            Phase::Values if self.missing == 0 => self.evaluate(),
            Phase::Evaluated => self.choose(),
            Phase::Improvements if self.missing == 0 => self.compare(),
            Phase::Compared => self.end_cycle(),
            Phase::Values | Phase::Improvements => Step::Wait,
            Phase::Solved => {
                self.phase = Phase::Ended(Outcome::Solved);
                Step::Send(Message::Solved)
            }
            Phase::Ended(outcome) => Step::End(outcome),
        }
    }

    fn send_value(&mut self) -> Step {
        self.phase = Phase::Values;
        let cycle = self.cycle;
        let lacks = |neighbor: &mut Neighbor| neighbor.values.of(cycle).is_none();
        self.missing = self.neighbors.iter_mut().map(lacks).filter(|&lacks| lacks).count();
        Step::Send(Message::Value { cycle, color: self.color })
    }

    /// Takes the neighbors' colors, and finds what conflicts cost with each color.
    fn evaluate(&mut self) -> Step {
        self.costs.fill(0);
        for neighbor in &mut self.neighbors {
            let Some(color) = neighbor.values.of(self.cycle).take() else { continue };
            neighbor.color = color;
            if let Some(cost) = self.costs.get_mut(color as usize) {
                *cost = cost.saturating_add(neighbor.weight);
            }
        }
        self.phase = Phase::Evaluated;
        Step::Evaluated
    }

    /// Chooses the best color; of equally good ones the first from a random one on.
    fn choose(&mut self) -> Step {
        let cost = self.costs.get(self.color as usize).copied().unwrap_or_default();
        let mut best = (cost, self.color);
        if cost > 0 {
            let start = self.random.below(self.settings.colors);
            let colors = (start..self.settings.colors).chain(0..start);
            for (color, &cost) in colors.filter_map(|c| Some((c, self.costs.get(c as usize)?))) {
                if cost < best.0 {
                    best = (cost, color);
                }
            }
            self.own.counter = 0;
        }
        self.best_color = best.1;
        self.own = Improvement { gain: cost - best.0, cost, counter: self.own.counter };
        self.phase = Phase::Improvements;
        let cycle = self.cycle;
        let lacks = |neighbor: &mut Neighbor| neighbor.improvements.of(cycle).is_none();
        self.missing = self.neighbors.iter_mut().map(lacks).filter(|&lacks| lacks).count();
        Step::Send(Message::Improvement { cycle, improvement: self.own })
    }

    /// Compares the improvements.
    fn compare(&mut self) -> Step {
        let own = self.own;
        let mut verdict = Verdict { may_change: own.gain > 0, is_minimum: own.gain == 0 };
        let (mut consistent, mut counter) = (own.cost == 0, own.counter);
        for neighbor in &mut self.neighbors {
            let Some(theirs) = neighbor.improvements.of(self.cycle).take() else { continue };
            if theirs.gain > own.gain || (theirs.gain == own.gain && neighbor.id < self.id) {
                verdict.may_change = false;
            }
            verdict.is_minimum &= theirs.gain == 0;
            consistent &= theirs.cost == 0;
            counter = counter.min(theirs.counter);
        }
        self.own.counter = if consistent { counter.saturating_add(1) } else { 0 };
        self.verdict = verdict;
        self.phase = Phase::Compared;
        Step::Compared
    }

    /// Changes the color or the weights, and begins the next cycle.
    fn end_cycle(&mut self) -> Step {
        if self.verdict.is_minimum && self.own.cost > 0 {
            let conflicts = self.neighbors.iter_mut().filter(|other| other.color == self.color);
            conflicts.for_each(|neighbor| neighbor.weight = neighbor.weight.saturating_add(1));
        }
        if self.verdict.may_change {
            self.color = self.best_color;
        }
        self.cycle += 1;
        let is_solved = self.own.counter > 0 && self.own.counter >= self.settings.max_distance;
        if is_solved && self.settings.terminates {
            self.phase = Phase::Ended(Outcome::Solved);
            return Step::Send(Message::Solved);
        }
        if self.cycle >= self.settings.max_cycles {
            self.phase = Phase::Ended(Outcome::CycleLimit);
            return Step::End(Outcome::CycleLimit);
        }
        self.send_value()
    }
}

fn fill<T>(slot: &mut Option<T>, content: T, from: NodeId) -> Result<(), Refusal> {
    if slot.is_some() {
        return Err(Refusal::Repeated(from));
    }
    *slot = Some(content);
    Ok(())
}

#[cfg(test)]
mod tests;
