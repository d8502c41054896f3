//! Reassembly of messages from packets that may be lost, duplicated, reordered or forged.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use super::packet::Packet;

/// The limits of what senders can make a receiver store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReassemblyLimits {
    /// The maximum size of a message in octets. Default: 1 MiB. It also applies to sending.
    pub message: usize,
    /// The maximum number of incomplete messages; a new one evicts the oldest of the
    /// address that has most. Default: 64.
    pub messages: usize,
    /// The maximum number of octets of all incomplete messages. Default: 8 MiB.
    pub octets: usize,
    /// The maximum number of packets of a message. Default: 4096.
    pub packets: u32,
    /// How long an incomplete message is stored. Default: 2 seconds.
    pub reassembly_timeout: Duration,
    /// The number of complete messages that are remembered, to detect duplicates of their packets.
    /// Default: 128.
    pub remembered: usize,
}

impl ReassemblyLimits {
    /// The defaults, as a constant.
    pub const DEFAULT: Self = Self {
        message: 1 << 20,
        messages: 64,
        octets: 8 << 20,
        packets: 4096,
        reassembly_timeout: Duration::from_secs(2),
        remembered: 128,
    };

    /// Sets the maximum size of a message in octets.
    #[must_use]
    pub const fn message(mut self, message: usize) -> Self {
        self.message = message;
        self
    }

    /// Sets the maximum number of incomplete messages.
    #[must_use]
    pub const fn messages(mut self, messages: usize) -> Self {
        self.messages = messages;
        self
    }

    /// Sets the maximum number of octets of all incomplete messages.
    #[must_use]
    pub const fn octets(mut self, octets: usize) -> Self {
        self.octets = octets;
        self
    }

    /// Sets the maximum number of packets of a message.
    #[must_use]
    pub const fn packets(mut self, packets: u32) -> Self {
        self.packets = packets;
        self
    }

    /// Sets the time for which an incomplete message is stored.
    #[must_use]
    pub const fn reassembly_timeout(mut self, reassembly_timeout: Duration) -> Self {
        self.reassembly_timeout = reassembly_timeout;
        self
    }

    /// Sets the number of complete messages that are remembered.
    #[must_use]
    pub const fn remembered(mut self, remembered: usize) -> Self {
        self.remembered = remembered;
        self
    }
}

impl Default for ReassemblyLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The result for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collected {
    /// It completes a message.
    Whole,
    /// More packets are missing.
    Part,
    /// It is a duplicate.
    Again,
    /// It contradicts other packets of its message.
    Inconsistent,
    /// Its message exceeds a limit, or there is no memory for it; it is dropped.
    TooLarge,
}

/// Reassembles messages. It reads no clock: the caller passes the time.
#[derive(Debug, Default)]
pub struct Collector {
    limits: ReassemblyLimits,
    /// The oldest first.
    open: VecDeque<Open>,
    /// Octets in all of them.
    octets: usize,
    done: VecDeque<Name>,
    dropped: u64,
}

/// The sender and id of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    from: SocketAddr,
    id: Box<[u8]>,
}

impl Name {
    fn is(&self, from: SocketAddr, id: &[u8]) -> bool {
        self.from == from && *self.id == *id
    }
}

/// An incomplete message.
#[derive(Debug)]
struct Open {
    name: Name,
    begun: Instant,
    /// The number of packets, once it is known.
    count: Option<u32>,
    parts: BTreeMap<u32, Box<[u8]>>,
    octets: usize,
}

