//! Converts passages of probes to the times of the steps of calls.

use zorb_os::probe::Step;

use crate::driver::Traces;
use crate::statistics::median;

/// The two sides of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The calling thread.
    Client,
    /// The serving thread.
    Server,
}

/// A row of a table: its name and the steps in it.
pub(super) type Line = (&'static str, &'static [Step]);

impl Side {
    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// The rows of its table, in the order of a call.
    pub(super) const fn lines(self) -> &'static [Line] {
        match self {
            Self::Client => &[
                ("initialisation, object reference", &[Step::Reference]),
                ("marshal", &[Step::Marshal]),
                ("messaging send", &[Step::MessagingSend]),
                ("transport send", &[Step::TransportSend]),
                ("I/O, send", &[Step::Send]),
                ("I/O, wait and receive", &[Step::Receive]),
                ("transport receive", &[Step::TransportReceive]),
                ("messaging receive", &[Step::MessagingReceive]),
                ("demarshal", &[Step::Demarshal]),
            ],
            Self::Server => &[
                ("I/O, wait and receive", &[Step::Receive]),
                ("transport receive", &[Step::TransportReceive]),
                ("messaging receive", &[Step::MessagingReceive]),
                ("parse object key", &[Step::ParseKey]),
                ("POA", &[Step::Adapter]),
                ("servant", &[Step::Servant]),
                ("operation demultiplex", &[Step::Operation]),
                ("upcall", &[Step::Demarshal, Step::Upcall]),
                ("messaging send", &[Step::Marshal, Step::MessagingSend]),
                ("transport send", &[Step::TransportSend]),
                ("I/O, send", &[Step::Send]),
            ],
        }
    }
}

/// The time of each step on one side of a call, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Call([f64; Step::ALL.len()]);

impl Call {
    /// A call whose steps take so many nanoseconds.
    #[cfg(test)]
    pub(super) fn taking(steps: &[(Step, f64)]) -> Self {
        let mut call = Self::default();
        steps.iter().for_each(|(step, nanos)| call.add(*step, *nanos));
        call
    }

    fn add(&mut self, step: Step, nanos: f64) {
        if let Some(sum) = self.0.get_mut(step as usize) {
            *sum += nanos;
        }
    }

    /// The time of some steps together.
    pub(super) fn of(&self, steps: &[Step]) -> f64 {
        steps.iter().filter_map(|step| self.0.get(*step as usize)).sum()
    }

    /// The time of all steps together.
    pub(super) fn whole(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The time of the ORB: all but system calls and the servant's method.
    pub(super) fn orb(&self) -> f64 {
        self.whole() - self.of(&[Step::Send, Step::Receive, Step::Upcall])
    }
}

/// The last `count` calls in the traces of a process, on the thread with the most passages.
pub(super) fn last_calls(side: Side, traces: &Traces, count: usize) -> Vec<Call> {
    let nanos = |ticks: u64| ticks as f64 * 1e3 / traces.ticks_per_us;
    let mut calls = Vec::new();
    let mut call = Call::default();
    for (step, ticks) in traces.busiest() {
        match (side, step) {
            // The time before belongs to the program.
            (Side::Client, Step::Begin) => calls.push(std::mem::take(&mut call)),
            // The time before belongs to sending the reply.
            (Side::Server, Step::Begin) => {
                call.add(Step::MessagingSend, nanos(ticks));
                calls.push(std::mem::take(&mut call));
            }
            _ => call.add(step, nanos(ticks)),
        }
    }
    calls.push(call);
    // The server's last call is incomplete.
    let shows_a_call = match side {
        Side::Client => Step::Receive,
        Side::Server => Step::Operation,
    };
    calls.retain(|call| call.of(&[shows_a_call]) > 0.0);
    calls.split_off(calls.len().saturating_sub(count))
}

/// The median time of calls.
pub(super) fn median_of(calls: &[Call], took: impl Fn(&Call) -> f64) -> f64 {
    median(calls.iter().map(took))
}

/// The mean time of calls.
pub(super) fn mean_of(calls: &[Call], took: impl Fn(&Call) -> f64) -> f64 {
    calls.iter().map(took).sum::<f64>() / calls.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(thread: &[(Step, u64)]) -> Traces {
        let idle = vec![(Step::Receive as u8, 0)];
        let busy = thread.iter().map(|(step, ticks)| (*step as u8, *ticks)).collect();
        // Two ticks per nanosecond.
        Traces { ticks_per_us: 2000.0, threads: vec![idle, busy], ..Traces::default() }
    }

    #[test]
    fn a_clients_steps_begin_and_end_with_its_calls() {
        let call =
            [(Step::Begin, 5000), (Step::Reference, 20), (Step::Send, 200), (Step::Receive, 800)];
        let end = [(Step::Demarshal, 40), (Step::Reference, 10)];
        let thread = [&call[..], &end, &call, &end, &call, &end].concat();
        let calls = last_calls(Side::Client, &traces(&thread), 2);
        assert_eq!(calls.len(), 2);
        for call in calls {
            assert_eq!(call.of(&[Step::Reference]), 15.0);
            assert_eq!(call.of(&[Step::Begin]), 0.0);
            assert_eq!((call.whole(), call.orb()), (535.0, 35.0));
        }
    }

    #[test]
    fn a_servers_turn_that_has_only_begun_is_no_call() {
        let passage = [
            (Step::Receive, 8000),
            (Step::Operation, 60),
            (Step::Upcall, 10),
            (Step::Send, 400),
            (Step::TransportSend, 20),
            (Step::Begin, 30),
            (Step::MessagingReceive, 50),
        ];
        let calls = last_calls(Side::Server, &traces(&[passage, passage].concat()), 10);
        assert_eq!(calls.len(), 2);
        // The end of the receive loop belongs to the call, its start to the next one.
        let of = |step: Step| calls.iter().map(|call| call.of(&[step])).collect::<Vec<_>>();
        assert_eq!(of(Step::MessagingSend), [15.0, 15.0]);
        assert_eq!(of(Step::MessagingReceive), [0.0, 25.0]);
        assert_eq!(mean_of(&calls, |call| call.of(&[Step::Receive])), 4000.0);
        assert_eq!(median_of(&calls, Call::orb), 67.5);
    }

    #[test]
    fn every_step_of_a_call_is_in_one_row() {
        for side in [Side::Client, Side::Server] {
            let mut steps: Vec<Step> =
                side.lines().iter().flat_map(|(_, steps)| steps.iter().copied()).collect();
            let count = steps.len();
            steps.sort_unstable();
            steps.dedup();
            assert_eq!(steps.len(), count, "{side:?}");
        }
        assert!(last_calls(Side::Client, &Traces::default(), 5).is_empty());
    }
}
