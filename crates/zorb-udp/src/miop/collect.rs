//! Messages put together from packets that may be lost, doubled, overtaken, or lies.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::packet::Packet;

/// What senders, who may be anybody, can make a receiver hold and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectLimits {
    /// The most octets of a message. Default: 1 MiB. Senders hold themselves to it as well.
    pub message: usize,
    /// The most messages of which some packets are here; the oldest makes room. Default: 64.
    pub messages: usize,
    /// The most octets of all of them together. Default: 8 MiB.
    pub octets: usize,
    /// The most packets of a message. Default: 4096.
    pub packets: u32,
    /// After how long a message that is not complete is given up. Default: 2 seconds.
    pub reassembly_timeout: Duration,
    /// How many messages are remembered after they were complete, to know their packets when they come
    /// once more. Default: 128.
    pub remembered: usize,
}

impl Default for CollectLimits {
    fn default() -> Self {
        Self {
            message: 1 << 20,
            messages: 64,
            octets: 8 << 20,
            packets: 4096,
            reassembly_timeout: Duration::from_secs(2),
            remembered: 128,
        }
    }
}

/// What a packet came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collected {
    /// A message is complete.
    Whole,
    /// More packets are awaited.
    Part,
    /// It has been here before.
    Again,
    /// It contradicts what others of its message say.
    Inconsistent,
    /// Its message is larger than messages may be, and given up.
    TooLarge,
}

/// Puts messages together. It reads no clock: whoever gives it a packet says what time it is.
#[derive(Debug, Default)]
pub struct Collector {
    limits: CollectLimits,
    /// The oldest first.
    open: VecDeque<Open>,
    /// Octets in all of them.
    octets: usize,
    done: VecDeque<Name>,
    given_up: u64,
}

/// Who sent a message, and which.
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

/// A message of which some packets are here.
#[derive(Debug)]
struct Open {
    name: Name,
    begun: Instant,
    /// How many packets it has, once one has said so.
    count: Option<u32>,
    parts: BTreeMap<u32, Box<[u8]>>,
    octets: usize,
}

impl Collector {
    /// A collector with these limits.
    #[must_use]
    pub fn new(limits: CollectLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Messages that were given up before they were complete.
    #[must_use]
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// Takes a packet that came at `now`. The message that is [`Whole`](Collected::Whole) with it is put
    /// into `message`, which is left alone otherwise.
    pub fn take(
        &mut self,
        from: SocketAddr,
        packet: &Packet<'_>,
        now: Instant,
        message: &mut Vec<u8>,
    ) -> Collected {
        self.give_up_old(now);
        if self.done.iter().any(|done| done.is(from, packet.id)) {
            return Collected::Again;
        }
        if packet.number == 0 && packet.last {
            return self.take_alone(from, packet, message);
        }
        let Some(place) = self.place(from, packet.id, now) else { return Collected::TooLarge };
        let found = self.add(place, packet);
        match found {
            Collected::Whole => {
                if let Some(open) = self.close(place) {
                    message.clear();
                    open.parts.values().for_each(|part| message.extend_from_slice(part));
                    self.remember(open.name);
                }
            }
            Collected::TooLarge => {
                if let Some(open) = self.close(place) {
                    self.given_up += 1;
                    // Its other packets are not to begin it anew.
                    self.remember(open.name);
                }
            }
            // The oldest makes room, be it this one.
            Collected::Part => {
                while self.octets > self.limits.octets && !self.open.is_empty() {
                    self.give_up_first();
                }
            }
            Collected::Again | Collected::Inconsistent => {}
        }
        found
    }

    /// A message of one packet waits for nothing.
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
        message.extend_from_slice(packet.payload);
        self.remember(Name { from, id: packet.id.into() });
        Collected::Whole
    }

    /// Where the message of a packet is, a new one if need be.
    fn place(&mut self, from: SocketAddr, id: &[u8], now: Instant) -> Option<usize> {
        if let Some(place) = self.open.iter().position(|open| open.name.is(from, id)) {
            return Some(place);
        }
        if self.limits.messages == 0 {
            return None;
        }
        while self.open.len() >= self.limits.messages {
            self.give_up_first();
        }
        let name = Name { from, id: id.into() };
        let (parts, octets) = (BTreeMap::new(), 0);
        self.open.push_back(Open { name, begun: now, count: None, parts, octets });
        Some(self.open.len() - 1)
    }

    fn add(&mut self, place: usize, packet: &Packet<'_>) -> Collected {
        let Some(open) = self.open.get_mut(place) else { return Collected::Inconsistent };
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
            // The last one is known only now: there must be none beyond it.
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
        open.count = open.count.or(says);
        open.octets += packet.payload.len();
        open.parts.insert(packet.number, packet.payload.into());
        let is_whole = open.count.is_some_and(|count| open.parts.len() == count as usize);
        self.octets += packet.payload.len();
        if is_whole { Collected::Whole } else { Collected::Part }
    }

    fn close(&mut self, place: usize) -> Option<Open> {
        let open = self.open.remove(place)?;
        self.octets -= open.octets;
        Some(open)
    }

    fn give_up_first(&mut self) {
        if let Some(open) = self.open.pop_front() {
            self.octets -= open.octets;
            self.given_up += 1;
        }
    }

    fn give_up_old(&mut self, now: Instant) {
        let reassembly_timeout = self.limits.reassembly_timeout;
        while let Some(first) = self.open.front()
            && now.saturating_duration_since(first.begun) > reassembly_timeout
        {
            self.give_up_first();
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