impl Collector {
    /// A collector with these limits.
    #[must_use]
    pub fn new(limits: ReassemblyLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The number of messages dropped before they were complete.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Handles a packet that arrived at `now`. If it completes a message
    /// ([`Whole`](Collected::Whole)), that is written to `message`, which is unchanged otherwise.
    pub fn take(
        &mut self,
        from: SocketAddr,
        packet: &Packet<'_>,
        now: Instant,
        message: &mut Vec<u8>,
    ) -> Collected {
        self.drop_expired(now);
        if self.done.iter().any(|done| done.is(from, packet.id)) {
            return Collected::Again;
        }
        if packet.number == 0 && packet.last {
            return self.take_alone(from, packet, message);
        }
        let Some(index) = self.index(from, packet.id, now) else { return Collected::TooLarge };
        let found = self.add(index, packet);
        match found {
            Collected::Whole => {
                if let Some(open) = self.close(index) {
                    message.clear();
                    let has_memory = message.try_reserve_exact(open.octets).is_ok();
                    if has_memory {
                        open.parts.values().for_each(|part| message.extend_from_slice(part));
                    }
                    self.remember(open.name);
                    if !has_memory {
                        self.dropped += 1;
                        return Collected::TooLarge;
                    }
                }
            }
            Collected::TooLarge => {
                if let Some(open) = self.close(index) {
                    self.dropped += 1;
                    // Its other packets must not start it again.
                    self.remember(open.name);
                }
            }
            // One of whoever has most is evicted, possibly this one.
            Collected::Part => {
                while self.octets > self.limits.octets && !self.open.is_empty() {
                    self.drop_of_greediest(|open| open.octets);
                }
            }
            Collected::Again | Collected::Inconsistent => {}
        }
        found
    }

    /// A message of one packet is complete at once.
    fn take_alone(
        &mut self,
        from: SocketAddr,
        packet: &Packet<'_>,
        message: &mut Vec<u8>,
    ) -> Collected {
        if packet.payload.len() > self.limits.message {
            return Collected::TooLarge;
        }
        if self.open.iter().any(|open| open.name.is(from, packet.id)) {
            return Collected::Inconsistent;
        }
        message.clear();
        if message.try_reserve_exact(packet.payload.len()).is_err() {
            return Collected::TooLarge;
        }
        message.extend_from_slice(packet.payload);
        self.remember(Name { from, id: packet.id.into() });
        Collected::Whole
    }

    /// The message of a packet, created if necessary.
    fn index(&mut self, from: SocketAddr, id: &[u8], now: Instant) -> Option<usize> {
        if let Some(index) = self.open.iter().position(|open| open.name.is(from, id)) {
            return Some(index);
        }
        if self.limits.messages == 0 {
            return None;
        }
        while self.open.len() >= self.limits.messages {
            self.drop_of_greediest(|_| 1);
        }
        let name = Name { from, id: id.into() };
        let (parts, octets) = (BTreeMap::new(), 0);
        self.open.push_back(Open { name, begun: now, count: None, parts, octets });
        Some(self.open.len() - 1)
    }

    fn add(&mut self, index: usize, packet: &Packet<'_>) -> Collected {
        let Some(open) = self.open.get_mut(index) else { return Collected::Inconsistent };
        let says = match (packet.count, packet.last) {
            (0, true) => packet.number.checked_add(1),
            (0, false) => None,
            (count, _) => Some(count),
        };
        if open.count.or(says).unwrap_or(packet.number) > self.limits.packets
            || packet.number >= self.limits.packets
        {
            return Collected::TooLarge;
        }
        let contradicts = match (open.count, says) {
            (Some(known), Some(said)) if known != said => true,
            (Some(known), _) => packet.number >= known,
            // The last packet is known only now: there must be none after it.
            (None, Some(said)) => {
                open.parts.last_key_value().is_some_and(|(last, _)| *last >= said)
            }
            (None, None) => false,
        };
        if contradicts {
            return Collected::Inconsistent;
        }
        if open.parts.contains_key(&packet.number) {
            return Collected::Again;
        }
        if open.octets + packet.payload.len() > self.limits.message {
            return Collected::TooLarge;
        }
        let mut part = Vec::new();
        if part.try_reserve_exact(packet.payload.len()).is_err() {
            return Collected::TooLarge;
        }
        part.extend_from_slice(packet.payload);
        open.count = open.count.or(says);
        open.octets += packet.payload.len();
        open.parts.insert(packet.number, part.into());
        let is_whole = open.count.is_some_and(|count| open.parts.len() == count as usize);
        self.octets += packet.payload.len();
        if is_whole { Collected::Whole } else { Collected::Part }
    }

    fn close(&mut self, index: usize) -> Option<Open> {
        let open = self.open.remove(index)?;
        self.octets -= open.octets;
        Some(open)
    }

    /// Drops the oldest message of the address that has most, as `size` tells: whoever sends many keeps no others out.
    fn drop_of_greediest(&mut self, size: impl Fn(&Open) -> usize) {
        let mut sizes = BTreeMap::<IpAddr, usize>::new();
        for open in &self.open {
            *sizes.entry(open.name.from.ip()).or_default() += size(open);
        }
        let most = sizes.values().copied().max();
        // If several have as many, the oldest of all of these.
        let oldest = self.open.iter().position(|open| {
            let sizes = sizes.get(&open.name.from.ip());
            sizes.copied() == most
        });
        if let Some(open) = oldest.and_then(|oldest| self.open.remove(oldest)) {
            self.octets -= open.octets;
            self.dropped += 1;
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(open) = self.open.pop_front() {
            self.octets -= open.octets;
            self.dropped += 1;
        }
    }

    fn drop_expired(&mut self, now: Instant) {
        let reassembly_timeout = self.limits.reassembly_timeout;
        while let Some(first) = self.open.front()
            && now.saturating_duration_since(first.begun) > reassembly_timeout
        {
            self.drop_oldest();
        }
    }

    fn remember(&mut self, name: Name) {
        if self.limits.remembered == 0 {
            return;
        }
        while self.done.len() >= self.limits.remembered {
            self.done.pop_front();
        }
        self.done.push_back(name);
    }
}
