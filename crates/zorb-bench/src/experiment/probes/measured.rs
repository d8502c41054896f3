//! Measurements of one operation over one transport.

use zorb_os::probe::Step;

use super::steps::{Call, Side, median_of};
use crate::histogram::Histogram;
use crate::operation::Operation;

/// Measurements of one operation over one transport.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) transport: String,
    /// The copy threshold, if it is one of those that are compared.
    pub(super) threshold: Option<usize>,
    pub(super) operation: Operation,
    pub(super) payload: usize,
    /// The round trips by the clock.
    pub(super) round_trips: Histogram,
    pub(super) sum_ns: u64,
    pub(super) longest_ns: u64,
    pub(super) calls: u64,
    pub(super) client: Vec<Call>,
    pub(super) server: Vec<Call>,
    /// The cost of passing a probe in each block, in nanoseconds.
    pub(super) costs: Vec<f64>,
}

impl Measured {
    /// Without measurements.
    pub(super) fn new(operation: Operation, payload: usize) -> Self {
        Self {
            transport: String::new(),
            threshold: None,
            operation,
            payload,
            round_trips: Histogram::new(),
            sum_ns: 0,
            longest_ns: 0,
            calls: 0,
            client: Vec::new(),
            server: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Adds a block.
    pub(super) fn add(&mut self, block: Self) {
        self.round_trips.merge(&block.round_trips);
        self.sum_ns += block.sum_ns;
        self.longest_ns = self.longest_ns.max(block.longest_ns);
        self.calls += block.calls;
        self.client.extend(block.client);
        self.server.extend(block.server);
        self.costs.extend(block.costs);
    }

    pub(super) fn side(&self, side: Side) -> &[Call] {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    pub(super) fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.calls.max(1) as f64
    }

    /// The median of the measured round trips.
    pub(super) fn p50_ns(&self) -> f64 {
        self.round_trips.quantile(0.5)
    }

    /// The median time of the ORB on both sides.
    pub(super) fn orb_ns(&self) -> f64 {
        let of = |side: Side| median_of(self.side(side), Call::orb);
        of(Side::Client) + of(Side::Server)
    }

    /// The rest of the median round trip: the system, I/O, and waiting for it.
    pub(super) fn system_ns(&self) -> f64 {
        let upcall = |call: &Call| call.of(&[Step::Upcall]);
        self.p50_ns() - self.orb_ns() - median_of(&self.server, upcall)
    }

    pub(super) fn is_void(&self) -> bool {
        self.operation == Operation::Ping
    }
}
