//! Commands of the harness to a client.

use std::fmt;
use std::str::FromStr;

use crate::demux::search::Layer;
use crate::operation::{Action, Operation};

/// Maximum payload in octets.
const MAX_PAYLOAD: usize = 64 << 20;
/// Maximum number of objects or operations of a search.
const MAX_TABLE: usize = 100_000;
/// Maximum number of threads of a client.
const MAX_THREADS: usize = 4096;
/// Maximum number of the call of a fresh reference that is timed.
const MAX_FRESH: u32 = 100_000;

/// A command to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Two-way calls, each timed.
    Run(Run),
    /// One-way calls, timed together.
    Flood(Flood),
    /// Lookups of objects and operations, only for processes of [`demux`](crate::demux).
    Find(Find),
}

/// Two-way calls, each timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The operation.
    pub operation: Operation,
    /// Octets of the argument in memory.
    pub payload: usize,
    /// Timed calls of each thread.
    pub calls: u32,
    /// Warm-up calls of each thread.
    pub warm: u32,
    /// Calls that are timed together.
    pub batch: u32,
    /// Number of calling threads.
    pub threads: usize,
    /// Whether they share one connection.
    pub shared: bool,
    /// If not 0, each timed call has a reference and connection of its own, and is the call of that
    /// number, from 1. If 0, all calls use the same connection.
    pub fresh: u32,
    /// Whether such references are bound before their first call.
    pub bound: bool,
    /// Whether the calls that are timed together are all sent before the first reply is awaited.
    pub pipelined: bool,
}

/// One-way calls, timed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood {
    /// The operation.
    pub operation: Operation,
    /// Octets of the argument in memory.
    pub payload: usize,
    /// Number of calls.
    pub calls: u32,
}

/// Lookups of objects and operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    /// What is looked up.
    pub layer: Layer,
    /// Number of objects.
    pub objects: usize,
    /// Number of operations.
    pub operations: usize,
    /// Timed lookups.
    pub calls: u32,
    /// Lookups that are timed together.
    pub batch: u32,
}

impl Run {
    /// Calls of one thread, without warm-up calls.
    #[must_use]
    pub fn new(operation: Operation, payload: usize, calls: u32) -> Self {
        Self {
            operation,
            payload,
            calls,
            warm: 0,
            batch: 1,
            threads: 1,
            shared: false,
            fresh: 0,
            bound: false,
            pipelined: false,
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => {
                let Run { operation, payload, calls, warm, batch, threads, shared, .. } = run;
                write!(f, "run {operation} {payload} {calls} warm={warm} batch={batch}")?;
                write!(f, " threads={threads} shared={}", u8::from(*shared))?;
                // Most peers do not support these.
                if run.fresh > 0 {
                    write!(f, " fresh={} bound={}", run.fresh, u8::from(run.bound))?;
                }
                if run.pipelined {
                    write!(f, " pipelined=1")?;
                }
                Ok(())
            }
            Self::Flood(Flood { operation, payload, calls }) => {
                write!(f, "flood {operation} {payload} {calls}")
            }
            Self::Find(Find { layer, objects, operations, calls, batch }) => {
                write!(f, "find {layer} {objects} {operations} {calls} {batch}")
            }
        }
    }
}

