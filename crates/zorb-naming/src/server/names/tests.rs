//! Histories of concurrent operations: each is checked for an order of the operations that explains all results.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_store::{Entry, MemoryStore, Statistics, StoreErrorKind, Visit};

use super::*;
use crate::server::path::Path;
use crate::server::stored::StoredReference;
use crate::server::tree::{Bound, Operation};

const THREADS: usize = 3;
const OPERATIONS: usize = 5;
const NAMES: [&str; 2] = ["a", "b"];

#[derive(Clone, Copy, Debug)]
enum Call {
    Bind(usize, u8),
    Rebind(usize, u8),
    Unbind(usize),
    Resolve(usize),
    List,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Done,
    Value(u8),
    Missing,
    AlreadyBound,
    NotStored,
    Names(Vec<usize>),
}

/// An operation, and when it was called and returned.
#[derive(Clone, Debug)]
struct Event {
    call: Call,
    answer: Answer,
    from: u64,
    to: u64,
}

/// What is bound: all that the model consists of.
type State = BTreeMap<usize, u8>;

/// The state after a call that has this answer; `None` if the answer is wrong.
fn step(state: &State, event: &Event) -> Option<State> {
    let mut next = state.clone();
    let expected = match event.call {
        // It has changed nothing.
        _ if event.answer == Answer::NotStored => Answer::NotStored,
        Call::Bind(name, _) if state.contains_key(&name) => Answer::AlreadyBound,
        Call::Bind(name, value) | Call::Rebind(name, value) => {
            next.insert(name, value);
            Answer::Done
        }
        Call::Unbind(name) => match next.remove(&name) {
            Some(_) => Answer::Done,
            None => Answer::Missing,
        },
        Call::Resolve(name) => state.get(&name).map_or(Answer::Missing, |it| Answer::Value(*it)),
        Call::List => Answer::Names(state.keys().copied().collect()),
    };
    (expected == event.answer).then_some(next)
}

/// The last states of all orders that explain the events.
fn explanations(events: &[Event]) -> HashSet<State> {
    let mut found = HashSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![(0u32, State::new())];
    while let Some((done, state)) = open.pop() {
        if !seen.insert((done, state.clone())) {
            continue;
        }
        let is_left = |index: usize| done & (1 << index) == 0;
        let left = || events.iter().enumerate().filter(|(index, _)| is_left(*index));
        // The next one must have been called before any other returned.
        let first_end = left().map(|(_, event)| event.to).min();
        let Some(first_end) = first_end else {
            found.insert(state);
            continue;
        };
        for (index, event) in left().filter(|(_, event)| event.from < first_end) {
            if let Some(next) = step(&state, event) {
                open.push((done | 1 << index, next));
            }
        }
    }
    found
}

/// A store that gives way to other threads, and fails from time to time.
#[derive(Debug)]
struct Yielding(MemoryStore, AtomicU64);

impl Store for Yielding {
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(table, key)
    }

    fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.0.scan(table, visit)
    }

    fn scan_all(
        &self,
        visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.0.scan_all(visit)
    }

    fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        let number = next(&self.1);
        (0..number % 4).for_each(|_| std::thread::yield_now());
        if number.is_multiple_of(16) {
            return Err(StoreError::new(StoreErrorKind::Full, "no space is left"));
        }
        let stored = self.0.commit(batch);
        (0..number / 4 % 4).for_each(|_| std::thread::yield_now());
        stored
    }

    fn statistics(&self) -> Statistics {
        self.0.statistics()
    }
}

/// A pseudo-random number.
fn next(state: &AtomicU64) -> u64 {
    let step =
        |state: u64| state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
    let before = state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| Some(step(it)));
    step(before.unwrap()) >> 33
}

/// A stored reference with a type id of one character and no profiles.
fn reference(value: u8) -> [u8; 3] {
    [1, value, 0]
}

