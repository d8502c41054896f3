//! The machine of a measurement.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;
use serde::Serialize;
use zorb_os::thread;

use crate::harness::{Setup, handover_ns};
use crate::pin::Pin;

/// The machine and its state, as far as they can be read.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// Processors that this process may use.
    pub cores: usize,
    /// The kernel's version.
    pub kernel: String,
    /// The clock governor.
    pub governor: Option<String>,
    /// The load average of the last minute, at the start.
    pub load: Option<f64>,
    /// The same at the end, which includes the load of the measurement.
    pub load_after: Option<f64>,
    /// The processors of client and server.
    pub pin: Pin,
    /// Handover time between the processors of client and server in nanoseconds, at the start; only if
    /// they differ.
    pub handover_ns: Option<f64>,
    /// The real-time priority of both.
    pub fifo: Option<u8>,
    /// Date and time in UTC.
    pub date: String,
    /// The version of Zorb.
    pub zorb: &'static str,
    /// The commit that was built, if `BENCH_COMMIT` names it.
    pub commit: Option<String>,
    /// The compiler of Zorb.
    pub rustc: &'static str,
    /// Other peers with their versions, as far as these are known.
    pub peers: Option<String>,
}

impl Machine {
    /// This machine and its current state.
    #[must_use]
    pub fn here(setup: &Setup) -> Self {
        let others = setup.options.versus().into_iter().filter(|name| name != "raw");
        let versions = others.map(|name| {
            let file = setup.options.peers.join(&name).join("version");
            let version = fs::read_to_string(file).unwrap_or_default();
            format!("{name} {}", version.trim()).trim_end().to_owned()
        });
        let peers = versions.collect::<Vec<_>>().join(", ");
        let own = Self::with(setup.pin, setup.options.fifo);
        Self { peers: Some(peers).filter(|peers| !peers.is_empty()), ..own }
    }

    /// Records the load at the end of the measurement.
    pub(crate) fn finish(&mut self) {
        self.load_after = load();
    }

    /// This machine and its current state, for client and server at these processors and priority.
    #[must_use]
    pub fn with(pin: Pin, fifo: Option<u8>) -> Self {
        let pairs = thread::affinity().ok().and_then(|processors| pin.choose(&processors).ok());
        let handover_ns = match pairs {
            Some([Some(client), Some(server)]) => handover_ns([client, server]),
            _ => None,
        };
        Self {
            cpu: text("/proc/cpuinfo").as_deref().and_then(model).unwrap_or_default(),
            cores: thread::affinity().map_or(0, |processors| processors.len()),
            kernel: text("/proc/sys/kernel/osrelease").unwrap_or_default(),
            governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            load: load(),
            load_after: None,
            pin,
            handover_ns: handover_ns.map(f64::round),
            fifo,
            date: date().unwrap_or_default(),
            zorb: env!("CARGO_PKG_VERSION"),
            commit: std::env::var("BENCH_COMMIT").ok(),
            rustc: env!("BENCH_RUSTC"),
            peers: None,
        }
    }
}

/// The load average of the last minute.
fn load() -> Option<f64> {
    text("/proc/loadavg")?.split(' ').next()?.parse().ok()
}

fn text(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The date and time in UTC, as `2026-01-31T12:00:00Z`.
fn date() -> Option<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(utc(now.as_secs()))
}

/// The date and time in UTC, so many seconds after the beginning of 1970.
fn utc(seconds: u64) -> String {
    format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_found_among_the_lines() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 1 GHz\n";
        assert_eq!(model(cpuinfo).as_deref(), Some("Some CPU @ 1 GHz"));
        assert_eq!(model("Hardware: x"), None);
    }

    #[test]
    fn dates_are_in_utc() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (1_769_860_845, "2026-01-31T12:00:45Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), date);
        }
    }
}
