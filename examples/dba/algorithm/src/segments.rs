//! Where the time of a cycle goes.

use crate::cycle_times::CycleTimes;
use crate::message::Message;

/// A part of a cycle. Numbers are those of the literature: 1, 5 to 8 and 12 to 14 are the node's own work, 2 to 4 and 9 to
/// 11 happen once per message of a neighbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// 1: sending the encoded value to all neighbors.
    SendValue,
    /// 2: waiting for a message while values are missing.
    AwaitValue,
    /// 3: from the arrival of a message to the node: decoding, lookup, dispatching.
    DispatchValue,
    /// 4: storing it.
    StoreValue,
    /// 5: computing what conflicts cost with each color.
    Evaluate,
    /// 6: choosing the best color.
    Choose,
    /// 7: encoding the improvement.
    MarshalImprovement,
    /// 8: sending it to all neighbors.
    SendImprovement,
    /// 9: waiting for a message while improvements are missing.
    AwaitImprovement,
    /// 10: from the arrival of a message to the node.
    DispatchImprovement,
    /// 11: storing it.
    StoreImprovement,
    /// 12: comparing the improvements.
    Compare,
    /// 13: changing the color or the weights.
    Change,
    /// 14: encoding the value for the next cycle.
    MarshalValue,
}

impl Segment {
    /// The number of segments.
    pub const COUNT: usize = 14;

    /// All segments in order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::SendValue,
        Self::AwaitValue,
        Self::DispatchValue,
        Self::StoreValue,
        Self::Evaluate,
        Self::Choose,
        Self::MarshalImprovement,
        Self::SendImprovement,
        Self::AwaitImprovement,
        Self::DispatchImprovement,
        Self::StoreImprovement,
        Self::Compare,
        Self::Change,
        Self::MarshalValue,
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SendValue => "send value",
            Self::AwaitValue => "await value",
            Self::DispatchValue => "dispatch value",
            Self::StoreValue => "store value",
            Self::Evaluate => "evaluate",
            Self::Choose => "choose",
            Self::MarshalImprovement => "marshal improvement",
            Self::SendImprovement => "send improvement",
            Self::AwaitImprovement => "await improvement",
            Self::DispatchImprovement => "dispatch improvement",
            Self::StoreImprovement => "store improvement",
            Self::Compare => "compare",
            Self::Change => "change",
            Self::MarshalValue => "marshal value",
        }
    }
}

/// Which cycles are timed segment by segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// None: each is timed as a whole.
    Cycles,
    /// All.
    Segments,
    /// Those of every other [block](Timing::BLOCK), the first one included: one run tells what timing segments costs. Nodes
    /// are in step, so all of a graph time the same cycles.
    Alternating,
}

impl Timing {
    /// The number of cycles after which [`Alternating`](Self::Alternating) changes.
    pub const BLOCK: u32 = 64;
}

/// The times of the segments of a node's cycles.
///
/// The clock is read once at each boundary, which ends one segment and begins the next: there are no gaps, and the segments
/// of a cycle add up to its time. A cycle is measured from one decision, the end of segment 13, to the next. Nothing is
/// allocated after the start.
#[derive(Debug)]
pub struct Segments {
    clock: fn() -> u64,
    processor: fn() -> u64,
    processor_start: u64,
    /// Whether the segments of the present cycle are timed.
    is_on: bool,
    /// With alternating timing, how many cycles of the block are left.
    left: Option<u32>,
    /// The last boundary.
    last: u64,
    cycle_start: u64,
    /// Those of the current cycle.
    current: [u64; Segment::COUNT],
    totals: [u64; Segment::COUNT],
    longest: [u64; Segment::COUNT],
    cycles: CycleTimes,
    /// With alternating timing, those whose segments are not timed.
    untimed: CycleTimes,
    waits: CycleTimes,
    awaits_improvements: bool,
    sends_improvement: bool,
    sends_solved: bool,
    marshals: u64,
}

impl Segments {
    /// Times by `clock`, in its units. The times of the last `samples` cycles are kept.
    #[must_use]
    pub fn new(clock: fn() -> u64, timing: Timing, samples: usize) -> Self {
        let is_on = timing != Timing::Cycles;
        let alternates = timing == Timing::Alternating;
        Self {
            clock,
            processor: || 0,
            processor_start: 0,
            is_on,
            left: alternates.then_some(Timing::BLOCK),
            last: 0,
            cycle_start: 0,
            current: [0; Segment::COUNT],
            totals: [0; Segment::COUNT],
            longest: [0; Segment::COUNT],
            cycles: CycleTimes::new(samples),
            untimed: CycleTimes::new(if alternates { samples } else { 0 }),
            waits: CycleTimes::new(if is_on { samples } else { 0 }),
            awaits_improvements: false,
            sends_improvement: false,
            sends_solved: false,
            marshals: 0,
        }
    }

    /// The same with a clock of the processor time that the program has used. It is read at the start and
    /// at the end.
    #[must_use]
    pub fn with_processor(self, clock: fn() -> u64) -> Self {
        Self { processor: clock, ..self }
    }

    /// Begins the first cycle.
    pub(crate) fn start(&mut self) {
        self.processor_start = (self.processor)();
        self.last = (self.clock)();
        self.cycle_start = self.last;
        // Messages that came before have begun no cycle.
        self.current = [0; Segment::COUNT];
    }

