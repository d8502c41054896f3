//! The command `run`.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

use crate::times::Times;
use crate::values::Structs;
use crate::{Client, Refusal};

/// Calls of one thread.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// Octets of the structs of `view_structs`; `None` calls `ping`.
    structs: Option<usize>,
    calls: u32,
    warm: u32,
    batch: u32,
    pipelined: bool,
}

impl Run {
    fn parse(line: &str) -> Result<Self, Refusal> {
        let unsupported = |what: &str| Err(Refusal::Unsupported(what.to_owned()));
        let mut words = line.split(' ');
        let (kind, operation) = (words.next(), words.next());
        let payload = words.next().unwrap_or_default().parse();
        let structs = match (kind, operation) {
            (Some("run"), Some("ping")) => None,
            (Some("run"), Some("view_structs")) => Some(payload?),
            _ => return unsupported("it only calls ping and view_structs"),
        };
        let calls = words.next().unwrap_or_default().parse()?;
        let mut run = Self { structs, calls, warm: 0, batch: 1, pipelined: false };
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let value: u32 = value.parse()?;
            match (key, value) {
                ("warm", _) => run.warm = value,
                ("batch", 1..) => run.batch = value,
                ("pipelined", 0..=1) => run.pipelined = value == 1,
                ("threads", 1) | ("shared", 0) => {}
                ("threads" | "shared", _) => return unsupported("it calls by one thread"),
                _ => return unsupported(&format!("run has no {word}")),
            }
        }
        if run.calls == 0 || run.calls % run.batch != 0 {
            return Err(Refusal::Failed(format!(
                "{} calls in batches of {}",
                run.calls, run.batch
            )));
        }
        if run.structs.is_some() && (run.batch > 1 || run.pipelined) {
            return unsupported("structs are sent one call at a time");
        }
        Ok(run)
    }

    fn make(&self, client: &mut dyn Client) -> Result<String, Refusal> {
        let mut structs = self.structs.map(Structs::of);
        let mut number = 0;
        // The time of a batch.
        let mut make = |client: &mut dyn Client| {
            let sum = structs.as_mut().map(|structs| structs.set(number));
            number += 1;
            let start = Instant::now();
            let found = match &structs {
                Some(structs) => Some(client.view_structs(&structs.all)?),
                None if self.pipelined => client.ping_ahead(self.batch).map(|()| None)?,
                None => (0..self.batch).try_for_each(|_| client.ping()).map(|()| None)?,
            };
            let time = start.elapsed();
            match found == sum {
                true => Ok(time),
                false => Err(Refusal::Failed(format!("the sum is {found:?}, not {sum:?}"))),
            }
        };
        for _ in 0..self.warm.div_ceil(self.batch) {
            make(client)?;
        }
        let mut times = Times::default();
        let (cpu, begin) = (cpu_ns(), Instant::now());
        for _ in 0..self.calls / self.batch {
            times.record(make(client)?, self.batch);
        }
        let (wall, cpu) = (begin.elapsed().as_nanos(), cpu_ns().saturating_sub(cpu));
        Ok(format!("done check=ok calls={} wall_ns={wall} cpu_ns={cpu} {times}", self.calls))
    }
}

/// Executes a command; returns the answer.
pub(crate) fn answer(client: &mut dyn Client, line: &str) -> Result<String, Refusal> {
    Run::parse(line)?.make(client)
}

/// The processor time of this process.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinStruct;

    /// Counts calls, those ahead in hundreds.
    struct Counting(u32);

    impl Client for Counting {
        fn ping(&mut self) -> Result<(), Refusal> {
            self.0 += 1;
            Ok(())
        }

        fn ping_ahead(&mut self, count: u32) -> Result<(), Refusal> {
            self.0 += 100 * count;
            Ok(())
        }

        fn view_structs(&mut self, structs: &[BinStruct]) -> Result<i64, Refusal> {
            self.0 += 1;
            Ok(structs.iter().map(|one| i64::from(one.l)).sum::<i64>() + i64::from(self.0 > 3))
        }
    }

    #[test]
    fn sums_are_checked() {
        assert!(answer(&mut Counting(0), "run view_structs 96 2 warm=1").is_ok());
        let wrong = answer(&mut Counting(0), "run view_structs 96 3 warm=1");
        assert!(matches!(wrong, Err(Refusal::Failed(_))), "{wrong:?}");
    }

    #[test]
    fn calls_are_made_and_timed() {
        let mut client = Counting(0);
        let done = answer(&mut client, "run ping 0 6 warm=3 batch=3 threads=1 shared=0").unwrap();
        assert!(client.0 == 9 && done.starts_with("done check=ok calls=6 wall_ns="), "{done}");
        answer(&mut client, "run ping 0 6 warm=0 batch=3 pipelined=1").unwrap();
        assert_eq!(client.0, 609);
    }

    #[test]
    fn other_commands_are_unsupported_or_fail() {
        for line in ["run echo_octets 4 5", "flood send_longs 4 5", "run ping 0 5 threads=2"] {
            assert!(matches!(Run::parse(line), Err(Refusal::Unsupported(_))), "{line}");
        }
        for line in ["run ping 0", "run ping 0 5 batch=2", "run ping 0 5 warm"] {
            assert!(matches!(Run::parse(line), Err(Refusal::Failed(_))), "{line}");
        }
    }
}
