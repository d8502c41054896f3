//! Messages as one-way calls of the ORB.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use dba_algorithm::{Improvement, Links, Message, NodeId, Segments};
use zorb::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb::policy::{Policies, SyncScope};
use zorb::{
    CdrResult, CdrWriter, Interface as _, ObjectRef, OnewayQueue, Orb, SystemException, Wire as _,
};

use crate::arguments::Sync;
use crate::dba::Neighbor;

/// The objects of a node's neighbors.
#[derive(Debug)]
pub(crate) struct FullLinks {
    id: NodeId,
    neighbors: Vec<ObjectRef>,
    memo: bool,
}

impl FullLinks {
    pub(crate) fn new(
        id: NodeId,
        neighbors: &[Neighbor],
        (memo, sync): (bool, Sync),
    ) -> Result<Self, SystemException> {
        let policies = match sync {
            Sync::None => Policies::new().with(SyncScope::None).with(OnewayQueue::default()),
            Sync::Transport => Policies::new().with(SyncScope::WithTransport),
        };
        let references = neighbors.iter().filter_map(|neighbor| neighbor.target.as_ref());
        let neighbors = references.map(|node| node.as_object().with_policies(&policies));
        Ok(Self { id, neighbors: neighbors.collect::<Result<_, _>>()?, memo })
    }
}

/// The calls are those of the stubs `value`, `improvement` and `solved`, but a function of its own writes the arguments: it
/// knows when they are encoded, and how often.
impl Links for FullLinks {
    type Error = SystemException;

    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), SystemException> {
        let numbers;
        let (operation, rest): (_, &[u32]) = match *message {
            Message::Value { cycle, color } => {
                numbers = [cycle, color, 0, 0];
                ("value", &numbers[..2])
            }
            Message::Improvement { cycle, improvement } => {
                let Improvement { gain, cost, counter } = improvement;
                numbers = [cycle, gain, cost, counter];
                ("improvement", &numbers)
            }
            Message::Solved => ("solved", &[]),
        };
        let segments = RefCell::new(segments);
        let write = |writer: &mut CdrWriter<'_>| -> CdrResult<()> {
            u32::write(&self.id, writer)?;
            rest.iter().try_for_each(|number| u32::write(number, writer))?;
            segments.borrow_mut().end_marshal();
            Ok(())
        };
        let check = |sent: Result<(), SystemException>| match message {
            // Who has ended need not know.
            Message::Solved => Ok(()),
            _ => sent,
        };
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

thread_local! {
    static ARRIVAL: Cell<u64> = const { Cell::new(0) };
}

/// Reads the clock for each request of the ORB before the ORB looks up the object.
pub(crate) fn watch_arrivals(orb: &Orb, clock: fn() -> u64) {
    let watch = Arc::new(Watch(clock));
    orb.add_server_request_interceptor("arrival", move |_| {
        Some(Arc::clone(&watch) as Arc<dyn ServerRequestInterceptor>)
    });
}

/// When the request of this upcall has arrived, by the clock of [`watch_arrivals`]; 0 without that.
pub(crate) fn arrival() -> u64 {
    ARRIVAL.get()
}

#[derive(Debug)]
struct Watch(fn() -> u64);

impl ServerRequestInterceptor for Watch {
    fn receive_request_service_contexts(
        &self,
        _info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), SystemException> {
        ARRIVAL.set((self.0)());
        Ok(())
    }
}
