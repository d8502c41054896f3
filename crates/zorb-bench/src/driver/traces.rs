//! What the time probes of a process left behind, as one line.

use std::collections::HashMap;
use std::fmt;

use zorb_os::probe::Step;

/// The passages of all threads of a process, and how to read them.
///
/// The text form is `trace cost_ns=N ticks_per_us=N lost=N threads=STEP:TICKS,...;...`, where a step
/// is its number and its ticks are those since the thread's passage before; a thread's first one has
/// none, as nobody knows what was before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traces {
    /// What passing a probe takes, in nanoseconds.
    pub cost_ns: f64,
    /// Ticks of the counter in a microsecond.
    pub ticks_per_us: f64,
    /// Passages that the rings had no room for any more.
    pub lost: u64,
    /// For each thread: steps, and the ticks that each took.
    pub threads: Vec<Vec<(Step, u64)>>,
}

impl Traces {
    /// Reads the text form.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(line: &str) -> Result<Self, String> {
        let Some(rest) = line.strip_prefix("trace ") else {
            return Err(format!("{line:?} where a trace was expected"));
        };
        let pairs: HashMap<&str, &str> =
            rest.split(' ').filter_map(|word| word.split_once('=')).collect();
        let number = |key: &str| -> Result<f64, String> {
            let value = pairs.get(key).and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("{key} is missing or no number"))
        };
        let threads = pairs.get("threads").ok_or("threads is missing")?;
        let traces = Self {
            cost_ns: number("cost_ns")?,
            ticks_per_us: number("ticks_per_us")?,
            lost: number("lost")? as u64,
            threads: threads
                .split(';')
                .filter(|thread| !thread.is_empty())
                .map(|thread| thread.split(',').map(passage).collect())
                .collect::<Result<_, _>>()?,
        };
        match traces.ticks_per_us > 0.0 {
            true => Ok(traces),
            false => Err("the counter stands still".to_owned()),
        }
    }
}

fn passage(text: &str) -> Result<(Step, u64), String> {
    let parsed = text.split_once(':').and_then(|(step, ticks)| {
        Some((*Step::ALL.get(step.parse::<usize>().ok()?)?, ticks.parse().ok()?))
    });
    parsed.ok_or_else(|| format!("{text:?} is no STEP:TICKS"))
}

impl fmt::Display for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cost_ns, ticks_per_us, lost, threads } = self;
        write!(f, "trace cost_ns={cost_ns} ticks_per_us={ticks_per_us} lost={lost} threads=")?;
        for (number, thread) in threads.iter().enumerate() {
            f.write_str(if number == 0 { "" } else { ";" })?;
            for (position, (step, ticks)) in thread.iter().enumerate() {
                let comma = if position == 0 { "" } else { "," };
                write!(f, "{comma}{}:{ticks}", *step as u8)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_read_back() {
        let traces = Traces {
            cost_ns: 8.25,
            ticks_per_us: 2445.5,
            lost: 2,
            threads: vec![
                vec![(Step::Begin, 0), (Step::Marshal, 312)],
                vec![(Step::Receive, 0), (Step::Upcall, 7), (Step::Send, 9)],
            ],
        };
        assert_eq!(Traces::parse(&traces.to_string()), Ok(traces));
        let none = Traces { ticks_per_us: 1000.0, ..Traces::default() };
        assert_eq!(Traces::parse(&none.to_string()), Ok(none));
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for bad in [
            "",
            "failed there is no command",
            "trace cost_ns=1 ticks_per_us=1 lost=0",
            "trace cost_ns=1 ticks_per_us=0 lost=0 threads=",
            "trace cost_ns=1 ticks_per_us=1 lost=0 threads=99:1",
            "trace cost_ns=1 ticks_per_us=1 lost=0 threads=1",
        ] {
            assert!(Traces::parse(bad).is_err(), "{bad}");
        }
    }
}
