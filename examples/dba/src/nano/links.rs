//! The objects of neighbors, which messages are sent to.

use std::cell::RefCell;

use dba_algorithm::{Links, Message, NodeId, Segments};
use zorb_nano::{Client, Linux, Reference};
use zorb_nano::{SystemException, Writer};

use super::edges::{Edges, Machine};
use super::idl::dba::Receiver;
use super::{failure, limits};
use crate::Failure;
use crate::dba::Neighbor;
use crate::node_call::NodeCall;

/// The objects of a node's neighbors.
pub(crate) struct NanoLinks {
    id: NodeId,
    client: Client<Machine>,
    neighbors: Vec<Reference>,
    memo: bool,
    /// The connections, if the server has them, too.
    pub(super) edges: Option<Edges>,
    /// Those of the neighbors to which this node opens the connection.
    opened: Vec<Receiver>,
}

impl NanoLinks {
    pub(crate) fn new(
        id: NodeId,
        neighbors: &[Neighbor],
        memo: bool,
        edges: Option<Edges>,
    ) -> Result<Self, Failure> {
        let references = neighbors.iter().map(|neighbor| Reference::parse(&neighbor.address));
        let references: Vec<Reference> = references.collect::<Result<_, _>>().map_err(failure)?;
        let with_ids = neighbors.iter().zip(&references);
        let machine = match &edges {
            Some(edges) => {
                let known = with_ids.clone().map(|(neighbor, at)| (neighbor.id, at.address()));
                edges.set_neighbors(known);
                Machine::Client(edges.clone())
            }
            None => Machine::Own(Linux::new(u16::try_from(neighbors.len())?)),
        };
        let client = Client::new(machine, limits(neighbors.len()));
        let opened = with_ids.filter(|(neighbor, _)| edges.is_some() && neighbor.id < id);
        let opened = opened.map(|(_, reference)| Receiver(reference.clone())).collect();
        Ok(Self { id, client, neighbors: references, memo, edges, opened })
    }

    /// Opens the connections to the neighbors with lower ids, which do not know who connects.
    pub(super) fn open(&mut self) -> Result<(), Failure> {
        let Self { id, client, opened, .. } = self;
        opened.iter().try_for_each(|neighbor| {
            let sent = neighbor.hello(client, *id, "");
            sent.map_err(failure)
        })
    }
}

/// The calls are those of the stubs of `Receiver`, but a function of its own writes the arguments: it knows when they are
/// encoded, and how often.
impl Links for NanoLinks {
    type Error = Failure;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Failure> {
        let call = NodeCall::of(message);
        let operation = call.operation;
        let Self { id, client, neighbors, memo, .. } = self;
        let segments = RefCell::new(segments);
        let mut write = |writer: &mut Writer<'_>| {
            writer.write::<u32>(id)?;
            call.numbers().iter().try_for_each(|number| writer.write::<u32>(number))?;
            segments.borrow_mut().end_marshal();
            Ok(())
        };
        let check = |sent: Result<(), SystemException>| match message {
            // A neighbor that has ended need not be told.
            Message::Solved => Ok(()),
            _ => sent.map_err(failure),
        };
        if *memo {
            let sent = client.send_to_all(&*neighbors, operation, &mut write);
            segments.borrow_mut().end_send();
            return check(sent);
        }
        neighbors.iter().try_for_each(|neighbor| {
            let sent = client.send(neighbor, operation, &mut write);
            segments.borrow_mut().end_send();
            check(sent)
        })
    }
}
