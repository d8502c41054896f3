//! Thread pools and their lanes, for RT-CORBA and for programs that manage thread priorities themselves: see
//! [`Pool`].

pub use zorb_serving::{
    Buffering, DynamicLifespan, LaneCounts, LaneMetrics, LaneSettings, LaneThreads, LaneViolations,
    Pool, PoolSettings, Strategy, ViolationReport, WeakPool,
};
