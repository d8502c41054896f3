//! The thread pool of an object adapter.

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use super::{Levels, Policies, PolicyType, PriorityBands, PriorityModel, TypedPolicy};

/// The policy that assigns an object adapter to a thread pool of its ORB (`RTCORBA::ThreadpoolPolicy`).
/// Other adapters are served by the ORB's own threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadpoolPolicy(u32);

impl ThreadpoolPolicy {
    /// Assigns the adapter to the pool with this id.
    #[doc(alias = "create_threadpool_policy")]
    pub const fn new(threadpool: u32) -> Self {
        Self(threadpool)
    }

    /// The pool's id (`threadpool`).
    pub const fn threadpool(&self) -> u32 {
        self.0
    }
}

impl TypedPolicy for ThreadpoolPolicy {
    const POLICY_TYPE: PolicyType = PolicyType::THREADPOOL;
    const LEVELS: Levels = Levels::SERVER;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u32().map(Self)
    }
}

/// Whether objects with `policies` are served in a lane of `priority`; their references contain only the
/// endpoints of such lanes.
pub fn may_be_served_in_lane(policies: &Policies, priority: i16) -> bool {
    let declared = policies.value::<PriorityModel>().and_then(PriorityModel::declared_priority);
    let bands = policies.value::<PriorityBands>();
    declared.is_none_or(|declared| declared == priority)
        && bands.is_none_or(|bands| bands.contains(priority))
}
