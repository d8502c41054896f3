//! The connections of one lane or bridge, by slot.

mod eviction;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use zorb_os::lock::Lock;

use crate::connection_count::{ConnectionCount, Counted};
use crate::steady_events::{Event, record};
use crate::swap_slot::SwapSlot;

pub use self::eviction::{Evictable, Evicted, Newcomer, Shares};

/// The number of connections above the limit, while those that make room for them end.
const CLOSING: usize = 16;

/// The table of the connections of a lane or bridge. Reading takes no lock; opening or closing a connection takes one.
#[derive(Debug)]
pub struct Connections<C> {
    slots: Box<[TableSlot<C>]>,
    free: Lock<Free>,
    open: AtomicUsize,
    limits: ConnectionLimits,
    /// How many connections have begun, and how often one to close was searched.
    uses: AtomicU64,
}

/// One slot of the table.
#[derive(Debug)]
struct TableSlot<C> {
    connection: SwapSlot<C>,
    /// How often it has been freed.
    generation: AtomicU32,
}

impl<C> TableSlot<C> {
    fn empty() -> Self {
        Self { connection: SwapSlot::empty(), generation: AtomicU32::new(0) }
    }
}

/// Where a connection is in its table. No later connection in the same slot has the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotKey {
    number: u32,
    generation: u32,
}

impl SlotKey {
    /// The key of a connection that is in no table.
    pub const NONE: Self = Self { number: u32::MAX, generation: 0 };

    /// Packs the key into one number: the slot is the low half, the generation the high half.
    pub fn to_bits(self) -> u64 {
        (u64::from(self.generation) << 32) | u64::from(self.number)
    }

    /// Converts back from [`to_bits`](Self::to_bits).
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    pub fn from_bits(bits: u64) -> Self {
        Self { number: bits as u32, generation: (bits >> 32) as u32 }
    }

    fn index(self) -> usize {
        self.number as usize
    }
}

/// The maximum numbers of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Of all.
    pub total: usize,
    /// To one IP address.
    pub per_peer: usize,
}

/// The most connections to one IP address, unless the option says another number.
const PER_PEER: usize = 512;

impl ConnectionLimits {
    /// Of `total` connections; `per_peer` is the option, with 0 for half of all.
    pub fn new(total: usize, per_peer: usize) -> Self {
        match per_peer {
            0 => Self { total, per_peer: (total / 2).clamp(1, PER_PEER) },
            per_peer => Self { total, per_peer },
        }
    }

    /// By how many `count` connections to a peer exceed the limit, which local ones do not have.
    fn excess_of(&self, peer: Option<IpAddr>, count: usize) -> usize {
        peer.map_or(0, |_| count.saturating_sub(self.per_peer))
    }
}

#[derive(Debug)]
struct Free {
    slots: Vec<u32>,
    /// What is known of the connection in each slot.
    taken: Vec<Option<Taken>>,
    /// The number of slots per address; `None` stands for all local peers.
    counts: HashMap<Option<IpAddr>, usize>,
}

#[derive(Debug)]
struct Taken {
    /// The address of the peer, if it has one.
    peer: Option<IpAddr>,
    /// Its part of the connections of the process.
    _counted: Counted,
}

/// A slot for a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Its key.
    pub slot: SlotKey,
    /// By how many connections limits were exceeded then, this one included.
    pub excess: Excess,
}

/// By how many connections limits are exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excess {
    /// That for connections to the address of the peer, if it has one.
    pub of_peer: usize,
    /// That of the table.
    pub of_table: usize,
    /// That of the process.
    pub of_process: usize,
}

impl<C> Connections<C> {
    /// A table without connections.
    pub fn new(limits: ConnectionLimits) -> Self {
        let count = u32::try_from(limits.total.saturating_add(CLOSING)).unwrap_or(u32::MAX);
        let free = Free {
            slots: (0..count).rev().collect(),
            taken: (0..count).map(|_| None).collect(),
            counts: HashMap::new(),
        };
        Self {
            slots: (0..count).map(|_| TableSlot::empty()).collect(),
            free: Lock::new(free),
            open: AtomicUsize::new(0),
            limits,
            uses: AtomicU64::new(0),
        }
    }

    /// Reserves a slot for a connection to `peer`; `None` while all are taken: then connections that have been closed are
    /// about to end.
    pub fn reserve(&self, peer: Option<IpAddr>) -> Option<Reserved> {
        let mut free = self.free.lock();
        let number = free.slots.pop()?;
        let generation = self.slots.get(number as usize)?.generation.load(Ordering::Relaxed);
        let slot = SlotKey { number, generation };
        let counted = ConnectionCount::of_servers().enter();
        let of_process = counted.excess();
        if let Some(entry) = free.taken.get_mut(slot.index()) {
            *entry = Some(Taken { peer, _counted: counted });
        }
        let count = free.counts.entry(peer).or_default();
        *count += 1;
        let of_peer = self.limits.excess_of(peer, *count);
        drop(free);
        // Before the lane's `stopping` is read: either this connection sees it, or `stop` sees the connection.
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        let of_table = open.saturating_sub(self.limits.total);
        Some(Reserved { slot, excess: Excess { of_peer, of_table, of_process } })
    }

