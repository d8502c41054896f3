use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::*;

const SETTINGS: Settings =
    Settings { colors: 3, max_distance: 2, terminates: true, max_cycles: 100, seed: 1 };

/// A node that has sent its first value.
fn started(id: NodeId, neighbors: &[NodeId], settings: Settings) -> Node {
    let mut node = Node::new(id, neighbors, settings);
    assert_eq!(node.step(), Step::Send(Message::Value { cycle: 0, color: node.color() }));
    assert_eq!(node.step(), Step::Wait);
    node
}

/// The next message of a node that has one to send.
fn next_message(node: &mut Node) -> Message {
    loop {
        match node.step() {
            Step::Evaluated | Step::Compared => {}
            Step::Send(message) => return message,
            other => panic!("{other:?}"),
        }
    }
}

fn value(cycle: u32, color: u32) -> Message {
    Message::Value { cycle, color }
}

fn gain(cycle: u32, gain: u32, cost: u32) -> Message {
    Message::Improvement { cycle, improvement: Improvement { gain, cost, counter: 0 } }
}

#[test]
fn messages_of_the_next_cycle_wait_for_it() {
    let mut node = started(0, &[1, 2], SETTINGS);
    let color = node.color();
    let other = (color + 1) % 3;
    for id in [1, 2] {
        node.receive(id, &value(0, color)).unwrap();
    }
    assert!(matches!(next_message(&mut node), Message::Improvement { cycle: 0, .. }));
    node.receive(1, &gain(0, 9, 9)).unwrap();
    node.receive(1, &value(1, other)).unwrap();
    assert_eq!(node.step(), Step::Wait);
    // Of the same parity as cycle 0, whose slot is empty again.
    node.receive(2, &gain(0, 0, 0)).unwrap();
    assert_eq!(next_message(&mut node), value(1, color));
    assert_eq!(node.step(), Step::Wait);
    node.receive(2, &value(1, other)).unwrap();
    let nothing = Improvement::default();
    let expected = Message::Improvement { cycle: 1, improvement: nothing };
    assert_eq!(next_message(&mut node), expected);
}

#[test]
fn a_message_of_the_next_cycle_never_counts_for_this_one() {
    let mut node = started(0, &[1, 2], SETTINGS);
    let color = node.color();
    // Neighbor 1 is wrong: it needs an improvement of this node before its next value.
    node.receive(1, &value(1, color)).unwrap();
    node.receive(2, &value(0, (color + 1) % 3)).unwrap();
    assert_eq!(node.step(), Step::Wait);
    node.receive(1, &value(0, (color + 1) % 3)).unwrap();
    let nothing = Improvement::default();
    assert_eq!(next_message(&mut node), Message::Improvement { cycle: 0, improvement: nothing });
}

#[test]
fn messages_before_the_start_are_kept() {
    let mut node = Node::new(0, &[1], SETTINGS);
    node.receive(1, &value(0, 2)).unwrap();
    assert_eq!(node.step(), Step::Send(value(0, node.color())));
    assert!(matches!(next_message(&mut node), Message::Improvement { .. }));
}

#[test]
fn of_equal_gains_that_of_the_lower_id_is_made() {
    for (id, gained, changes) in [(0, 1, true), (2, 1, false), (0, 2, false), (2, 0, true)] {
        let mut node = started(id, &[1], SETTINGS);
        let color = node.color();
        node.receive(1, &value(0, color)).unwrap();
        let improvement = Improvement { gain: 1, cost: 1, counter: 0 };
        assert_eq!(next_message(&mut node), Message::Improvement { cycle: 0, improvement });
        node.receive(1, &gain(0, gained, 1)).unwrap();
        next_message(&mut node);
        assert_eq!(node.color() != color, changes, "node {id}, neighbor gains {gained}");
    }
}

#[test]
fn weights_of_conflicts_grow_where_nobody_gains() {
    let settings = Settings { colors: 1, ..SETTINGS };
    for (neighbors_gain, expected) in [(0, [(1, 2), (2, 2)]), (1, [(1, 1), (2, 1)])] {
        let mut node = started(0, &[2, 1], settings);
        for id in [1, 2] {
            node.receive(id, &value(0, 0)).unwrap();
        }
        next_message(&mut node);
        for id in [1, 2] {
            node.receive(id, &gain(0, neighbors_gain, 2)).unwrap();
        }
        next_message(&mut node);
        assert_eq!(node.weights().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_node_counts_how_far_all_is_solved() {
    let mut node = started(0, &[1], SETTINGS);
    let other = (node.color() + 1) % 3;
    // The neighbor's neighbors have conflicts until cycle 2.
    for (cycle, counter, is_last) in [(0, 0, false), (1, 0, false), (2, 1, true)] {
        node.receive(1, &value(cycle, other)).unwrap();
        next_message(&mut node);
        let improvement = Improvement { gain: 0, cost: 0, counter };
        node.receive(1, &Message::Improvement { cycle, improvement }).unwrap();
        assert_eq!(next_message(&mut node) == Message::Solved, is_last, "cycle {cycle}");
    }
    assert_eq!(node.step(), Step::End(Outcome::Solved));
    assert_eq!(node.receive(1, &value(3, other)), Ok(()));
}

#[test]
fn news_that_all_is_solved_are_passed_on_once() {
    let mut node = started(0, &[1, 2], SETTINGS);
    node.receive(1, &Message::Solved).unwrap();
    assert_eq!(node.step(), Step::Send(Message::Solved));
    node.receive(2, &Message::Solved).unwrap();
    assert_eq!(node.step(), Step::End(Outcome::Solved));
}

#[test]
fn wrong_messages_are_refused_and_change_nothing() {
    let mut node = started(0, &[1, 2], SETTINGS);
    node.receive(1, &value(0, 1)).unwrap();
    for (from, message, expected) in [
        (0, value(0, 0), "node 0 is no neighbor"),
        (3, Message::Solved, "node 3 is no neighbor"),
        (1, value(0, 2), "neighbor 1 sent the same message twice"),
        (2, value(2, 0), "neighbor sent a message of cycle 2 in cycle 0"),
        (2, value(u32::MAX, 0), "neighbor sent a message of cycle 4294967295 in cycle 0"),
        (2, gain(2, 0, 0), "neighbor sent a message of cycle 2 in cycle 0"),
        (2, value(0, 3), "neighbor sent color 3, which does not exist"),
    ] {
        assert_eq!(node.receive(from, &message).unwrap_err().to_string(), expected);
        assert_eq!(node.step(), Step::Wait);
    }
    node.receive(2, &value(0, 1)).unwrap();
    assert!(matches!(next_message(&mut node), Message::Improvement { cycle: 0, .. }));
}