    /// Ends a segment, and begins the next.
    pub(crate) fn end(&mut self, segment: Segment) {
        if self.is_on {
            let now = (self.clock)();
            self.end_at(segment, now);
        }
    }

    fn end_at(&mut self, segment: Segment, now: u64) {
        if let Some(time) = self.current.get_mut(segment as usize) {
            *time += now.saturating_sub(self.last);
        }
        self.last = now;
    }

    /// Ends segment 13 and the cycle.
    pub(crate) fn end_cycle(&mut self) {
        let now = (self.clock)();
        if self.is_on {
            self.end_at(Segment::Change, now);
            let waits = [Segment::AwaitValue, Segment::AwaitImprovement];
            let waits = waits.map(|wait| self.current.get(wait as usize).copied());
            self.waits.add(waits.into_iter().flatten().sum());
            let sums = self.totals.iter_mut().zip(&mut self.longest);
            for (&time, (total, longest)) in self.current.iter().zip(sums) {
                *total += time;
                *longest = time.max(*longest);
            }
            self.current = [0; Segment::COUNT];
        }
        let is_untimed = self.left.is_some() && !self.is_on;
        let times = if is_untimed { &mut self.untimed } else { &mut self.cycles };
        times.add(now.saturating_sub(self.cycle_start));
        self.cycle_start = now;
        self.alternate();
    }

    /// Counts a cycle of the block, and begins the next block.
    fn alternate(&mut self) {
        match &mut self.left {
            None => {}
            Some(left @ 2..) => *left -= 1,
            Some(left) => {
                *left = Timing::BLOCK;
                self.is_on = !self.is_on;
                // Cycles whose segments are not timed have not moved it.
                self.last = self.cycle_start;
            }
        }
    }

    pub(crate) fn set_awaited(&mut self, improvements: bool) {
        self.awaits_improvements = improvements;
    }

    pub(crate) fn set_sending(&mut self, message: &Message) {
        self.sends_improvement = matches!(message, Message::Improvement { .. });
        self.sends_solved = *message == Message::Solved;
    }

    pub(crate) fn end_dispatch(&mut self) {
        self.end(if self.awaits_improvements {
            Segment::DispatchImprovement
        } else {
            Segment::DispatchValue
        });
    }

    pub(crate) fn end_store(&mut self) {
        self.end(if self.awaits_improvements {
            Segment::StoreImprovement
        } else {
            Segment::StoreValue
        });
    }

    /// A message has arrived: the node no longer waits.
    pub fn end_wait(&mut self) {
        self.end(if self.awaits_improvements {
            Segment::AwaitImprovement
        } else {
            Segment::AwaitValue
        });
    }

    /// The message to be sent was encoded, once more if not for the first time. Counts it, unless the message is
    /// [`Message::Solved`], which belongs to no cycle.
    pub fn end_marshal(&mut self) {
        self.marshals += u64::from(!self.sends_solved);
        self.end(self.marshalling());
    }

    /// The message to be sent was encoded so often, the first time until `end`: as [`end_marshal`](Self::end_marshal), for
    /// those who cannot call that then.
    pub fn end_marshal_at(&mut self, end: u64, encodings: u32) {
        if !self.sends_solved {
            self.marshals += u64::from(encodings);
        }
        if self.is_on && end >= self.last {
            self.end_at(self.marshalling(), end);
        }
    }

    fn marshalling(&self) -> Segment {
        match self.sends_improvement {
            true => Segment::MarshalImprovement,
            false => Segment::MarshalValue,
        }
    }

    /// An encoded message was sent.
    pub fn end_send(&mut self) {
        self.end(if self.sends_improvement {
            Segment::SendImprovement
        } else {
            Segment::SendValue
        });
    }

    /// A time of the clock at which a message arrived, as [`end_wait`](Self::end_wait): for those who cannot call that then.
    pub fn end_wait_at(&mut self, arrival: u64) {
        if self.is_on && arrival >= self.last {
            let segment = if self.awaits_improvements {
                Segment::AwaitImprovement
            } else {
                Segment::AwaitValue
            };
            self.end_at(segment, arrival);
        }
    }

    /// The time of a segment in all completed cycles.
    #[must_use]
    pub fn total(&self, segment: Segment) -> u64 {
        self.totals.get(segment as usize).copied().unwrap_or_default()
    }

    /// Its longest time in one cycle.
    #[must_use]
    pub fn longest(&self, segment: Segment) -> u64 {
        self.longest.get(segment as usize).copied().unwrap_or_default()
    }

    /// The times of the cycles.
    #[must_use]
    pub fn cycles(&self) -> &CycleTimes {
        &self.cycles
    }

    /// With alternating timing, the times of the cycles whose segments were not timed, which [`cycles`](Self::cycles) leaves
    /// out.
    #[must_use]
    pub fn untimed(&self) -> &CycleTimes {
        &self.untimed
    }

    /// How long each cycle has waited for messages: segments 2 and 9. Empty if only cycles are timed.
    #[must_use]
    pub fn waits(&self) -> &CycleTimes {
        &self.waits
    }

    /// The processor time that the program has used since the start; 0 without a clock for it.
    #[must_use]
    pub fn processor_time(&self) -> u64 {
        (self.processor)().saturating_sub(self.processor_start)
    }

    /// How often a value or an improvement was encoded.
    #[must_use]
    pub fn marshals(&self) -> u64 {
        self.marshals
    }
}
