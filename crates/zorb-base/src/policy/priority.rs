//! Priorities, and the policy that decides at which priority upcalls run.

use std::fmt;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_transport::OptionNumber;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{Levels, PolicyType, TypedPolicy};

/// A CORBA priority (`RTCORBA::Priority`), from 0, the lowest, to 32767, the highest. It has the same meaning on
/// every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(i16);

impl Priority {
    /// The lowest (`minPriority`).
    pub const MIN: Self = Self(0);
    /// The highest (`maxPriority`).
    pub const MAX: Self = Self(i16::MAX);

    /// Creates the priority `value`.
    ///
    /// # Errors
    /// `BAD_PARAM`, minor `PRIORITY_OUT_OF_RANGE`, for a negative number.
    pub const fn new(value: i16) -> Result<Self, SystemException> {
        if value < 0 {
            return Err(SystemException::bad_param(
                minor::bad_param::PRIORITY_OUT_OF_RANGE,
                CompletionStatus::No,
            ));
        }
        Ok(Self(value))
    }

    /// The priority as a number, 0 to 32767.
    pub const fn value(self) -> i16 {
        self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl OptionNumber for Priority {
    fn from_number(number: u64, _: &str) -> Option<Self> {
        Self::new(number.try_into().ok()?).ok()
    }

    fn number(&self, _: &str) -> u64 {
        self.value().unsigned_abs().into()
    }
}

/// The policy of an object adapter that decides at which priority its upcalls run
/// (`RTCORBA::PriorityModelPolicy`). The adapter's references contain it. It takes effect in ORBs with a
/// real-time side (`RtOrb` of `zorb-rt`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityModel {
    client_propagated: bool,
    server_priority: Priority,
}

const CLIENT_PROPAGATED: u32 = 0;
const SERVER_DECLARED: u32 = 1;

impl PriorityModel {
    /// Upcalls run at the client's priority (`CLIENT_PROPAGATED`), or at `default` if the client sends none.
    #[doc(alias = "create_priority_model_policy")]
    pub const fn client_propagated(default: Priority) -> Self {
        Self { client_propagated: true, server_priority: default }
    }

    /// Upcalls run at `priority` (`SERVER_DECLARED`).
    #[doc(alias = "create_priority_model_policy")]
    pub const fn server_declared(priority: Priority) -> Self {
        Self { client_propagated: false, server_priority: priority }
    }

    /// Whether upcalls run at the client's priority (`CLIENT_PROPAGATED`) instead of one that the server
    /// declares (`SERVER_DECLARED`).
    pub const fn is_client_propagated(&self) -> bool {
        self.client_propagated
    }

    /// The priority that the server declares, or the default for clients that send none.
    pub const fn server_priority(&self) -> Priority {
        self.server_priority
    }

    /// The priority of all requests, if the server declares it.
    #[doc(hidden)]
    pub fn declared_priority(&self) -> Option<i16> {
        (!self.client_propagated).then_some(self.server_priority.value())
    }
}

impl TypedPolicy for PriorityModel {
    const POLICY_TYPE: PolicyType = PolicyType::PRIORITY_MODEL;
    const LEVELS: Levels = Levels::SERVER;
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(if self.client_propagated { CLIENT_PROPAGATED } else { SERVER_DECLARED });
        writer.write_i16(self.server_priority.value());
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let client_propagated = match reader.read_u32()? {
            CLIENT_PROPAGATED => true,
            SERVER_DECLARED => false,
            _ => return Err(reader.error(CdrErrorKind::BadEnum, "PriorityModel")),
        };
        let server_priority = Priority::new(reader.read_i16()?)
            .map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "Priority"))?;
        Ok(Self { client_propagated, server_priority })
    }
}
