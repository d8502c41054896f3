//! The ORB and its builder.

mod builder;
mod end_times;
mod export;
mod extensions;
mod handle;
mod health;
mod ids;
mod implementation_repository;
mod inner;
mod invalid_name;
mod local;
mod metrics;
mod pending_calls;
mod pi_current;
mod poa;
mod policy_current;
mod policy_manager;
mod pools;
mod registration;
mod resolve;
mod running;
mod service;
mod shutdown;
mod signals;

pub use builder::OrbBuilder;
pub use handle::{Orb, WeakOrb};
pub use health::Health;
pub use invalid_name::InvalidName;
pub use metrics::OrbMetrics;
pub use pi_current::PiCurrent;
pub use poa::{Poa, PoaCurrent};
pub use policy_current::PolicyCurrent;
pub use policy_manager::PolicyManager;
pub use service::{
    ServiceDetail, ServiceDetailType, ServiceInformation, ServiceOption, ServiceType,
};
