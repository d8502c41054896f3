//! Converts packets to requests for members.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use super::collect::{Collected, Collector};
use super::members::Keys;
use super::packet::Packet;
use super::request::{for_member, group_of};
use super::{Shared, counter};
use crate::server::Unpack;

/// Handles the packets of one socket.
#[derive(Debug)]
pub(crate) struct Packets {
    shared: Arc<Shared>,
    collector: Collector,
    /// The number of messages dropped so far.
    dropped: u64,
    /// The last complete message, and the members that have not received it yet.
    whole: Vec<u8>,
    members: Keys,
    next: usize,
}

impl Packets {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            collector: Collector::new(shared.settings().limits),
            dropped: 0,
            whole: Vec::new(),
            members: Arc::default(),
            next: 0,
        }
    }

    /// The name of the counter for a packet's result.
    fn classify(&mut self, datagram: &[u8], from: SocketAddr) -> &'static str {
        let Some(packet) = Packet::parse(datagram) else { return counter::NO_PACKET };
        match self.collector.take(from, &packet, Instant::now(), &mut self.whole) {
            Collected::Part => counter::PARTS,
            Collected::Again => counter::AGAIN,
            Collected::Inconsistent => counter::INCONSISTENT,
            Collected::TooLarge => counter::TOO_LARGE,
            Collected::Whole => match group_of(&self.whole) {
                None => counter::NOT_FOR_A_GROUP,
                Some(group) => {
                    (self.members, self.next) = (self.shared.members.of(&group), 0);
                    if self.members.is_empty() { counter::NOBODY_HERE } else { counter::REQUESTS }
                }
            },
        }
    }
}

impl Unpack for Packets {
    fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        let what = self.classify(datagram, from);
        let counters = &self.shared.counters;
        counters.count(what);
        let dropped = self.collector.dropped();
        for _ in self.dropped..dropped {
            counters.count(counter::GIVEN_UP);
        }
        self.dropped = dropped;
    }

    fn next(&mut self, message: &mut Vec<u8>) -> bool {
        while let Some(key) = self.members.get(self.next) {
            self.next += 1;
            if for_member(&self.whole, key, message).is_some() {
                return true;
            }
        }
        false
    }
}
