//! The machine of a measurement.

use std::fs;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
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
}

impl Machine {
    /// This machine and its current state.
    #[must_use]
    pub fn here(setup: &Setup) -> Self {
        Self::with(setup.pin, setup.options.fifo)
    }

    /// This machine and its current state, for client and server at these processors and priority.
    #[must_use]
    pub fn with(pin: Pin, fifo: Option<u8>) -> Self {
        let load = text("/proc/loadavg");
        let places = thread::affinity().ok().and_then(|processors| pin.places(&processors).ok());
        let handover_ns = match places {
            Some([Some(client), Some(server)]) => handover_ns([client, server]),
            _ => None,
        };
        Self {
            cpu: text("/proc/cpuinfo").as_deref().and_then(model).unwrap_or_default(),
            cores: thread::affinity().map_or(0, |processors| processors.len()),
            kernel: text("/proc/sys/kernel/osrelease").unwrap_or_default(),
            governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            load: load.and_then(|text| text.split(' ').next()?.parse().ok()),
            pin,
            handover_ns: handover_ns.map(f64::round),
            fifo,
            date: date().unwrap_or_default(),
            zorb: env!("CARGO_PKG_VERSION"),
        }
    }
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
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok()?;
    now.format(&Rfc3339).ok()
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
}
