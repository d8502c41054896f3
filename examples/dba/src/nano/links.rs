//! The objects of neighbors, which messages are sent to.

use dba_algorithm::{Improvement, Links, Message, NodeId, Segments};
use zorb_nano::{Client, Linux, Reference, SystemException};

use super::departures::Departing;
use super::edges::{Edges, Machine};
use super::idl::dba::Receiver;
use super::{Clock, failure, limits};
use crate::Failure;
use crate::dba::Neighbor;

/// The objects of a node's neighbors.
pub(crate) struct NanoLinks {
    id: NodeId,
    client: Client<Departing<Machine>>,
    neighbors: Vec<Receiver>,
    memo: bool,
    /// The connections, if the server has them, too.
    pub(super) edges: Option<Edges>,
    /// Those of the neighbors to which this node opens the connection.
    opened: Vec<Receiver>,
}

impl NanoLinks {
    /// `edges`: the connections, if the server has them, too. The clock is that of segments.
    pub(crate) fn new(
        id: NodeId,
        neighbors: &[Neighbor],
        memo: bool,
        edges: Option<Edges>,
        clock: Clock,
    ) -> Result<Self, Failure> {
        let references = neighbors.iter().map(|neighbor| Reference::parse(&neighbor.address));
        let references = references.map(|reference| reference.map(Receiver));
        let references: Vec<Receiver> = references.collect::<Result<_, _>>().map_err(failure)?;
        let with_ids = neighbors.iter().zip(&references);
        let machine = match &edges {
            Some(edges) => {
                let known = with_ids.clone().map(|(neighbor, at)| (neighbor.id, at.0.address()));
                edges.set_neighbors(known);
                Machine::Client(edges.clone())
            }
            None => Machine::Own(Linux::new(u16::try_from(neighbors.len())?)),
        };
        let client = Client::new(Departing::new(machine, clock), limits(neighbors.len()));
        let opened = with_ids.filter(|(neighbor, _)| edges.is_some() && neighbor.id < id);
        let opened = opened.map(|(_, reference)| reference.clone()).collect();
        Ok(Self { id, client, neighbors: references, memo, edges, opened })
    }

    /// Opens the connections to the neighbors with lower ids, which do not know who connects.
    pub(super) fn open(&mut self) -> Result<(), Failure> {
        let Self { id, client, opened, .. } = self;
        opened.iter().try_for_each(|neighbor| neighbor.hello(client, *id, "").map_err(failure))?;
        // These messages belong to no segment.
        client.os().take();
        Ok(())
    }
}

impl Links for NanoLinks {
    type Error = Failure;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Failure> {
        let Self { id, client, neighbors, memo, .. } = self;
        // With a memo, arguments are encoded once for all of them.
        let together = if *memo { neighbors.len() } else { 1 };
        neighbors.chunks(together.max(1)).try_for_each(|some| {
            let sent = send(client, some, *id, message);
            let left = client.os().take();
            if let Ok(encodings) = sent {
                segments.end_marshal_at(left, encodings);
            }
            segments.end_send();
            match message {
                // A neighbor that has ended need not be told.
                Message::Solved => Ok(()),
                _ => sent.map(|_| ()).map_err(failure),
            }
        })
    }
}

/// Sends the message of node `id` by a stub. Returns how often its arguments were encoded.
fn send(
    client: &mut Client<Departing<Machine>>,
    neighbors: &[Receiver],
    id: NodeId,
    message: &Message,
) -> Result<u32, SystemException> {
    match *message {
        Message::Value { cycle, color } => {
            Receiver::send_value_to_all(client, neighbors, id, cycle, color)
        }
        Message::Improvement { cycle, improvement } => {
            let Improvement { gain, cost, counter } = improvement;
            Receiver::send_improvement_to_all(client, neighbors, id, cycle, gain, cost, counter)
        }
        Message::Solved => Receiver::send_solved_to_all(client, neighbors, id),
    }
}
