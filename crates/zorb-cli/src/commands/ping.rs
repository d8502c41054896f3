//! `zorb ping`: calls an object repeatedly.

mod health;

use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use zorb::{Error, ObjectRef};

use crate::commands::ior;
use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen::{self, GOOD, HEADING, WARNING, counted, paint, visible};

/// The maximum number of round trips recorded for the percentiles.
const MAX_SAMPLES: usize = 1_000_000;

/// The default timeout of connections and calls.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of endpoints shown.
const MAX_ENDPOINTS: usize = 8;

/// Call an object repeatedly and report round-trip times
///
/// It first locates the object (LocateRequest), then calls `_non_existent` COUNT times or until
/// Ctrl-C. Exit status 0 if the object exists.
///
/// With --ready or --live, it calls the object that the server has published with `publish_health` once, for the probes
/// of an orchestrator. Exit status 0 if the server is ready, or live.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb ping corbaloc:iiop:1.2@localhost:2809/NameService
  zorb ping -c 5 -i 0.2 server.ior
  zorb ping -c 100 -i 0 --json \"$(cat server.ior)\"
  zorb ping --ready corbaloc::localhost:2809/Health")]
pub(crate) struct PingArgs {
    /// Object reference, file that contains one, or `-` for standard input
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Number of calls; unlimited by default
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Seconds between calls
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    interval: Duration,
    /// Timeout of connections and calls, in seconds
    ///
    /// Default: 5 seconds, or the options ConnectTimeout and RoundTripTimeout.
    #[arg(short = 'W', long, value_name = "SECONDS", value_parser = positive_seconds)]
    timeout: Option<Duration>,
    /// JSON output: one object at the end
    #[arg(long)]
    json: bool,
    /// Ask once whether the server is ready for requests
    #[arg(long, conflicts_with_all = ["count", "interval", "live"])]
    ready: bool,
    /// Ask once whether the threads of the server make progress
    #[arg(long, conflicts_with_all = ["count", "interval"])]
    live: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number <= 3600.0);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "expected a number of seconds from 0 to 3600".to_owned())
}

pub(crate) fn positive_seconds(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        short if short < Duration::from_millis(1) => Err("at least 0.001".to_owned()),
        seconds => Ok(seconds),
    }
}

/// A call and its result.
#[derive(Serialize)]
struct Attempt {
    seq: u64,
    ms: f64,
    /// `exists`, `gone`, or `no answer`.
    answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// How to fix the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// Statistics of all calls.
#[derive(Default, Serialize)]
struct Statistics {
    sent: u64,
    answered: u64,
    loss_percent: f64,
    min_ms: f64,
    avg_ms: f64,
    max_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    #[serde(skip)]
    sum_ms: f64,
    #[serde(skip)]
    samples: Vec<f64>,
}

impl Statistics {
    fn answered(&mut self, ms: f64) {
        self.min_ms = if self.answered == 0 { ms } else { self.min_ms.min(ms) };
        self.max_ms = self.max_ms.max(ms);
        self.answered += 1;
        self.sum_ms += ms;
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push(ms);
        }
    }

    fn finish(&mut self) {
        if self.sent > 0 {
            self.loss_percent = (self.sent - self.answered) as f64 * 100.0 / self.sent as f64;
        }
        if self.answered > 0 {
            self.avg_ms = self.sum_ms / self.answered as f64;
        }
        self.samples.sort_by(f64::total_cmp);
        self.p50_ms = self.percentile(50);
        self.p99_ms = self.percentile(99);
    }

    /// The smallest sample that is not exceeded by `percent` of all samples.
    fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.samples.len() * percent).div_ceil(100).max(1);
        self.samples.get(rank - 1).copied().unwrap_or_default()
    }
}

pub(crate) fn run(args: &PingArgs, orb: &[String]) -> Outcome {
    let text = ior::load(&args.reference)?;
    let interrupt = Interrupt::watch()?;
    let builder = crate::orb::builder().arguments(&mut orb.to_vec());
    let timeouts = |timeout| {
        move |builder: zorb::OrbBuilder| {
            builder.connect_timeout(timeout).round_trip_timeout(timeout)
        }
    };
    // `--timeout` is for this ping alone, so it precedes what the operator has set for all programs.
    let builder = match args.timeout {
        Some(timeout) => builder.force(timeouts(timeout)),
        None => timeouts(DEFAULT_TIMEOUT)(builder),
    };
    let orb = builder.build()?;
    let object =
        orb.string_to_object(&text)?.ok_or_else(|| Failure::new("the object reference is nil"))?;
    if args.ready || args.live {
        let outcome = health::probe(&object, args.ready, args.json);
        orb.shutdown(true)?;
        return outcome;
    }
    let name = describe(&orb, &object);
    if !args.json {
        screen::print(&format!("{} {name}\n", paint(HEADING, "ping")))?;
    }

    let located = locate(&object);
    if !args.json {
        screen::print(&format!("{}\n", render_attempt(&located, "locate")))?;
        // Shown once: the following calls most likely fail for the same reason.
        if let Some(hint) = &located.hint {
            screen::print(&format!("  {}: {hint}\n", paint(GOOD, "hint")))?;
        }
    }

    let mut statistics = Statistics::default();
    let mut attempts = Vec::new();
    let mut exists = false;
    while args.count.is_none_or(|count| statistics.sent < count) && interrupt.arrived().is_none() {
        if statistics.sent > 0
            && !args.interval.is_zero()
            && interrupt.wait(args.interval).is_some()
        {
            break;
        }
        statistics.sent += 1;
        let outcome = call(&object, statistics.sent);
        if outcome.error.is_none() {
            statistics.answered(outcome.ms);
            exists |= outcome.answer == "exists";
        }
        if !args.json {
            let label = format!("call {}", outcome.seq);
            if !screen::print_to_reader(&format!("{}\n", render_attempt(&outcome, &label)))? {
                break;
            }
        } else if attempts.len() < MAX_SAMPLES {
            attempts.push(outcome);
        }
    }
    statistics.finish();
    orb.shutdown(true)?;
    if args.json {
        screen::print_json(&serde_json::json!({
            "reference": text,
            "type_id": object.ior().type_id,
            "locate": located,
            "calls": attempts,
            "statistics": statistics,
        }))?;
    } else {
        screen::print(&summary(&name, &statistics))?;
    }
    Ok(if exists { OK } else { FAILED })
}

