//! The requests of a connection that wait for their replies.

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
    /// What it was written in, and its CancelRequest will be.
    pub(super) version: GiopVersion,
    /// Whether a part of its reply had come when the connection was closed.
    pub(super) partly_answered: bool,
    pub(super) deadline: Option<Duration>,
    /// What the driver keeps for it.
    pub(super) call: C,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The transport has not taken all of it yet.
    Unsent,
    Sent,
    /// Its reply has come.
    Answered,
    /// Its deadline has passed; the flag says whether it was sent.
    TimedOut {
        sent: bool,
    },
}

/// All of them. The first has a place of its own: a connection that is used by one call at a time
/// allocates nothing and searches nothing.
#[derive(Debug)]
pub(super) struct Requests<C> {
    first: Option<Outstanding<C>>,
    others: Vec<Outstanding<C>>,
}

impl<C> Requests<C> {
    pub(super) const fn new() -> Self {
        Self { first: None, others: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.others.len() + usize::from(self.first.is_some())
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    #[inline]
    pub(super) fn insert(&mut self, request: Outstanding<C>) {
        match &self.first {
            None => self.first = Some(request),
            Some(_) => self.others.push(request),
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<&Outstanding<C>> {
        match &self.first {
            Some(first) if first.id == id => Some(first),
            _ => self.others.iter().find(|request| request.id == id),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Outstanding<C>> {
        match &mut self.first {
            Some(first) if first.id == id => Some(first),
            _ => self.others.iter_mut().find(|request| request.id == id),
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
        let index = self.others.iter().position(|request| request.id == id)?;
        Some(self.others.swap_remove(index))
    }

    /// Empties it if nothing but one request with a reply is left; whether it is empty then.
    #[inline]
    pub(super) fn finish_answered(&mut self) -> bool {
        if self.first.as_ref().is_some_and(|first| first.state == State::Answered) {
            self.first = None;
        }
        self.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Outstanding<C>> {
        self.first.iter().chain(&self.others)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Outstanding<C>> {
        self.first.iter_mut().chain(&mut self.others)
    }
}
