//! Quality of service: settings of lanes, connections and calls derived from a few parameters.

use std::fmt;
use std::time::Duration;

/// A class of calls, from which their settings are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QosClass {
    /// Large transfers without urgency: files, logs, updates.
    BulkData,
    /// Continuous transfer of large values for maximum throughput, for example uncompressed images.
    HighBandwidthStream,
    /// Audio and video: one value per period; a late value is useless.
    ContinuousMedia,
    /// Small requests that must be answered by a deadline, for example of control loops.
    LowLatencyTransaction,
}

impl QosClass {
    /// All classes, the least urgent first.
    pub const ALL: [Self; 4] = [
        Self::BulkData,
        Self::HighBandwidthStream,
        Self::ContinuousMedia,
        Self::LowLatencyTransaction,
    ];

    /// The lowest priority of the class; each class has a quarter of all priorities.
    pub(crate) const fn base(self) -> i16 {
        match self {
            Self::BulkData => 0,
            Self::HighBandwidthStream => 8192,
            Self::ContinuousMedia => 16_384,
            Self::LowLatencyTransaction => 24_576,
        }
    }
}

impl fmt::Display for QosClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::BulkData => "bulk data",
            Self::HighBandwidthStream => "high-bandwidth stream",
            Self::ContinuousMedia => "continuous media",
            Self::LowLatencyTransaction => "low-latency transaction",
        })
    }
}

/// Requirements of calls: a class and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Qos {
    /// The class.
    pub class: QosClass,
    /// Calls per second. Default: one.
    pub rate: u32,
    /// The size of each call in octets. Default: 1024.
    pub size: u32,
    /// The relative deadline of each call. Default: the period that corresponds to the rate.
    pub deadline: Option<Duration>,
    /// The acceptable loss in calls per 1000. Default: 0.
    pub loss: u16,
}

impl Qos {
    /// The requirements of a class with the defaults.
    #[must_use]
    pub const fn new(class: QosClass) -> Self {
        Self { class, rate: 1, size: 1024, deadline: None, loss: 0 }
    }

    /// Sets the number of calls per second.
    #[must_use]
    pub const fn rate(self, rate: u32) -> Self {
        Self { rate, ..self }
    }

    /// Sets the size of a call in octets.
    #[must_use]
    pub const fn size(self, size: u32) -> Self {
        Self { size, ..self }
    }

    /// Sets the relative deadline of each call.
    #[must_use]
    pub const fn deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Sets the acceptable loss in calls per 1000.
    #[must_use]
    pub const fn loss(self, permille: u16) -> Self {
        Self { loss: permille, ..self }
    }
}