/// The type of the object and the endpoints in its reference that this program's protocols
/// understand.
fn describe(orb: &zorb::Orb, object: &ObjectRef) -> String {
    let ior = object.ior();
    let protocols = orb.protocols();
    let endpoints = ior.profiles.iter().filter_map(|profile| protocols.resolve(ior, profile)?.ok());
    let endpoints = endpoints.flat_map(|(_, resolved)| resolved.endpoints);
    let mut endpoints: Vec<String> = endpoints.map(|endpoint| endpoint.to_string()).collect();
    let more = endpoints.len().saturating_sub(MAX_ENDPOINTS);
    endpoints.truncate(MAX_ENDPOINTS);
    let at = if endpoints.is_empty() { "" } else { " at " };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let type_id = if ior.type_id.is_empty() { "object of unknown type" } else { &ior.type_id };
    visible(&format!("{type_id}{at}{}{more}", endpoints.join(", ")))
}

fn locate(object: &ObjectRef) -> Attempt {
    timed(0, || Ok(!object.locate()?))
}

fn call(object: &ObjectRef, seq: u64) -> Attempt {
    timed(seq, || object.non_existent().map_err(Error::from))
}

/// Times a call that reports whether the object does not exist.
fn timed(seq: u64, gone: impl FnOnce() -> Result<bool, Error>) -> Attempt {
    let start = Instant::now();
    let outcome = gone();
    let ms = start.elapsed().as_secs_f64() * 1000.0;
    let (answer, failure) = match outcome {
        Ok(false) => ("exists", None),
        Ok(true) => ("gone", None),
        Err(error) => ("no answer", Some(Failure::from(error))),
    };
    let hint = failure.as_ref().and_then(Failure::advice).map(str::to_owned);
    Attempt { seq, ms, answer, error: failure.map(|failure| failure.to_string()), hint }
}

fn render_attempt(outcome: &Attempt, label: &str) -> String {
    match &outcome.error {
        None => {
            let style = if outcome.answer == "exists" { GOOD } else { WARNING };
            format!("{label}: {}  time={:.3} ms", paint(style, outcome.answer), outcome.ms)
        }
        Some(error) => format!("{label}: {}: {error}", paint(WARNING, outcome.answer)),
    }
}

fn summary(name: &str, statistics: &Statistics) -> String {
    let Statistics { sent, answered, loss_percent, .. } = statistics;
    let mut text = format!("\n{} {name}\n", paint(HEADING, "statistics of"));
    let sent = counted(usize::try_from(*sent).unwrap_or(usize::MAX), "call");
    text += &format!("{sent}, {answered} answered, {loss_percent:.1} % lost\n");
    if *answered > 0 {
        let Statistics { min_ms, avg_ms, max_ms, p50_ms, p99_ms, .. } = statistics;
        text += &format!(
            "round trip min/avg/max {min_ms:.3}/{avg_ms:.3}/{max_ms:.3} ms, \
             p50/p99 {p50_ms:.3}/{p99_ms:.3} ms\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_answered_calls() {
        let mut statistics = Statistics { sent: 5, ..Statistics::default() };
        for ms in [3.0, 1.0, 2.0, 10.0] {
            statistics.answered(ms);
        }
        statistics.finish();
        let Statistics { min_ms, avg_ms, max_ms, p50_ms, p99_ms, loss_percent, .. } = statistics;
        assert_eq!((min_ms, avg_ms, max_ms), (1.0, 4.0, 10.0));
        assert_eq!((p50_ms, p99_ms, loss_percent), (2.0, 10.0, 20.0));
    }

    #[test]
    fn statistics_without_replies_do_not_divide_by_zero() {
        let mut statistics = Statistics { sent: 2, ..Statistics::default() };
        statistics.finish();
        assert_eq!((statistics.loss_percent, statistics.p99_ms), (100.0, 0.0));
    }

    #[test]
    fn intervals_are_sane() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["-1", "NaN", "inf", "4000", "x"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert!(positive_seconds("0").is_err());
    }
}
