//! Outstanding requests.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use super::request::RequestKind;
use crate::GiopVersion;

/// A request that waits for its reply.
#[derive(Debug)]
pub(super) struct Outstanding<C> {
    pub(super) id: u32,
    pub(super) kind: RequestKind,
    pub(super) state: State,
    /// The version of the request, and of its CancelRequest.
    pub(super) version: GiopVersion,
    /// Whether a part of its reply had arrived when the connection was closed.
    pub(super) partly_answered: bool,
    pub(super) deadline: Option<Duration>,
    /// What the driver has stored for it.
    pub(super) call: C,
}

/// The state of an outstanding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has not been sent as a whole.
    Unsent,
    Sent,
    /// Its reply has arrived.
    Answered,
    /// Its deadline has passed; the flag is whether it was sent.
    TimedOut {
        sent: bool,
    },
}

/// The number of requests that are searched one by one.
const FEW: usize = 16;

/// The outstanding requests of a connection. The first one is stored inline: a connection that is used by one
/// call at a time needs neither allocations nor searches. Few are in a list, and further ones, which callers that
/// do not wait have sent, in a tree.
#[derive(Debug)]
pub(super) struct Requests<C> {
    first: Option<Outstanding<C>>,
    few: Vec<Outstanding<C>>,
    others: BTreeMap<u32, Outstanding<C>>,
}

impl<C> Requests<C> {
    pub(super) const fn new() -> Self {
        Self { first: None, few: Vec::new(), others: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.others.len() + self.few.len() + usize::from(self.first.is_some())
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.few.is_empty() && self.others.is_empty()
    }

    #[inline]
    pub(super) fn insert(&mut self, request: Outstanding<C>) {
        match &self.first {
            None => self.first = Some(request),
            Some(_) if self.few.len() < FEW => self.few.push(request),
            Some(_) => self.insert_other(request),
        }
    }

    #[inline(never)]
    fn insert_other(&mut self, request: Outstanding<C>) {
        self.others.insert(request.id, request);
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<&Outstanding<C>> {
        match &self.first {
            Some(first) if first.id == id => Some(first),
            _ => self.few.iter().find(|request| request.id == id).or_else(|| self.others.get(&id)),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Outstanding<C>> {
        match &mut self.first {
            Some(first) if first.id == id => Some(first),
            _ => match self.few.iter_mut().find(|request| request.id == id) {
                Some(found) => Some(found),
                None => self.others.get_mut(&id),
            },
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u32) -> Option<Outstanding<C>> {
        match &self.first {
            Some(first) if first.id == id => self.first.take(),
            _ => self.remove_other(id),
        }
    }

    fn remove_other(&mut self, id: u32) -> Option<Outstanding<C>> {
        match self.few.iter().position(|request| request.id == id) {
            Some(index) => Some(self.few.swap_remove(index)),
            None => self.others.remove(&id),
        }
    }

    /// Removes the only request if it has a reply. Returns whether there are no more requests.
    #[inline]
    pub(super) fn finish_answered(&mut self) -> bool {
        if self.first.as_ref().is_some_and(|first| first.state == State::Answered) {
            self.first = None;
        }
        self.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Outstanding<C>> {
        self.first.iter().chain(&self.few).chain(self.others.values())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Outstanding<C>> {
        self.first.iter_mut().chain(&mut self.few).chain(self.others.values_mut())
    }
}