fn execute(names: &Names, call: Call) -> Answer {
    let path = |name: usize| Path::parse(NAMES[name]).unwrap();
    let resolve = |name: usize| {
        let tree = names.read();
        let mut reference = StoredReference::default();
        match tree.resolve(ContextId::ROOT, &path(name), &mut reference) {
            Ok(None) => Answer::Value(reference[1]),
            Err(Refusal::NotFound(..)) => Answer::Missing,
            other => panic!("{other:?}"),
        }
    };
    let change = |name: usize, operation: Operation<'_>| match names
        .change(|tree| tree.plan(ContextId::ROOT, &path(name), operation))
    {
        Ok(()) => Answer::Done,
        Err(NotMade::Refused(Refusal::AlreadyBound)) => Answer::AlreadyBound,
        Err(NotMade::Refused(Refusal::NotFound(..))) => Answer::Missing,
        Err(NotMade::NotStored(_)) => Answer::NotStored,
        Err(other) => panic!("{other:?}"),
    };
    match call {
        Call::Bind(name, value) => change(name, Operation::Bind(Bound::Object(&reference(value)))),
        Call::Rebind(name, value) => {
            change(name, Operation::Rebind(Bound::Object(&reference(value))))
        }
        Call::Unbind(name) => change(name, Operation::Unbind),
        Call::Resolve(name) => resolve(name),
        Call::List => {
            let listing = names.read().list(ContextId::ROOT, None, 10).unwrap();
            let index =
                |key: &[u8]| NAMES.iter().position(|it| it.as_bytes() == &key[..1]).unwrap();
            Answer::Names(listing.iter().map(|(key, _)| index(key)).collect())
        }
    }
}

fn state_of(names: &Names) -> State {
    let value = |name: usize| match execute(names, Call::Resolve(name)) {
        Answer::Value(value) => Some((name, value)),
        _ => None,
    };
    (0..NAMES.len()).filter_map(value).collect()
}

/// The events of some threads, and what is bound and stored at the end.
fn history(seed: u64) -> (Vec<Event>, State, State) {
    let store: Arc<dyn Store> = Arc::new(Yielding(MemoryStore::new(), AtomicU64::new(seed)));
    // Opening the store may fail, too.
    let load = || {
        (0..10)
            .find_map(|_| Names::load(NamingOptions::default(), Arc::clone(&store), 0).ok())
            .unwrap()
    };
    let names = load();
    let (clock, start) = (AtomicU64::new(0), Barrier::new(THREADS));
    let events = std::thread::scope(|scope| {
        let run = |thread: usize| {
            let random = AtomicU64::new(seed * 31 + thread as u64);
            start.wait();
            let event = |number: usize| {
                let (name, value) = (next(&random) as usize % 2, (1 + thread * 16 + number) as u8);
                let call = match next(&random) % 8 {
                    0 | 1 => Call::Bind(name, value),
                    2 | 3 => Call::Rebind(name, value),
                    4 => Call::Unbind(name),
                    5 => Call::List,
                    _ => Call::Resolve(name),
                };
                let from = clock.fetch_add(1, Ordering::SeqCst);
                let answer = execute(&names, call);
                Event { call, answer, from, to: clock.fetch_add(1, Ordering::SeqCst) }
            };
            (0..OPERATIONS).map(event).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..THREADS).map(|it| scope.spawn(move || run(it))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    (events, state_of(&names), state_of(&load()))
}

#[test]
fn operations_on_a_context_are_linearizable() {
    for seed in 1..=500 {
        let (events, bound, stored) = history(seed);
        let explanations = explanations(&events);
        assert!(explanations.contains(&bound), "seed {seed}: {bound:?} after {events:#?}");
        assert_eq!(stored, bound, "seed {seed}: after {events:#?}");
    }
}

#[test]
fn a_history_that_no_order_explains_is_noticed() {
    let event = |call, answer, from, to| Event { call, answer, from, to };
    let bind = event(Call::Bind(0, 1), Answer::Done, 0, 1);
    let read = |answer, from, to| event(Call::Resolve(0), answer, from, to);
    let stale = [bind.clone(), read(Answer::Missing, 2, 3)];
    assert_eq!(explanations(&stale).len(), 0);
    let overlapping = [event(Call::Bind(0, 1), Answer::Done, 0, 9), read(Answer::Missing, 2, 3)];
    assert_eq!(explanations(&overlapping).len(), 1);
    let back = [
        event(Call::Bind(0, 1), Answer::Done, 0, 9),
        read(Answer::Value(1), 1, 2),
        read(Answer::Missing, 3, 4),
    ];
    assert_eq!(explanations(&back).len(), 0);
}
