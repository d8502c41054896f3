//! Object references: IORs, profiles and tagged components (CORBA 3.3 part 2, 7.6 and 9.7).

mod component;
mod group;
mod iiop;
mod ior;
mod known;
mod tag;

pub use component::{
    ComponentBody, MAX_COMPONENTS, TaggedComponent, read_components, write_components,
};
pub use group::{TagGroup, UipmcProfile};
pub use iiop::{IiopProfile, iiop_object_key};
pub(crate) use ior::hex_value;
pub use ior::{Ior, IorTextError, MAX_PROFILES, MAX_STRINGIFIED, TaggedProfile};
pub use known::{
    AlternateIiopAddress, LanePriority, MAX_ENDPOINTS, MAX_POLICIES, OrbType, Policies,
    PolicyValue, SslSecTrans, TaoEndpoint, TaoEndpoints,
};
pub use tag::{ComponentTag, ProfileTag};
