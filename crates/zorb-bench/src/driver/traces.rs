//! The time probes that the threads of a process have passed, as one line of JSON.

use serde::{Deserialize, Serialize};
use zorb_os::probe::Step;

/// The passages of all threads of a process, and how to read them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traces {
    /// The cost of passing a probe, in nanoseconds.
    pub cost_ns: f64,
    /// Ticks of the counter in a microsecond.
    pub ticks_per_us: f64,
    /// Passages that did not fit into the rings.
    pub lost: u64,
    /// The passages of each thread: the number of the step, and the ticks since the passage before.
    /// The first has 0.
    pub threads: Vec<Vec<(u8, u64)>>,
}

impl Traces {
    /// Parses a line.
    ///
    /// # Errors
    /// Why the line is not valid.
    pub fn parse(line: &str) -> Result<Self, String> {
        let traces: Self = serde_json::from_str(line)
            .map_err(|error| format!("{line:?} where a trace was expected: {error}"))?;
        let mut steps = traces.threads.iter().flatten().map(|(step, _)| usize::from(*step));
        if let Some(unknown) = steps.find(|step| *step >= Step::ALL.len()) {
            return Err(format!("there is no step {unknown}"));
        }
        match traces.ticks_per_us > 0.0 {
            true => Ok(traces),
            false => Err("the counter stands still".to_owned()),
        }
    }

    /// The line.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn line(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    /// The steps and ticks of the thread that passed most probes.
    pub fn busiest(&self) -> impl Iterator<Item = (Step, u64)> + '_ {
        let thread = self.threads.iter().max_by_key(|thread| thread.len());
        let passages = thread.into_iter().flatten();
        passages.filter_map(|(step, ticks)| Some((*Step::ALL.get(usize::from(*step))?, *ticks)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_read_back() {
        let threads = vec![vec![(0, 0), (3, 312)], vec![(5, 0), (7, 7), (2, 9)]];
        let traces = Traces { cost_ns: 8.25, ticks_per_us: 2445.5, lost: 2, threads };
        assert_eq!(Traces::parse(&traces.line().unwrap()), Ok(traces));
    }

    #[test]
    fn invalid_lines_are_rejected() {
        let of = |ticks_per_us, threads| Traces { ticks_per_us, threads, ..Traces::default() };
        for bad in [of(0.0, Vec::new()), of(1.0, vec![vec![(99, 1)]])] {
            assert!(Traces::parse(&bad.line().unwrap()).is_err(), "{bad:?}");
        }
        for bad in ["", "failed there is no command", "{\"cost_ns\":1}"] {
            assert!(Traces::parse(bad).is_err(), "{bad}");
        }
    }
}
