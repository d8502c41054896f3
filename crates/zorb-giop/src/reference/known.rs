//! The bodies of the tagged components that Zorb supports.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::{ComponentBody, ComponentTag};

/// The maximum number of policies in a [`Policies`] component.
pub const MAX_POLICIES: usize = 256;
/// The maximum number of endpoints in a [`TaoEndpoints`] component.
pub const MAX_ENDPOINTS: usize = 1024;

/// `TAG_ORB_TYPE`: the ORB that created the reference (CORBA 3.3 part 2, 7.6.6.1).
///
/// ```text
/// +------------+---------+----------------+
/// | byte order | padding | ulong orb_type |
/// +------------+---------+----------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrbType(pub u32);

impl OrbType {
    /// Zorb: `ZRB` and a NUL.
    pub const ZORB: Self = Self(0x5a52_4200);
    /// TAO.
    pub const TAO: Self = Self(0x5441_4f00);
    /// omniORB.
    pub const OMNIORB: Self = Self(0x4154_5400);
    /// JacORB.
    pub const JACORB: Self = Self(0x4a41_4300);

    /// The name of the ORB, if it is known.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::ZORB => "Zorb",
            Self::TAO => "TAO",
            Self::OMNIORB => "omniORB",
            Self::JACORB => "JacORB",
            _ => return None,
        })
    }
}

impl ComponentBody for OrbType {
    const TAG: ComponentTag = ComponentTag::ORB_TYPE;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_u32().map(Self)
    }
}

/// `TAG_ALTERNATE_IIOP_ADDRESS`: another address of the same object (CORBA 3.3 part 2, 9.7.3).
///
/// ```text
/// +------------+---------+-------------+-------------+
/// | byte order | padding | string host | ushort port |
/// +------------+---------+-------------+-------------+
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AlternateIiopAddress {
    /// Host name or address; an IPv6 address without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl ComponentBody for AlternateIiopAddress {
    const TAG: ComponentTag = ComponentTag::ALTERNATE_IIOP_ADDRESS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_latin1(&self.host)?;
        writer.write_u16(self.port);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let host = reader.read_latin1_owned("host")?;
        Ok(Self { host, port: reader.read_u16()? })
    }
}

/// `TAG_SSL_SEC_TRANS`: the same object over SSL, on the host of the profile.
///
/// ```text
/// +------------+---------+------------------------+------------------------+-------------+
/// | byte order | padding | ushort target_supports | ushort target_requires | ushort port |
/// +------------+---------+------------------------+------------------------+-------------+
/// ```
///
/// The two sets are `Security::AssociationOptions` bits: NoProtection 1, Integrity 2,
/// Confidentiality 4, DetectReplay 8, DetectMisordering 16, EstablishTrustInTarget 32,
/// EstablishTrustInClient 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SslSecTrans {
    /// The options that the target supports.
    pub target_supports: u16,
    /// The options that the target requires.
    pub target_requires: u16,
    /// TCP port.
    pub port: u16,
}

impl ComponentBody for SslSecTrans {
    const TAG: ComponentTag = ComponentTag::SSL_SEC_TRANS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u16(self.target_supports);
        writer.write_u16(self.target_requires);
        writer.write_u16(self.port);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self {
            target_supports: reader.read_u16()?,
            target_requires: reader.read_u16()?,
            port: reader.read_u16()?,
        })
    }
}

/// A policy in a message or reference (`Messaging::PolicyValue`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyValue {
    /// The policy type.
    pub policy_type: u32,
    /// The value of the policy, an encapsulation.
    pub value: Vec<u8>,
}

/// `TAG_POLICIES`: policies of the server that the client has to know (CORBA 3.3 part 2, 7.6.6.3).
///
/// ```text
/// +------------+---------+-------------+------------------------------------------+
/// | byte order | padding | ulong count | count * (ulong type, sequence<octet>)    |
/// +------------+---------+-------------+------------------------------------------+
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policies(pub Vec<PolicyValue>);

impl ComponentBody for Policies {
    const TAG: ComponentTag = ComponentTag::POLICIES;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "policy list")?;
        for policy in &self.0 {
            writer.write_u32(policy.policy_type);
            writer.write_octets(&policy.value)?;
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(8, "policy list")?;
        if count > MAX_POLICIES {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "policy list"));
        }
        let mut policies = reader.vector(count, "policy list")?;
        for _ in 0..count {
            let policy_type = reader.read_u32()?;
            let value = reader.read_octets()?;
            policies.push(PolicyValue { policy_type, value: reader.copied(value, "policy")? });
        }
        Ok(Self(policies))
    }
}

/// One endpoint of [`TaoEndpoints`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaoEndpoint {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// The RT-CORBA priority of the endpoint.
    pub priority: i16,
}

/// `TAO_TAG_ENDPOINTS`: TAO's endpoints with priorities, one for each thread-pool lane.
///
/// ```text
/// +------------+---------+-------------+------------------------------------------------------+
/// | byte order | padding | ulong count | count * (string host, ushort port, short priority)   |
/// +------------+---------+-------------+------------------------------------------------------+
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaoEndpoints(pub Vec<TaoEndpoint>);

impl ComponentBody for TaoEndpoints {
    const TAG: ComponentTag = ComponentTag::TAO_ENDPOINTS;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "endpoint list")?;
        for endpoint in &self.0 {
            writer.write_latin1(&endpoint.host)?;
            writer.write_u16(endpoint.port);
            writer.write_i16(endpoint.priority);
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let count = reader.read_count(9, "endpoint list")?;
        if count > MAX_ENDPOINTS {
            return Err(reader.error(CdrErrorKind::BoundExceeded, "endpoint list"));
        }
        let mut endpoints = reader.vector(count, "endpoint list")?;
        for _ in 0..count {
            let host = reader.read_latin1_owned("host")?;
            let port = reader.read_u16()?;
            endpoints.push(TaoEndpoint { host, port, priority: reader.read_i16()? });
        }
        Ok(Self(endpoints))
    }
}

/// `ZORB_LANE_PRIORITY`: the RT-CORBA priority of the profile's endpoints, for all protocols.
///
/// ```text
/// +------------+---------+----------------+
/// | byte order | padding | short priority |
/// +------------+---------+----------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LanePriority(pub i16);

impl ComponentBody for LanePriority {
    const TAG: ComponentTag = ComponentTag::ZORB_LANE_PRIORITY;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_i16(self.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.read_i16().map(Self)
    }
}
