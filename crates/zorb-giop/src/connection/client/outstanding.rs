//! Outstanding requests.

use alloc::vec::Vec;
use core::time::Duration;

use super::RequestIds;
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

/// What has become of a request whose reply has arrived.
pub(super) enum Answered<C> {
    /// None waits for it.
    Nothing,
    /// It stays outstanding.
    Kept,
    /// It was removed.
    Finished(C),
}

/// The fewest slots of ids.
const FEWEST: usize = 16;

/// The most slots that are kept when no request has one.
const MOST_FREE: usize = 1024;

/// The outstanding requests of a connection. The first one is stored inline: a connection that is used by one
/// call at a time needs neither allocations nor searches. The others are found by their ids: successive ids have
/// successive slots.
#[derive(Debug)]
pub(super) struct Requests<C> {
    first: Option<Outstanding<C>>,
    /// The others, by the [slot](Self::slot) of the id. At least half of the slots are free.
    slots: Vec<Option<Outstanding<C>>>,
    /// The number of the others.
    others: usize,
}

impl<C> Requests<C> {
    pub(super) const fn new() -> Self {
        Self { first: None, slots: Vec::new(), others: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.others + usize::from(self.first.is_some())
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others == 0
    }

    /// The next id that a further request can have. An id whose slot is taken is passed over.
    #[inline]
    pub(super) fn free_id(&mut self, ids: &mut RequestIds) -> Option<u32> {
        if self.slots.len() <= 2 * self.others {
            self.add_slots();
        }
        ids.allocate_free(|id| {
            Self::has(&self.first, id) || self.slots.get(self.slot(id)).is_none_or(Option::is_some)
        })
    }

    #[cold]
    fn add_slots(&mut self) {
        let count = (2 * self.slots.len()).max(FEWEST);
        let mut slots = Vec::new();
        slots.resize_with(count, || None);
        let before = core::mem::replace(&mut self.slots, slots);
        for request in before.into_iter().flatten() {
            let slot = self.slot(request.id);
            if let Some(free) = self.slots.get_mut(slot) {
                *free = Some(request);
            }
        }
    }

    /// The slot of an id; the number of slots is a power of two. All ids of a side are even, or all are odd.
    #[inline]
    fn slot(&self, id: u32) -> usize {
        (id / 2) as usize & self.slots.len().wrapping_sub(1)
    }

    /// Whether the request in this place has the id.
    #[inline]
    fn has(place: &Option<Outstanding<C>>, id: u32) -> bool {
        place.as_ref().is_some_and(|request| request.id == id)
    }

    /// The place of the request with this id, if it is one of the others.
    #[inline]
    fn place(&mut self, id: u32) -> Option<&mut Option<Outstanding<C>>> {
        let slot = self.slot(id);
        self.slots.get_mut(slot).filter(|place| Self::has(place, id))
    }

    /// Adds a request, whose id is a [free](Self::free_id) one if there are others.
    #[inline(always)] // 1 % of a pending call
    pub(super) fn insert(&mut self, request: Outstanding<C>) {
        let slot = self.slot(request.id);
        let place = match &self.first {
            None => &mut self.first,
            Some(_) => {
                let Some(free) = self.slots.get_mut(slot) else { return };
                self.others += 1;
                free
            }
        };
        // It is free, so nothing is to be dropped.
        core::mem::forget(place.replace(request));
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<&Outstanding<C>> {
        match &self.first {
            Some(first) if first.id == id => Some(first),
            _ => self.slots.get(self.slot(id))?.as_ref().filter(|request| request.id == id),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Outstanding<C>> {
        if Self::has(&self.first, id) {
            return self.first.as_mut();
        }
        self.place(id)?.as_mut()
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u32) -> Option<Outstanding<C>> {
        match &self.first {
            Some(first) if first.id == id => self.first.take(),
            _ => self.remove_other(id),
        }
    }

    /// Notes that the reply to a request has arrived, and removes that if `wanted` selects what the driver has stored.
    #[inline]
    pub(super) fn answer(&mut self, id: u32, wanted: impl FnOnce(&C) -> bool) -> Answered<C> {
        let waits = |request: &Outstanding<C>| {
            request.kind == RequestKind::Twoway
                && matches!(request.state, State::Sent | State::Unsent)
        };
        let is_first = Self::has(&self.first, id);
        let place = match is_first {
            true => &mut self.first,
            false => match self.place(id) {
                Some(place) => place,
                None => return Answered::Nothing,
            },
        };
        match place {
            Some(request) if waits(request) => {
                if !wanted(&request.call) {
                    request.state = State::Answered;
                    return Answered::Kept;
                }
            }
            _ => return Answered::Nothing,
        }
        let answered = place.take();
        if !is_first {
            self.one_less();
        }
        answered.map_or(Answered::Nothing, |request| Answered::Finished(request.call))
    }

    #[inline(never)]
    fn remove_other(&mut self, id: u32) -> Option<Outstanding<C>> {
        let removed = self.place(id)?.take();
        self.one_less();
        removed
    }

    /// One of the others was removed.
    #[inline]
    fn one_less(&mut self) {
        self.others -= 1;
        if self.others == 0 {
            self.free_slots();
        }
    }

    /// Frees the memory of a peak, over which every search for late requests would go.
    #[cold]
    fn free_slots(&mut self) {
        if self.slots.len() > MOST_FREE {
            self.slots = Vec::new();
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
        self.first.iter().chain(self.slots.iter().flatten())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Outstanding<C>> {
        self.first.iter_mut().chain(self.slots.iter_mut().flatten())
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    fn request(id: u32) -> Outstanding<u32> {
        Outstanding {
            id,
            kind: RequestKind::Twoway,
            state: State::Sent,
            version: GiopVersion::V1_2,
            partly_answered: false,
            deadline: None,
            call: !id,
        }
    }

    fn ids_of(requests: &Requests<u32>) -> BTreeSet<u32> {
        requests.iter().map(|request| request.id).collect()
    }

    #[test]
    fn requests_are_found_by_their_ids_however_many_there_are() {
        let (mut requests, mut ids) = (Requests::new(), RequestIds::initiator());
        let mut expected = BTreeSet::new();
        for round in 0..5_000_u32 {
            let id = requests.free_id(&mut ids).unwrap();
            assert!(requests.get(id).is_none() && expected.insert(id));
            requests.insert(request(id));
            // Two of three are answered later, in another order; the others stay.
            if round % 3 > 0 {
                let answered = expected.iter().copied().nth((round as usize * 7) % expected.len());
                let answered = answered.unwrap();
                assert_eq!(requests.remove(answered).map(|request| request.call), Some(!answered));
                assert!(requests.remove(answered).is_none());
                expected.remove(&answered);
            }
        }
        assert_eq!((requests.len(), ids_of(&requests)), (expected.len(), expected.clone()));
        for &id in &expected {
            assert_eq!(requests.get_mut(id).map(|request| request.id), Some(id));
            assert!(requests.get(id + 1).is_none());
        }
        assert!(requests.slots.len() > MOST_FREE);
        for id in expected {
            assert!(requests.remove(id).is_some());
        }
        assert!(requests.is_empty());
        assert_eq!(requests.slots.len(), 0, "those of the peak are freed");
    }

    #[test]
    fn ids_of_requests_that_last_are_passed_over() {
        let (mut requests, mut ids) = (Requests::new(), RequestIds::acceptor());
        let mut lasting = BTreeSet::new();
        for _ in 0..3 {
            let id = requests.free_id(&mut ids).unwrap();
            requests.insert(request(id));
            lasting.insert(id);
        }
        for _ in 0..10 * FEWEST {
            let id = requests.free_id(&mut ids).unwrap();
            assert!(requests.get(id).is_none());
            requests.insert(request(id));
            assert_eq!(requests.remove(id).map(|request| request.id), Some(id));
        }
        assert_eq!(requests.slots.len(), FEWEST);
        assert_eq!(ids_of(&requests), lasting);
    }
}
