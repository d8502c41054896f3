//! Priority-banded connections.

use std::ops::RangeInclusive;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Levels, PolicyType, Priority, TypedPolicy};

/// The maximum number of bands: each has connections of its own to every endpoint.
const MAX_BANDS: usize = 64;

/// A range of priorities including both ends (`RTCORBA::PriorityBand`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityBand {
    low: Priority,
    high: Priority,
}

impl PriorityBand {
    /// The priorities from `low` to `high`.
    ///
    /// # Errors
    /// `BAD_PARAM`, minor `PRIORITY_OUT_OF_RANGE`, if `low` is above `high`.
    pub fn new(low: Priority, high: Priority) -> Result<Self, SystemException> {
        if low > high {
            return Err(SystemException::bad_param(
                minor::bad_param::PRIORITY_OUT_OF_RANGE,
                CompletionStatus::No,
            ));
        }
        Ok(Self { low, high })
    }

    /// The band's lowest priority.
    pub fn low(&self) -> Priority {
        self.low
    }

    /// The band's highest priority.
    pub fn high(&self) -> Priority {
        self.high
    }

    /// The band's priorities.
    #[doc(hidden)]
    pub fn range(&self) -> RangeInclusive<i16> {
        self.low.value()..=self.high.value()
    }
}

/// Divides the calls of a client into bands of priorities, each with connections of its own
/// (`RTCORBA::PriorityBandedConnectionPolicy`). A call uses a connection of the first band that contains
/// its priority; if none does, it fails with `INV_POLICY`.
///
/// It is a policy of clients at every level, and of object adapters, whose references contain it; if both have one,
/// calls fail with `INV_POLICY`. The priority of a call is that of the reference's
/// [`PriorityModel`](super::PriorityModel): the client's, or the server's. References without one cannot be called. If
/// the server has lanes, a call goes to a lane whose priority is in its band. The first request over a connection
/// declares the band to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "PriorityBandedConnectionPolicy")]
pub struct PriorityBands(Vec<PriorityBand>);

impl PriorityBands {
    /// These bands (`create_priority_banded_connection_policy`).
    ///
    /// # Errors
    /// `BAD_PARAM`, minor `PRIORITY_OUT_OF_RANGE`, for none, or more than 64.
    #[doc(alias = "create_priority_banded_connection_policy")]
    pub fn new(bands: impl IntoIterator<Item = PriorityBand>) -> Result<Self, SystemException> {
        let bands: Vec<_> = bands.into_iter().take(MAX_BANDS + 1).collect();
        if bands.is_empty() || bands.len() > MAX_BANDS {
            return Err(SystemException::bad_param(
                minor::bad_param::PRIORITY_OUT_OF_RANGE,
                CompletionStatus::No,
            ));
        }
        Ok(Self(bands))
    }

    /// The bands (`priority_bands`).
    pub fn bands(&self) -> &[PriorityBand] {
        &self.0
    }

    /// Whether `priority` is in one of the bands.
    pub(crate) fn contains(&self, priority: i16) -> bool {
        self.0.iter().any(|band| band.range().contains(&priority))
    }
}

impl TypedPolicy for PriorityBands {
    const POLICY_TYPE: PolicyType = PolicyType::PRIORITY_BANDED_CONNECTION;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "PriorityBands")?;
        for band in &self.0 {
            writer.write_i16(band.low.value());
            writer.write_i16(band.high.value());
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(4, "PriorityBands")?;
        if count == 0 || count > MAX_BANDS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "PriorityBands"));
        }
        let band = |reader: &mut CdrReader<'_>| {
            let (low, high) = (reader.read_i16()?, reader.read_i16()?);
            let band = Priority::new(low)
                .and_then(|low| Priority::new(high).and_then(|high| PriorityBand::new(low, high)));
            band.map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "PriorityBand"))
        };
        (0..count).map(|_| band(reader)).collect::<CdrResult<_>>().map(Self)
    }

    /// A client and a server that both have bands contradict each other, even if the bands are equal.
    fn reconcile(_: Self, _: Self) -> Option<Self> {
        None
    }
}
