//! Messages as calls of the ORB: one-way, or with replies that are taken later.

mod arrivals;
mod edges;

use std::cell::RefCell;
use std::time::Duration;

use dba_algorithm::{Links, Message, NodeId, Segments};
use zorb::policy::{Policies, SyncScope};
use zorb::rt::BufferingConstraint;
use zorb::{
    CdrReader, CdrResult, CdrWriter, Interface as _, ObjectRef, OnewayQueue, Orb, Pending,
    SystemException, Wire as _,
};

use crate::Failure;
use crate::arguments::{Calls, Options, Sync};
use crate::dba::{Neighbor, Node};
use crate::group::GroupPort;
use crate::node_call::NodeCall;
pub(crate) use arrivals::Arrivals;
pub(crate) use edges::Edges;

/// The objects of a node's neighbors.
#[derive(Debug)]
pub(crate) struct FullLinks {
    id: NodeId,
    neighbors: Vec<ObjectRef>,
    memo: bool,
    /// With `--calls pending`, those whose replies have not been taken. A neighbor has at most the messages of two cycles
    /// to reply to: without its own messages, this node sends no others.
    pending: Option<Vec<Pending<()>>>,
}

impl FullLinks {
    pub(crate) fn new(
        id: NodeId,
        neighbors: &[Neighbor],
        options: &Options,
    ) -> Result<Self, SystemException> {
        let policies = policies(options);
        let references = neighbors.iter().filter_map(|neighbor| neighbor.target.as_ref());
        let references = references.map(|node| node.as_object().with_policies(&policies));
        let neighbors = references.collect::<Result<_, _>>()?;
        let pending = (options.calls == Calls::Pending).then(Vec::new);
        Ok(Self { id, neighbors, memo: options.memo, pending })
    }

    /// Opens the connections to the neighbors with lower ids, which are prepared already, for messages in both directions.
    pub(crate) fn open(
        &self,
        neighbors: &[Neighbor],
        edges: Option<&Edges>,
    ) -> Result<(), Failure> {
        if let Some(edges) = edges {
            edges.set_neighbors(neighbors)?;
        }
        for (neighbor, reference) in neighbors.iter().zip(&self.neighbors) {
            if neighbor.id > self.id {
                continue;
            }
            let address = edges.map(|edges| edges.open(neighbor.id)).transpose()?;
            let hello = |writer: &mut CdrWriter<'_>| -> CdrResult<()> {
                u32::write(&self.id, writer)?;
                String::write(address.as_deref().unwrap_or_default(), writer)
            };
            match edges {
                Some(_) => reference.invoke_oneway("hello", hello)?,
                // With its reply the neighbor knows whose connection it is.
                None => {
                    let replied = Policies::new().with(SyncScope::WithTarget);
                    reference.with_policies(&replied)?.invoke_oneway("hello", hello)?;
                }
            }
        }
        Ok(())
    }
}

/// How long calls are held back with `--sync buffered`. A node sends a neighbor one message and waits for the neighbor's:
/// no other message fills the buffer before.
const HELD: Duration = Duration::from_millis(1);

fn policies(options: &Options) -> Policies {
    let queued = |queue| Policies::new().with(SyncScope::None).with(queue);
    match options.sync {
        Sync::None => queued(OnewayQueue::default()),
        Sync::Buffered => {
            let held = BufferingConstraint::default().age(HELD);
            queued(OnewayQueue::default().buffering(held))
        }
        Sync::Transport => Policies::new().with(SyncScope::WithTransport),
    }
}

/// The multicast groups of a run, as objects.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    orb: Orb,
    port: GroupPort,
}

impl Groups {
    pub(crate) fn new(orb: &Orb, port: GroupPort) -> Self {
        Self { orb: orb.clone(), port }
    }

    fn of_neighbors(&self, id: NodeId) -> Result<ObjectRef, Failure> {
        let Self { orb, port } = self;
        let url = format!("corbaloc:miop:1.0@1.0-dba{}-{id}/{}", port.0, port.address(id));
        Ok(orb.string_to_object(&url)?.ok_or("a group is an object")?)
    }

    /// Lets the object `own` of a node join the groups of its neighbors, and returns what sends to its own group.
    pub(crate) fn join(
        &self,
        id: NodeId,
        own: &Node,
        neighbors: &[Neighbor],
        options: &Options,
    ) -> Result<FullLinks, Failure> {
        let adapter = self.orb.root_poa();
        let object = adapter.id_of(own)?;
        for neighbor in neighbors {
            adapter.associate(&self.of_neighbors(neighbor.id)?, &object)?;
        }
        let group = self.of_neighbors(id)?.with_policies(&policies(options))?;
        Ok(FullLinks { id, neighbors: vec![group], memo: options.memo, pending: None })
    }
}

/// Takes the replies that have arrived.
fn take_replies(pending: &mut Vec<Pending<()>>) -> Result<(), SystemException> {
    let mut failed = None;
    pending.retain_mut(|call| match call.try_take() {
        None => true,
        Some(result) => {
            failed = failed.take().or(result.err());
            false
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Reads the results of an operation that has none.
fn nothing(_results: &mut CdrReader<'_>) -> CdrResult<()> {
    Ok(())
}

/// The calls are those of the stubs `value`, `improvement` and `solved`, but a function of its own writes the arguments: it
/// knows when they are encoded, and how often.
impl Links for FullLinks {
    type Error = SystemException;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), SystemException> {
        let call = NodeCall::of(message);
        let operation = call.operation;
        let segments = RefCell::new(segments);
        let write = |writer: &mut CdrWriter<'_>| -> CdrResult<()> {
            u32::write(&self.id, writer)?;
            call.numbers().iter().try_for_each(|number| u32::write(number, writer))?;
            segments.borrow_mut().end_marshal();
            Ok(())
        };
        let check = |sent: Result<(), SystemException>| match message {
            // A neighbor that has ended need not be told.
            Message::Solved => Ok(()),
            _ => sent,
        };
        if let Some(pending) = &mut self.pending {
            if self.memo {
                pending.extend(ObjectRef::send_to_all(&self.neighbors, operation, write, nothing));
                segments.borrow_mut().end_send();
            } else {
                for neighbor in &self.neighbors {
                    pending.push(neighbor.send(operation, write, nothing));
                    segments.borrow_mut().end_send();
                }
            }
            // A call that could not be sent has ended, too.
            return check(take_replies(pending));
        }
        if self.memo {
            let sent = ObjectRef::send_oneway_to_all(&self.neighbors, operation, write);
            segments.borrow_mut().end_send();
            return sent.into_iter().try_for_each(check);
        }
        self.neighbors.iter().try_for_each(|neighbor| {
            let sent = neighbor.invoke_oneway(operation, write);
            segments.borrow_mut().end_send();
            check(sent)
        })
    }
}
