//! `zorb top`: the metrics of a server.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use crate::commands::ping::positive_seconds;
use crate::failure::{Failure, OK, Outcome};
use crate::interrupt::Interrupt;
use crate::screen::{self, HEADING, paint, visible};

/// The maximum size of a page of metrics, in octets.
const MAX_PAGE: u64 = 16 << 20;

/// Show the metrics of a server until Ctrl-C
///
/// The server serves them with `zorb serve --metrics ADDR`. Counters have a rate from the second time on. JSON: an object
/// per line, with `metrics`, a list of objects with `name`, `labels`, `kind`, `value` and for counters `per_second`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb top
  zorb top names.example:9187 --interval 5
  zorb top --once --json")]
pub(crate) struct TopArgs {
    /// Address of the metrics: HOST:PORT, a port of this machine, or the URL that the server shows
    #[arg(value_name = "ADDR", default_value = "9187")]
    address: String,
    /// Show them once
    #[arg(long)]
    once: bool,
    /// JSON output
    #[arg(long)]
    json: bool,
    /// Seconds between two times
    #[arg(short, long, value_name = "SECONDS", default_value = "1", value_parser = positive_seconds)]
    interval: Duration,
    /// Timeout of a page of metrics, in seconds
    #[arg(short = 'W', long, value_name = "SECONDS", default_value = "10", value_parser = positive_seconds)]
    timeout: Duration,
}

/// A sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    kind: String,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_second: Option<f64>,
}

#[derive(Serialize)]
struct Page<'a> {
    metrics: &'a [Sample],
}

pub(crate) fn run(args: &TopArgs) -> Outcome {
    let interrupt = Interrupt::watch()?;
    let is_screen = !args.once && !args.json && std::io::stdout().is_terminal();
    let mut before: Option<(Instant, Vec<Sample>)> = None;
    loop {
        let now = Instant::now();
        let mut samples = parse(&fetch(args)?)
            .ok_or_else(|| Failure::new(format!("{}: these are no metrics", args.address)))?;
        if let Some((then, earlier)) = &before {
            add_rates(&mut samples, earlier, now.saturating_duration_since(*then));
        }
        let text = match args.json {
            true => line(&samples)?,
            // Clears the screen.
            false if is_screen => format!("\x1b[H\x1b[2J{}", table(&samples)),
            false => table(&samples),
        };
        let is_read = screen::print_to_reader(&text)?;
        if args.once || !is_read || interrupt.wait(args.interval).is_some() {
            return Ok(OK);
        }
        before = Some((now, samples));
    }
}

fn line(samples: &[Sample]) -> Result<String, Failure> {
    let text = serde_json::to_string(&Page { metrics: samples });
    let text = text.map_err(|error| Failure::new(format!("writing JSON: {error}")))?;
    Ok(zorb::dynamic::json::escape_controls(&text).into_owned() + "\n")
}

/// The page of metrics.
fn fetch(args: &TopArgs) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        let failure = Failure::new(format!("{}: {error}", args.address));
        failure.hint("start the server with `zorb serve --metrics ADDR`")
    };
    let url = args.address.strip_prefix("http://");
    let shown = url.map(|rest| rest.trim_end_matches('/').trim_end_matches("/metrics"));
    let host = match args.address.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => shown.unwrap_or(&args.address).to_owned(),
    };
    let missing = || std::io::Error::other("the host has no address");
    let address = host.to_socket_addrs().and_then(|mut all| all.next().ok_or_else(missing));
    let read = address.and_then(|address| {
        let begun = Instant::now();
        let mut stream = TcpStream::connect_timeout(&address, args.timeout)?;
        stream.set_write_timeout(Some(left(args.timeout, begun)?))?;
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        let page = Timed { stream, begun, timeout: args.timeout };
        page.take(MAX_PAGE).read_to_string(&mut text)?;
        Ok(text)
    });
    let text = read.map_err(failed)?;
    match text.split_once("\r\n\r\n") {
        Some((head, body)) if head.split(' ').nth(1) == Some("200") => Ok(body.to_owned()),
        _ => Err(failed(std::io::Error::other("it answers, but not with metrics"))),
    }
}

/// A stream that is read until a time limit for the whole page.
struct Timed {
    stream: TcpStream,
    begun: Instant,
    timeout: Duration,
}

impl std::io::Read for Timed {
    fn read(&mut self, octets: &mut [u8]) -> std::io::Result<usize> {
        self.stream.set_read_timeout(Some(left(self.timeout, self.begun)?))?;
        self.stream.read(octets).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => std::io::ErrorKind::TimedOut.into(),
            _ => error,
        })
    }
}

/// The time that is left.
///
/// # Errors
/// None is.
fn left(timeout: Duration, begun: Instant) -> std::io::Result<Duration> {
    let left = timeout.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
    left.ok_or_else(|| std::io::ErrorKind::TimedOut.into())
}

