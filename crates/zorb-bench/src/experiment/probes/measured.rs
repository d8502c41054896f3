//! Measurements of calls with one payload over one transport.

use zorb_os::probe::Step;

use super::steps::{Call, Side, last_calls, median_of};
use crate::driver::{Answer, Command, Done, Run};
use crate::error::{Error, Result};
use crate::experiment::workloads::WARM;
use crate::harness::Pair;
use crate::operation::Operation;

/// Measurements of calls with one payload over one transport.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) transport: String,
    /// The copy threshold, if it is one of those that are compared.
    pub(super) threshold: Option<usize>,
    /// Octets; 0 for a call without arguments.
    pub(super) payload: usize,
    /// The round trips by the clock.
    round_trips: Done,
    pub(super) client: Vec<Call>,
    pub(super) server: Vec<Call>,
    /// The cost of passing a probe in each block, in nanoseconds.
    pub(super) costs: Vec<f64>,
}

impl Measured {
    /// Without measurements.
    pub(super) fn new(transport: &str, threshold: Option<usize>, payload: usize) -> Self {
        Self { transport: transport.to_owned(), threshold, payload, ..Self::default() }
    }

    /// Of two calls that took as long.
    #[cfg(test)]
    pub(super) fn of(mut self, [client, server]: [Call; 2], round_trip_ns: u64, cost: f64) -> Self {
        (self.client, self.server, self.costs) = (vec![client; 2], vec![server; 2], vec![cost]);
        self.round_trips.calls = 2;
        self.round_trips.sum_ns = 2 * round_trip_ns;
        self.round_trips.histogram.record(round_trip_ns);
        self.round_trips.histogram.record(round_trip_ns);
        self
    }

    /// Makes calls, and adds their measurements.
    pub(super) fn block(&mut self, pair: &mut Pair, calls: u32) -> Result<()> {
        pair.mark().map_err(|error| error.during("the program has no time probes"))?;
        let run = Run::new(self.operation(), self.payload, calls);
        let done = match pair.ask(&Command::Run(Run { warm: WARM.min(calls), ..run }))? {
            Answer::Done(done) => done,
            Answer::Unsupported(reason) | Answer::Failed(reason) => return Err(Error::new(reason)),
        };
        let [client, server] = pair.traces()?;
        if client.lost + server.lost > 0 {
            return Err(Error::new("the calls passed more probes than the rings can record"));
        }
        let count = calls as usize;
        let client_calls = last_calls(Side::Client, &client, count);
        let server_calls = last_calls(Side::Server, &server, count);
        if client_calls.len() != count || server_calls.is_empty() {
            return Err(Error::new("the probes do not show the calls"));
        }
        self.client.extend(client_calls);
        self.server.extend(server_calls);
        self.costs.extend([client.cost_ns, server.cost_ns]);
        self.round_trips.calls += done.calls;
        self.round_trips.sum_ns += done.sum_ns;
        self.round_trips.max_ns = self.round_trips.max_ns.max(done.max_ns);
        self.round_trips.histogram.merge(&done.histogram);
        Ok(())
    }

    /// The round trips, and each step of both sides, with their names.
    pub(super) fn parts(&self) -> Vec<(String, Done)> {
        let mut parts = vec![("round trip".to_owned(), self.round_trips.clone())];
        for side in [Side::Client, Side::Server] {
            for (name, steps) in side.lines() {
                let times: Vec<f64> = self.side(side).iter().map(|call| call.of(steps)).collect();
                let mut done = Done {
                    calls: times.len() as u64,
                    sum_ns: times.iter().sum::<f64>().round() as u64,
                    max_ns: times.iter().copied().fold(0.0, f64::max).round() as u64,
                    ..Done::default()
                };
                times.iter().for_each(|time| done.histogram.record(time.round() as u64));
                parts.push((format!("{}/{name}", side.name()), done));
            }
        }
        parts
    }

    pub(super) fn operation(&self) -> Operation {
        if self.is_void() { Operation::Ping } else { Operation::EchoOctets }
    }

    /// Operation and payload.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.operation(), self.payload)
    }

    pub(super) fn is_void(&self) -> bool {
        self.payload == 0
    }

    pub(super) fn side(&self, side: Side) -> &[Call] {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// The mean of the measured round trips.
    pub(super) fn mean_ns(&self) -> f64 {
        self.round_trips.sum_ns as f64 / self.round_trips.calls.max(1) as f64
    }

    /// The median of the measured round trips.
    pub(super) fn p50_ns(&self) -> f64 {
        self.round_trips.histogram.quantile(0.5)
    }

    /// The median time of the ORB on both sides.
    pub(super) fn orb_ns(&self) -> f64 {
        median_of(&self.client, Call::orb) + median_of(&self.server, Call::orb)
    }

    /// The rest of the median round trip: the system, I/O, and waiting for it.
    pub(super) fn system_ns(&self) -> f64 {
        let upcall = |call: &Call| call.of(&[Step::Upcall]);
        self.p50_ns() - self.orb_ns() - median_of(&self.server, upcall)
    }
}
