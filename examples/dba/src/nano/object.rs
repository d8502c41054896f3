//! The object that a node is to its neighbors.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dba_algorithm::{Driver, Improvement, Message, NodeId, Outcome};
use zorb_nano::{Answer, Interface, Linear, Reader, Servant, SystemException, Text, Writer};

use super::arrivals::Arrival;
use super::idl::dba::{Receiver, ReceiverServant, ReceiverSkeleton};
use super::links::NanoLinks;
use crate::Failure;
use crate::arguments::Lookup;

/// A node, until it has ended.
pub(super) struct Running {
    pub(super) driver: Driver<NanoLinks>,
    /// Tells the main thread how it has ended.
    pub(super) end: Option<Sender<Result<Outcome, Failure>>>,
}

impl Running {
    /// Tells the main thread of the end, if it is one.
    pub(super) fn note(&mut self, step: Result<Option<Outcome>, Failure>) {
        if let Some(ended) = step.transpose()
            && let Some(end) = self.end.take()
        {
            // Without the main thread there is no process.
            let _ = end.send(ended);
        }
    }
}

/// The object that a node is to its neighbors.
#[derive(Clone)]
pub(super) struct Receiving {
    running: Arc<Mutex<Running>>,
    /// When its server has received the message.
    arrival: Arrival,
}

impl Receiving {
    pub(super) fn new(running: Arc<Mutex<Running>>, arrival: Arrival) -> Self {
        Self { running, arrival }
    }

    /// The same object in another server.
    pub(super) fn of_server(self, arrival: Arrival) -> Self {
        Self { arrival, ..self }
    }

    /// As a servant whose operations are found so.
    pub(super) fn servant(self, lookup: Lookup) -> Box<dyn Servant> {
        let skeleton = ReceiverSkeleton(self);
        match lookup {
            Lookup::Hash => Box::new(skeleton),
            Lookup::Linear => Box::new(Searched(skeleton)),
        }
    }

    pub(super) fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of its servers, and of others that have it.
    pub(super) fn owners(&self) -> usize {
        Arc::strong_count(&self.running)
    }

    /// Passes a message on to the node.
    fn deliver(&self, from: NodeId, message: &Message) {
        let mut running = self.running();
        running.driver.segments_mut().end_wait_at(self.arrival.time());
        if running.end.is_some() {
            let step = running.driver.deliver(from, message);
            running.note(step);
        }
    }
}

impl ReceiverServant for Receiving {
    fn value(&mut self, from: u32, cycle: u32, color: u32) {
        self.deliver(from, &Message::Value { cycle, color });
    }

    fn improvement(&mut self, from: u32, cycle: u32, gain: u32, cost: u32, counter: u32) {
        let improvement = Improvement { gain, cost, counter };
        self.deliver(from, &Message::Improvement { cycle, improvement });
    }

    fn solved(&mut self, from: u32) {
        self.deliver(from, &Message::Solved);
    }

    fn hello(&mut self, from: u32, _address: Text<'_>) {
        if let Some(edges) = &self.running().driver.links_mut().edges {
            edges.introduce(from);
        }
    }
}

/// The operations of `Receiver`, in the order of the skeleton.
static SEARCHED: Linear = Linear(&["value", "improvement", "solved", "hello"]);
static LINEAR: Interface = Interface { ids: Receiver::INTERFACE.ids, operations: &SEARCHED };

/// A skeleton whose operations are found by linear search in place of the hash that it was generated with.
struct Searched<S>(ReceiverSkeleton<S>);

impl<S: ReceiverServant> Servant for Searched<S> {
    fn interface(&self) -> &'static Interface {
        &LINEAR
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        self.0.invoke(operation, arguments, results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_same_operations() {
        let hashed = Receiver::INTERFACE.operations;
        for (index, name) in SEARCHED.0.iter().enumerate() {
            assert_eq!(hashed.find(name.as_bytes()), Some(index), "{name}");
            assert_eq!(LINEAR.operations.find(name.as_bytes()), Some(index), "{name}");
        }
        assert_eq!(hashed.find(b"stop").or(LINEAR.operations.find(b"stop")), None);
    }
}
