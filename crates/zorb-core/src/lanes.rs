//! Thread pools and their lanes, for RT-CORBA's thread pools and programs that bring priorities of their
//! own: see [`Pool`].

pub use zorb_serving::{
    Buffering, DynamicLifespan, LaneCounts, LaneSettings, LaneThreads, LaneViolations, Pool,
    PoolSettings, Strategy, ViolationReport, WeakPool,
};