impl FromStr for Command {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split(' ');
        let kind = words.next().unwrap_or_default();
        if kind == "find" {
            return find(&mut words).map(Self::Find);
        }
        let operation: Operation = words.next().unwrap_or_default().parse()?;
        let payload = number(words.next(), "PAYLOAD", 0, MAX_PAYLOAD)?;
        let calls = number(words.next(), "CALLS", 1, u32::MAX)?;
        match (kind, operation.action()) {
            ("run", Action::Echo | Action::Cube | Action::Sum | Action::Local) => {
                let mut run = Run::new(operation, payload, calls);
                for word in words {
                    let (key, value) = word.split_once('=').unwrap_or((word, ""));
                    match key {
                        "warm" => run.warm = number(Some(value), key, 0, u32::MAX)?,
                        "batch" => run.batch = number(Some(value), key, 1, calls)?,
                        "threads" => run.threads = number(Some(value), key, 1, MAX_THREADS)?,
                        "shared" => run.shared = number(Some(value), key, 0, 1)? == 1,
                        "fresh" => run.fresh = number(Some(value), key, 1, MAX_FRESH)?,
                        "bound" => run.bound = number(Some(value), key, 0, 1)? == 1,
                        "pipelined" => run.pipelined = number(Some(value), key, 0, 1)? == 1,
                        _ => return Err(format!("{key:?} is not a key of run")),
                    }
                }
                if calls % run.batch != 0 {
                    return Err(format!("{calls} is not a multiple of {}", run.batch));
                }
                if run.fresh > 0 && (run.batch > 1 || run.threads > 1 || run.shared) {
                    return Err("fresh requires batch=1, threads=1 and shared=0".to_owned());
                }
                if run.pipelined && (run.fresh > 0 || run.shared) {
                    return Err("pipelined requires shared=0 and no fresh".to_owned());
                }
                if run.bound && run.fresh == 0 {
                    return Err("bound requires fresh".to_owned());
                }
                Ok(Self::Run(run))
            }
            ("flood", Action::Sink) => match words.next() {
                None => Ok(Self::Flood(Flood { operation, payload, calls })),
                Some(word) => Err(format!("{word:?} is not a key of flood")),
            },
            ("run" | "flood", _) => Err(format!("{operation} is not for {kind}")),
            _ => Err(format!("there is no command {kind:?}")),
        }
    }
}

fn find<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Find, String> {
    let layer = words.next().unwrap_or_default().parse()?;
    let objects = number(words.next(), "OBJECTS", 1, MAX_TABLE)?;
    let operations = number(words.next(), "OPERATIONS", 1, MAX_TABLE)?;
    let calls = number(words.next(), "CALLS", 1, u32::MAX)?;
    let batch = number(words.next(), "BATCH", 1, calls)?;
    if calls % batch != 0 {
        return Err(format!("{calls} is not a multiple of {batch}"));
    }
    Ok(Find { layer, objects, operations, calls, batch })
}

fn number<T: FromStr + PartialOrd + fmt::Display>(
    word: Option<&str>,
    name: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    let found = word.and_then(|word| word.parse().ok());
    match found.filter(|number| (&least..=&most).contains(&number)) {
        Some(number) => Ok(number),
        None => Err(format!("{name} must be a number from {least} to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_round_trip() {
        let run = Run {
            warm: 20,
            batch: 10,
            threads: 3,
            shared: true,
            ..Run::new(Operation::EchoLongs, 4096, 100)
        };
        let fresh = Run { fresh: 3, bound: true, ..Run::new(Operation::Ping, 0, 9) };
        let pipelined = Run { pipelined: true, batch: 4, ..Run::new(Operation::Ping, 0, 8) };
        let flood = Flood { operation: Operation::SendChars, payload: 1024, calls: 7 };
        let find = Find { layer: Layer::Request, objects: 9, operations: 5, calls: 20, batch: 10 };
        for command in [
            Command::Run(run),
            Command::Run(fresh),
            Command::Run(pipelined),
            Command::Flood(flood),
            Command::Find(find),
        ] {
            assert_eq!(command.to_string().parse(), Ok(command));
        }
        let plain = "run ping 0 5".parse();
        assert_eq!(plain, Ok(Command::Run(Run::new(Operation::Ping, 0, 5))));
    }

    #[test]
    fn invalid_commands_are_rejected() {
        for bad in [
            "",
            "walk ping 0 5",
            "run ping 0",
            "run ping 0 0",
            "run ping -1 5",
            "run ping 0 5 warm",
            "run ping 0 5 cold=1",
            "run ping 0 5 batch=2",
            "run ping 0 5 batch=0",
            "run ping 0 5 threads=5000",
            "run ping 0 5 shared=2",
            "run ping 0 5 fresh=0",
            "run ping 0 5 bound=1",
            "run ping 0 5 fresh=1 threads=2",
            "run ping 0 5 fresh=1 pipelined=1",
            "run ping 0 5 shared=1 pipelined=1",
            "run ping 0 5 fresh=1 shared=1",
            "run send_octets 4 5",
            "find servant 1 1 1 1",
            "find object 0 1 1 1",
            "find object 1 1 3 2",
            "flood ping 0 5",
            "flood send_octets 4 5 warm=1",
            "run echo_octets 99999999999 5",
        ] {
            assert!(bad.parse::<Command>().is_err(), "{bad}");
        }
    }
}
