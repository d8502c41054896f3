//! Answers of a client.

use std::collections::HashMap;
use std::fmt;

use crate::histogram::Histogram;

/// A client's answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The command was executed, and every reply was correct.
    Done(Done),
    /// The program does not support the command, for this reason.
    Unsupported(String),
    /// The command failed, for this reason.
    Failed(String),
}

/// The measurement of a block. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Timed calls of all threads.
    pub calls: u64,
    /// The time from the start of the first call to the end of the last.
    pub wall_ns: u64,
    /// CPU time of the client's process in that time.
    pub cpu_ns: u64,
    /// CPU time of the server's process: for floods, and for calls if it is known; otherwise 0.
    pub server_cpu_ns: u64,
    /// The sum of all times; not for floods.
    pub sum_ns: u64,
    /// The shortest time.
    pub min_ns: u64,
    /// The longest time.
    pub max_ns: u64,
    /// All times.
    pub histogram: Histogram,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An answer is one line.
        let flat = |text: &str| text.replace(['\n', '\r'], " ");
        match self {
            Self::Done(done) => {
                let Done { calls, wall_ns, cpu_ns, server_cpu_ns, .. } = done;
                let Done { sum_ns, min_ns, max_ns, histogram, .. } = done;
                write!(f, "done check=ok calls={calls} wall_ns={wall_ns} cpu_ns={cpu_ns}")?;
                if histogram.total() == 0 {
                    return write!(f, " server_cpu_ns={server_cpu_ns}");
                }
                if *server_cpu_ns > 0 {
                    write!(f, " server_cpu_ns={server_cpu_ns}")?;
                }
                write!(f, " sum_ns={sum_ns} min_ns={min_ns} max_ns={max_ns} hist={histogram}")
            }
            Self::Unsupported(reason) => write!(f, "unsupported {}", flat(reason)),
            Self::Failed(reason) => write!(f, "failed {}", flat(reason)),
        }
    }
}

impl Answer {
    /// Parses an answer. `timed`: whether single calls were timed, which those of floods are not.
    ///
    /// # Errors
    /// The line is not an answer, or its values are inconsistent.
    pub fn parse(line: &str, timed: bool) -> Result<Self, String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "done" => parse_done(rest, timed).map(Self::Done),
            "unsupported" => Ok(Self::Unsupported(rest.to_owned())),
            "failed" => Ok(Self::Failed(rest.to_owned())),
            _ => Err(format!("{line:?} is not an answer")),
        }
    }
}

fn parse_done(text: &str, timed: bool) -> Result<Done, String> {
    let pairs: HashMap<&str, &str> =
        text.split(' ').filter_map(|word| word.split_once('=')).collect();
    if pairs.get("check") != Some(&"ok") {
        return Err("the replies were not checked".to_owned());
    }
    let number = |key: &str| -> Result<u64, String> {
        let value = pairs.get(key).and_then(|value| value.parse().ok());
        value.ok_or_else(|| format!("{key} is missing or not a number"))
    };
    let mut done = Done {
        calls: number("calls")?,
        wall_ns: number("wall_ns")?,
        cpu_ns: number("cpu_ns")?,
        ..Done::default()
    };
    if timed {
        if pairs.contains_key("server_cpu_ns") {
            done.server_cpu_ns = number("server_cpu_ns")?;
        }
        done.sum_ns = number("sum_ns")?;
        done.min_ns = number("min_ns")?;
        done.max_ns = number("max_ns")?;
        done.histogram = Histogram::parse(pairs.get("hist").copied().unwrap_or_default())?;
        if done.histogram.total() == 0 {
            return Err("the histogram is empty".to_owned());
        }
    } else {
        done.server_cpu_ns = number("server_cpu_ns")?;
    }
    if done.calls == 0 || done.wall_ns == 0 {
        return Err("no calls, or no time for them".to_owned());
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed() -> Done {
        let mut histogram = Histogram::new();
        [900, 1000, 70_000].into_iter().for_each(|time| histogram.record(time));
        let (sum_ns, min_ns, max_ns) = (71_900, 900, 70_000);
        let (calls, wall_ns, cpu_ns) = (3, 75_000, 20_000);
        Done { calls, wall_ns, cpu_ns, server_cpu_ns: 0, sum_ns, min_ns, max_ns, histogram }
    }

    #[test]
    fn answers_round_trip() {
        let flood = Done { calls: 5, wall_ns: 9, cpu_ns: 4, server_cpu_ns: 3, ..Done::default() };
        for (answer, is_timed) in [
            (Answer::Done(timed()), true),
            (Answer::Done(Done { server_cpu_ns: 9, ..timed() }), true),
            (Answer::Done(flood), false),
            (Answer::Unsupported("no such thing".to_owned()), true),
            (Answer::Failed("a wrong reply".to_owned()), false),
        ] {
            assert_eq!(Answer::parse(&answer.to_string(), is_timed), Ok(answer));
        }
    }

    #[test]
    fn a_reason_stays_on_its_line() {
        assert_eq!(Answer::Failed("a\nb".to_owned()).to_string(), "failed a b");
    }

    #[test]
    fn incomplete_answers_are_rejected() {
        let whole = Answer::Done(timed()).to_string();
        for gone in ["check=ok", "calls=3", "wall_ns=75000", "cpu_ns=20000", "max_ns=70000"] {
            assert!(Answer::parse(&whole.replace(gone, ""), true).is_err(), "{gone}");
        }
        assert!(Answer::parse("done check=bad", true).is_err());
        assert!(Answer::parse("hello", true).is_err());
        assert!(Answer::parse(whole.split(" hist=").next().unwrap_or_default(), true).is_err());
    }
}
