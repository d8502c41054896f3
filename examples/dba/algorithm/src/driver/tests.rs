extern crate std;

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::convert::Infallible;

use super::*;
use crate::graph::Graph;
use crate::node::Settings;
use crate::segments::Timing;

std::thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// Each reading is later than the one before, by ever more.
fn clock() -> u64 {
    let next = NOW.get() + NOW.get() / 1000 + 1;
    NOW.set(next);
    next
}

/// Messages on their way: sender, receiver, message.
type Queue = Rc<RefCell<Vec<(NodeId, NodeId, Message)>>>;

/// Encodes each message for each neighbor.
struct InMemory {
    id: NodeId,
    neighbors: Vec<NodeId>,
    queue: Queue,
}

impl Links for InMemory {
    type Error = Infallible;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Infallible> {
        for &to in &self.neighbors {
            segments.end_marshal();
            self.queue.borrow_mut().push((self.id, to, *message));
            segments.end_send();
        }
        Ok(())
    }
}

/// Runs a complete graph for 20 cycles, and returns its drivers.
fn run(nodes: u32, timing: Timing, samples: usize) -> Vec<Driver<InMemory>> {
    run_for(20, nodes, timing, samples)
}

fn run_for(cycles: u32, nodes: u32, timing: Timing, samples: usize) -> Vec<Driver<InMemory>> {
    let graph = Graph::complete(nodes).unwrap();
    let settings =
        Settings { colors: 1, max_distance: 1, terminates: true, max_cycles: cycles, seed: 1 };
    let queue = Queue::default();
    let driver = |id| {
        let neighbors = graph.neighbors(id).to_vec();
        let node = Node::new(id, &neighbors, settings);
        let links = InMemory { id, neighbors, queue: Rc::clone(&queue) };
        Driver::new(node, links, Segments::new(clock, timing, samples))
    };
    let mut drivers: Vec<_> = (0..nodes).map(driver).collect();
    let mut outcomes = vec![None; nodes as usize];
    for driver in &mut drivers {
        driver.start().unwrap();
    }
    loop {
        let next = queue.borrow_mut().pop();
        let Some((from, to, message)) = next else { break };
        let driver = &mut drivers[to as usize];
        driver.segments_mut().end_wait();
        let outcome = driver.deliver(from, &message).unwrap();
        outcomes[to as usize] = outcomes[to as usize].or(outcome);
    }
    assert_eq!(outcomes, vec![Some(Outcome::CycleLimit); nodes as usize]);
    drivers
}

#[test]
fn segments_add_up_to_the_cycles() {
    let drivers = run(4, Timing::Segments, 20);
    for driver in &drivers {
        let segments = driver.segments();
        let sum: u64 = Segment::ALL.iter().map(|&segment| segments.total(segment)).sum();
        assert_eq!(segments.cycles().count(), 20);
        assert_eq!(sum, segments.cycles().total());
        assert_eq!(sum, segments.cycles().sorted().iter().sum::<u64>());
        let waits = [Segment::AwaitValue, Segment::AwaitImprovement];
        let waited: u64 = waits.iter().map(|&segment| segments.total(segment)).sum();
        assert_eq!((segments.waits().count(), segments.waits().total()), (20, waited));
        // Two messages for each of three neighbors.
        assert_eq!(segments.marshals(), 20 * 6);
        assert_eq!(driver.refused(), 0);
    }
    for segment in Segment::ALL {
        let of_all = |time: fn(&Segments, Segment) -> u64| -> u64 {
            drivers.iter().map(|driver| time(driver.segments(), segment)).sum()
        };
        let (total, longest) = (of_all(Segments::total), of_all(Segments::longest));
        assert!(0 < longest && longest <= total, "{segment:?}: {longest} of {total}");
    }
}

#[test]
fn cycles_are_timed_without_segments_and_the_last_are_kept() {
    for driver in run(2, Timing::Cycles, 5) {
        let segments = driver.segments();
        assert!(Segment::ALL.iter().all(|&segment| segments.total(segment) == 0));
        assert_eq!(segments.waits().count(), 0);
        let kept = segments.cycles().sorted();
        assert_eq!((segments.cycles().count(), kept.len()), (20, 5));
        assert!(kept.iter().sum::<u64>() < segments.cycles().total());
    }
}

#[test]
fn segments_are_timed_in_every_other_block_of_cycles() {
    let cycles = 3 * Timing::BLOCK + 10;
    for driver in run_for(cycles, 2, Timing::Alternating, 1000) {
        let segments = driver.segments();
        let sum: u64 = Segment::ALL.iter().map(|&segment| segments.total(segment)).sum();
        assert_eq!((segments.cycles().count(), segments.untimed().count()), (128, 74));
        assert_eq!((segments.waits().count(), sum), (128, segments.cycles().total()));
        let untimed = segments.untimed().sorted();
        assert_eq!(untimed.iter().sum::<u64>(), segments.untimed().total());
    }
}

#[test]
fn encoding_ends_when_those_say_who_note_it() {
    fn none() -> u64 {
        0
    }
    let mut segments = Segments::new(none, Timing::Segments, 1);
    segments.start();
    segments.set_sending(&Message::Value { cycle: 0, color: 0 });
    segments.end_marshal_at(7, 1);
    // Before the last boundary it was not.
    segments.end_marshal_at(5, 2);
    segments.end_marshal_at(9, 0);
    assert_eq!((segments.total(Segment::MarshalValue), segments.marshals()), (0, 3));
    segments.set_sending(&Message::Solved);
    segments.end_marshal_at(10, 1);
    assert_eq!(segments.marshals(), 3, "it belongs to no cycle");
    segments.end_cycle();
    assert_eq!(segments.total(Segment::MarshalValue), 10);
}

#[test]
fn refused_messages_are_counted() {
    let mut drivers = run(2, Timing::Segments, 1);
    drivers[0].deliver(7, &Message::Solved).unwrap();
    assert_eq!(drivers[0].refused(), 1);
}
