//! A model of a reader and a writer on a machine that delays stores, explored in all interleavings:
//! no thread sleeps forever, and no octet is lost.
//!
//! The steps are those of `half.rs`, on a ring of eight octets. Each side has a buffer of stores
//! invisible to the other; fences and system calls wait until it is empty.

use std::collections::{HashSet, VecDeque};

const SIZE: u8 = 8;
const TOTAL: u8 = 12;
/// The number of octets read after which the reader checks whether the writer sleeps.
const WORTH_IT: u8 = SIZE / 4;

/// The shared words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Word {
    Tail,
    Head,
    ReaderSleeping,
    WriterSleeping,
}

/// The next step of a side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Look,
    Move(u8),
    Fence,
    IsPeerSleeping,
    ClearPeer,
    Wake,
    SetSleeping,
    FenceBeforeSleep,
    LookAgain,
    Sleep,
    Asleep,
    ClearOwn,
    Done,
}

/// A writer or a reader.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Side {
    step: Step,
    own: u8,
    seen: u8,
    /// The reader's position at its last check whether the writer sleeps.
    checked: u8,
    held_back: VecDeque<(Word, u8)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    memory: [u8; 4],
    sides: [Side; 2],
}

const WRITER: usize = 0;
const READER: usize = 1;

/// The words as seen by one side.
struct Words {
    own: Word,
    peer: Word,
    sleeping: Word,
    peer_sleeping: Word,
}

fn words(side: usize) -> Words {
    use Word::{Head, ReaderSleeping, Tail, WriterSleeping};
    let [own, peer, sleeping, peer_sleeping] = match side {
        WRITER => [Tail, Head, WriterSleeping, ReaderSleeping],
        _ => [Head, Tail, ReaderSleeping, WriterSleeping],
    };
    Words { own, peer, sleeping, peer_sleeping }
}

impl State {
    fn start() -> Self {
        let (step, held_back) = (Step::Look, VecDeque::new());
        let side = Side { step, own: 0, seen: 0, checked: 0, held_back };
        Self { memory: [0; 4], sides: [side.clone(), side] }
    }

    fn load(&self, side: usize, word: Word) -> u8 {
        let held_back = self.sides[side].held_back.iter().rev().find(|(at, _)| *at == word);
        held_back.map_or(self.memory[word as usize], |(_, value)| *value)
    }

    /// The number of octets that the side could move, as far as it knows.
    fn possible(&self, side: usize) -> u8 {
        let Side { own, seen, .. } = self.sides[side];
        if side == WRITER { (SIZE - (own - seen)).min(TOTAL - own) } else { seen - own }
    }

    /// All states after one step of `side`.
    fn after(&self, side: usize, fenced: bool) -> Vec<Self> {
        let Words { own, peer, sleeping, peer_sleeping } = words(side);
        let current = &self.sides[side];
        let drained = current.held_back.is_empty();
        let mut states = Vec::new();
        let mut next = |step: Step, change: &dyn Fn(&mut Self)| {
            let mut state = self.clone();
            state.sides[side].step = step;
            change(&mut state);
            states.push(state);
        };
        let store = |word: Word, value: u8| {
            move |state: &mut Self| state.sides[side].held_back.push_back((word, value))
        };
        // A delayed store may become visible at any time.
        if let Some(&(word, value)) = current.held_back.front() {
            next(current.step, &|state| {
                state.sides[side].held_back.pop_front();
                state.memory[word as usize] = value;
            });
        }
        let done = |own: u8| if own == TOTAL { Step::Done } else { Step::Look };
        match current.step {
            Step::Look => {
                let mut looked = self.clone();
                // The reader loads the position only if it knows of no octets.
                if side == WRITER || self.possible(side) == 0 {
                    looked.sides[side].seen = self.load(side, peer);
                }
                let seen = looked.sides[side].seen;
                let look = move |state: &mut Self| state.sides[side].seen = seen;
                match looked.possible(side) {
                    0 => next(Step::SetSleeping, &look),
                    most => [1, 2, most]
                        .into_iter()
                        .filter(|count| *count <= most)
                        .for_each(|count| next(Step::Move(count), &look)),
                }
            }
            Step::Move(count) => {
                let position = current.own + count;
                let worth_it = position - current.checked >= WORTH_IT;
                let step = match side {
                    READER if !worth_it => done(position),
                    _ if fenced => Step::Fence,
                    _ => Step::IsPeerSleeping,
                };
                next(step, &|state| {
                    state.sides[side].own = position;
                    if side == READER && worth_it {
                        state.sides[side].checked = position;
                    }
                    store(own, position)(state);
                });
            }
            Step::Fence if drained => next(Step::IsPeerSleeping, &|_| ()),
            Step::IsPeerSleeping => match self.load(side, peer_sleeping) {
                0 => next(done(current.own), &|_| ()),
                _ => next(Step::ClearPeer, &|_| ()),
            },
            Step::ClearPeer => next(Step::Wake, &store(peer_sleeping, 0)),
            Step::Wake if drained => next(done(current.own), &|state| {
                let sleeper = &mut state.sides[1 - side];
                if sleeper.step == Step::Asleep {
                    sleeper.step = Step::ClearOwn;
                }
            }),
            Step::SetSleeping => {
                let step = if fenced { Step::FenceBeforeSleep } else { Step::LookAgain };
                next(step, &store(sleeping, 1));
            }
            Step::FenceBeforeSleep if drained => next(Step::LookAgain, &|_| ()),
            Step::LookAgain => {
                let seen = self.load(side, peer);
                let mut looked = self.clone();
                looked.sides[side].seen = seen;
                let step = if looked.possible(side) == 0 { Step::Sleep } else { Step::ClearOwn };
                next(step, &|state| state.sides[side].seen = seen);
            }
            Step::Sleep if drained => match self.memory[sleeping as usize] {
                0 => next(Step::ClearOwn, &|_| ()),
                _ => next(Step::Asleep, &|_| ()),
            },
            Step::ClearOwn => next(Step::Look, &store(sleeping, 0)),
            _ => {}
        }
        states
    }

    /// Whether the writer sleeps although there is enough room to wake it, and the reader has
    /// nothing left to do: it may be long until it reads more.
    fn is_forgotten(&self) -> bool {
        let [writer, reader] = &self.sides;
        let at_rest = reader.held_back.is_empty() && matches!(reader.step, Step::Look | Step::Done);
        let asleep = writer.step == Step::Asleep && self.memory[Word::WriterSleeping as usize] != 0;
        asleep && at_rest && SIZE - (writer.own - reader.own) >= WORTH_IT
    }
}

/// Explores all reachable states; returns the first in which both are stuck or the writer was not
/// woken.
fn stuck(fenced: bool) -> Option<State> {
    let mut known = HashSet::from([State::start()]);
    let mut to_visit = vec![State::start()];
    while let Some(state) = to_visit.pop() {
        let mut after = state.after(WRITER, fenced);
        after.extend(state.after(READER, fenced));
        let is_stuck = after.is_empty() && state.sides.iter().any(|side| side.step != Step::Done);
        if is_stuck || state.is_forgotten() {
            return Some(state);
        }
        to_visit.extend(after.into_iter().filter(|state| known.insert(state.clone())));
    }
    assert!(known.len() > 10_000, "the model has many states: {}", known.len());
    None
}

#[test]
fn no_thread_sleeps_forever() {
    assert_eq!(stuck(true), None);
}

#[test]
fn threads_get_stuck_without_fences() {
    assert!(stuck(false).is_some());
}