/// Metrics in the text format of Prometheus, as Zorb writes it; `None` if they are malformed.
fn parse(text: &str) -> Option<Vec<Sample>> {
    let (mut kind, mut samples) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(of) = line.strip_prefix("# TYPE ") {
            kind = of.rsplit_once(' ')?.1.to_owned();
        } else if !line.starts_with('#') && !line.is_empty() {
            let (series, value) = line.rsplit_once(' ')?;
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            samples.push(Sample {
                name: name.to_owned(),
                labels: parse_labels(labels)?,
                kind: kind.clone(),
                value: value.parse().ok()?,
                per_second: None,
            });
        }
    }
    Some(samples)
}

/// Labels, from the first name to the closing brace.
fn parse_labels(mut text: &str) -> Option<BTreeMap<String, String>> {
    let mut labels = BTreeMap::new();
    while text != "}" {
        let (name, rest) = text.split_once("=\"")?;
        let mut value = String::new();
        let mut chars = rest.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'n' => value.push('\n'),
                    char => value.push(char),
                },
                char => value.push(char),
            }
        }
        labels.insert(name.to_owned(), value);
        text = chars.as_str();
        text = text.strip_prefix(',').unwrap_or(text);
    }
    Some(labels)
}

/// How much counters have grown per second.
fn add_rates(samples: &mut [Sample], earlier: &[Sample], time: Duration) {
    for sample in samples.iter_mut().filter(|sample| sample.kind == "counter") {
        let same = |it: &&Sample| it.name == sample.name && it.labels == sample.labels;
        if let Some(before) = earlier.iter().find(same) {
            // A counter begins again when its process does.
            let grown = (sample.value - before.value).max(0.0);
            sample.per_second = Some(grown / time.as_secs_f64().max(f64::EPSILON));
        }
    }
}

fn table(samples: &[Sample]) -> String {
    let rows: Vec<[String; 3]> = samples
        .iter()
        .map(|sample| {
            let labels = sample.labels.iter().map(|(name, value)| format!("{name}={value}"));
            let labels = labels.collect::<Vec<_>>().join(" ");
            let name = sample.name.strip_prefix("zorb_").unwrap_or(&sample.name);
            let rate = sample.per_second.map(|rate| format!("{rate:.1}/s")).unwrap_or_default();
            [visible(format!("{name} {labels}").trim_end_matches(' ')), shown(sample), rate]
        })
        .collect();
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column));
        widths.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let (first, second) = (width(0).max("metric".len()), width(1).max("value".len()));
    let heading = format!("{:first$}  {:>second$}  rate", "metric", "value");
    let mut text = paint(HEADING, &heading) + "\n";
    for [name, value, rate] in &rows {
        let row = format!("{name:first$}  {value:>second$}  {rate}");
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text
}

/// A value with its unit.
fn shown(sample: &Sample) -> String {
    let value = sample.value;
    let base = sample.name.trim_end_matches("_total");
    if base.ends_with("_bytes") {
        let units = ["B", "KiB", "MiB", "GiB"];
        let mut sizes = units.iter().zip([1.0, 1024.0, 1_048_576.0, 1_073_741_824.0]);
        let fitting = sizes.rfind(|(_, size)| value >= *size);
        let (unit, size) = fitting.unwrap_or((&"B", 1.0));
        return match size > 1.0 {
            true => format!("{:.1} {unit}", value / size),
            false => format!("{value} {unit}"),
        };
    }
    match base.ends_with("_seconds") {
        true => format!("{value:.3} s"),
        false => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# HELP zorb_a_total A.\n# TYPE zorb_a_total counter\nzorb_a_total 10\n\
                        # HELP zorb_b_bytes B.\n# TYPE zorb_b_bytes gauge\n\
                        zorb_b_bytes{x=\"1 \\\"q\\\"\\\\\",y=\"\\n\"} 1572864\n";

    #[test]
    fn metrics_are_read_and_shown() {
        let samples = parse(PAGE).unwrap();
        assert_eq!(samples[1].labels["x"], "1 \"q\"\\");
        assert_eq!(samples[1].labels["y"], "\n");
        let mut later = parse(&PAGE.replace("total 10", "total 40")).unwrap();
        add_rates(&mut later, &samples, Duration::from_secs(10));
        assert_eq!((later[0].per_second, later[1].per_second), (Some(3.0), None));
        let shown = table(&later);
        assert!(shown.contains("\na_total"), "{shown}");
        assert!(shown.contains("1.5 MiB\n"), "{shown}");
        assert!(shown.contains("40  3.0/s\n"), "{shown}");
        assert!(shown.contains("y=\u{fffd}"), "no control characters: {shown}");
    }

    #[test]
    fn malformed_metrics_are_rejected() {
        for text in ["zorb_a", "zorb_a x", "zorb_a{b} 1", "zorb_a{b=\"c} 1", "# TYPE zorb_a\n"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_page_without_an_end_has_a_time_limit() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // Until the client has closed.
            while stream.write_all(b"x").is_ok() {}
        });
        let timeout = Duration::from_millis(1);
        let args = TopArgs { address, once: true, json: false, interval: timeout, timeout };
        let failure = format!("{:?}", fetch(&args).unwrap_err());
        assert!(failure.contains("timed out"), "{failure}");
    }
}