    /// By how many connections limits are exceeded now, the first one by those of `peer`.
    pub fn excess(&self, peer: Option<IpAddr>) -> Excess {
        let free = self.free.lock();
        let count = free.counts.get(&peer).copied().unwrap_or_default();
        Excess {
            of_peer: self.limits.excess_of(peer, count),
            of_table: self.count().saturating_sub(self.limits.total),
            of_process: ConnectionCount::of_servers().excess(),
        }
    }

    /// Frees a slot. Returns whether no connection is left.
    pub fn release(&self, slot: SlotKey) -> bool {
        let mut free = self.free.lock();
        // Under the lock: who sees the empty slot and then asks for the excess sees both or neither.
        let ended = self.slots.get(slot.index()).map(|slot| {
            slot.generation.fetch_add(1, Ordering::Relaxed);
            slot.connection.swap(None)
        });
        record(Event::TableWritten);
        let taken = free.taken.get_mut(slot.index()).and_then(Option::take);
        if let Some(taken) = taken
            && let Entry::Occupied(mut count) = free.counts.entry(taken.peer)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        free.slots.push(slot.number);
        let is_last = self.open.fetch_sub(1, Ordering::AcqRel) == 1;
        drop(free);
        drop(ended);
        is_last
    }

    /// Calls `work` with the connection that has this key, unless it has ended.
    #[inline]
    pub fn with(&self, key: SlotKey, work: impl FnOnce(&Arc<C>)) {
        if let Some(slot) = self.slots.get(key.index())
            && let Some(connection) = &*slot.connection.load()
            // Read after the connection: who sees the next one in the slot also sees that this one has ended.
            && slot.generation.load(Ordering::Relaxed) == key.generation
        {
            work(connection);
        }
    }

    /// Calls `work` with every connection.
    pub fn each(&self, mut work: impl FnMut(&Arc<C>)) {
        let mut left = self.count();
        for slot in &self.slots {
            if left == 0 {
                return;
            }
            if let Some(connection) = &*slot.connection.load() {
                left -= 1;
                work(connection);
            }
        }
    }

    /// All connections.
    pub fn all(&self) -> Vec<Arc<C>> {
        self.slots.iter().filter_map(|slot| slot.connection.load_full()).collect()
    }

    /// Adds the number of connections to each address to `counts`.
    fn add_counts(&self, counts: &mut HashMap<Option<IpAddr>, usize>) {
        for (peer, count) in &self.free.lock().counts {
            *counts.entry(*peer).or_default() += count;
        }
    }

    /// The number of slots that are taken.
    pub fn count(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn one_address_has_half_of_few_connections() {
        let per_peer = |total, option| ConnectionLimits::new(total, option).per_peer;
        assert_eq!([1, 2, 9, 48, 4096].map(|total| per_peer(total, 0)), [1, 1, 4, 24, 512]);
        assert_eq!(per_peer(48, 40), 40);
        let connections = Connections::<()>::new(ConnectionLimits::new(4, 0));
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)));
        let excess = |peer| {
            let reserved = connections.reserve(Some(peer)).unwrap();
            assert_eq!(connections.excess(Some(peer)), reserved.excess);
            (reserved.excess.of_peer, reserved.excess.of_table)
        };
        assert_eq!([one, one].map(excess), [(0, 0); 2]);
        assert_eq!(excess(one), (1, 0));
        assert_eq!(excess(other), (0, 0));
        assert_eq!(excess(other), (0, 1));
        assert_eq!(excess(one), (2, 2));
    }

    #[test]
    fn there_are_slots_for_connections_that_others_make_room_for() {
        let connections = Connections::<()>::new(ConnectionLimits::new(1, 0));
        let slot = || connections.reserve(None).map(|reserved| reserved.slot);
        let taken: Vec<SlotKey> = (0..=CLOSING).map(|_| slot().unwrap()).collect();
        assert_eq!(slot(), None);
        connections.release(taken[0]);
        assert_eq!(slot().map(|slot| slot.number), Some(taken[0].number));
    }

    #[test]
    fn a_key_does_not_find_the_next_connection_in_its_slot() {
        let connections = Connections::<u8>::new(ConnectionLimits::new(1, 0));
        let found = |key: SlotKey| {
            let mut found = None;
            connections.with(SlotKey::from_bits(key.to_bits()), |it| found = Some(**it));
            found
        };
        let mut keys = Vec::new();
        for connection in 1..4 {
            let key = connections.reserve(None).unwrap().slot;
            assert_eq!(found(key), None);
            connections.slots[key.index()].connection.store(Some(Arc::new(connection)));
            assert_eq!(found(key), Some(connection));
            assert!(keys.iter().all(|key| found(*key).is_none()));
            connections.release(key);
            assert_eq!(found(key), None);
            keys.push(key);
        }
        assert!(keys.iter().all(|key| key.number == keys[0].number));
        assert_eq!(found(SlotKey::NONE), None);
    }
}
