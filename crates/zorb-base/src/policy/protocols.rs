//! The protocol policies of clients and servers, with the properties of their connections
//! (`RTCORBA::ClientProtocolPolicy`, `ServerProtocolPolicy`, `PrivateConnectionPolicy`).

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::ProfileTag;
use zorb_transport::{PropertyField, property_fields};

use super::{ConnectionProperties, Levels, Policies, Policy, PolicyType, TypedPolicy};
use crate::options::Options;

/// The maximum number of protocols of a policy in a reference.
const MAX_PROTOCOLS: usize = 64;

/// A protocol of a protocol policy (`RTCORBA::Protocol`), identified by the tag of its profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProtocolChoice {
    /// The tag of its profiles, for example [`ProfileTag::INTERNET_IOP`].
    pub profile: ProfileTag,
    /// The properties of its connections (`transport_protocol_properties`); `None` for those of weaker
    /// policies and the options.
    pub properties: Option<ConnectionProperties>,
}

impl From<ProfileTag> for ProtocolChoice {
    fn from(profile: ProfileTag) -> Self {
        Self { profile, properties: None }
    }
}

impl ProtocolChoice {
    /// The numbers and flags in references, in the order of the protocol's fields.
    fn on_the_wire(&self) -> impl Iterator<Item = (PropertyField, i32)> {
        let given = self.properties.unwrap_or_default();
        property_fields(self.profile).iter().map(move |field| {
            let size = |octets: Option<u32>| {
                octets.map_or(0, |octets| i32::try_from(octets).unwrap_or(i32::MAX))
            };
            let value = match field {
                PropertyField::SendBuffer => size(given.send_buffer),
                PropertyField::ReceiveBuffer => size(given.receive_buffer),
                PropertyField::KeepAlive => given.keep_alive.unwrap_or(false).into(),
                PropertyField::DontRoute => given.dont_route.unwrap_or(false).into(),
                PropertyField::NoDelay => given.no_delay.unwrap_or(true).into(),
                _ => 0,
            };
            (*field, value)
        })
    }

    /// Encodes the choice as TAO does: the tag, nothing for GIOP, then the properties of the transport.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.profile.0);
        for (field, value) in self.on_the_wire() {
            match field {
                PropertyField::SendBuffer | PropertyField::ReceiveBuffer => writer.write_i32(value),
                PropertyField::Unused(_) => writer.write_latin1("")?,
                _ => writer.write_bool(value != 0),
            }
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let profile = ProfileTag(reader.read_u32()?);
        let mut properties = ConnectionProperties::default();
        for field in property_fields(profile) {
            // A default value cannot be distinguished from one that is not set.
            match field {
                PropertyField::SendBuffer => properties.send_buffer = read_size(reader)?,
                PropertyField::ReceiveBuffer => properties.receive_buffer = read_size(reader)?,
                PropertyField::KeepAlive => {
                    properties.keep_alive = reader.read_bool()?.then_some(true);
                }
                PropertyField::DontRoute => {
                    properties.dont_route = reader.read_bool()?.then_some(true);
                }
                PropertyField::NoDelay => {
                    properties.no_delay = (!reader.read_bool()?).then_some(false);
                }
                PropertyField::Unused(name) => drop(reader.read_latin1(name)?),
                _ => {}
            }
        }
        let is_default = properties == ConnectionProperties::default();
        Ok(Self { profile, properties: (!is_default).then_some(properties) })
    }
}

fn read_size(reader: &mut CdrReader<'_>) -> CdrResult<Option<u32>> {
    Ok(u32::try_from(reader.read_i32()?).ok().filter(|&size| size > 0))
}

/// The protocols that a client uses, the preferred one first (`RTCORBA::ClientProtocolPolicy`).
///
/// Calls of a reference without a profile of any of them fail with `INV_POLICY`, unless
/// [`or_any`](Self::or_any) allows the others. Calls within an ORB need no protocol.
///
/// As a policy of an object adapter it is part of the adapter's references. Clients that have registered the
/// policy (`PolicyManager::register_policy`), which `zorb-rt` does, apply it; their own must then be equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientProtocols {
    choices: Vec<ProtocolChoice>,
    or_any: bool,
}

impl ClientProtocols {
    /// These protocols in this order.
    pub fn new<C: Into<ProtocolChoice>>(choices: impl IntoIterator<Item = C>) -> Self {
        Self { choices: choices.into_iter().map(Into::into).collect(), or_any: false }
    }

    /// Allows all other protocols of a reference after the listed ones. References do not contain this setting.
    #[must_use]
    pub fn or_any(mut self) -> Self {
        self.or_any = true;
        self
    }

    /// The protocols, in their order.
    pub fn choices(&self) -> &[ProtocolChoice] {
        &self.choices
    }

    /// The position of a protocol in the order; `None` if it is not used.
    #[doc(hidden)]
    pub fn position(&self, profile: ProfileTag) -> Option<usize> {
        let listed = self.choices.iter().position(|choice| choice.profile == profile);
        listed.or_else(|| self.or_any.then_some(self.choices.len()))
    }

    /// The properties of a protocol's connections.
    #[doc(hidden)]
    pub fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        properties_of(&self.choices, profile)
    }

    /// Whether both have the same encoding in a reference.
    #[doc(hidden)]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let is_equal = |(own, other): (&ProtocolChoice, &ProtocolChoice)| {
            own.profile == other.profile && own.on_the_wire().eq(other.on_the_wire())
        };
        self.choices.len() == other.choices.len()
            && self.choices.iter().zip(&other.choices).all(is_equal)
    }
}

/// The protocols of an adapter's references, the preferred one first (`RTCORBA::ServerProtocolPolicy`).
/// References do not contain endpoints of others; if none is left, creating a reference fails with
/// `INV_POLICY`.
///
/// The properties of accepted connections are those of the protocol here, then the adapter's
/// [`ConnectionProperties`], then those of the ORB, then the options.
///
/// ```
/// # use zorb_base as zorb;
/// use zorb::policy::{ConnectionProperties, ProtocolChoice, ServerProtocols};
/// use zorb_giop::ProfileTag;
///
/// let mut properties = ConnectionProperties::default();
/// properties.dscp = Some(46);
/// let iiop = ProtocolChoice { profile: ProfileTag::INTERNET_IOP, properties: Some(properties) };
/// let protocols = ServerProtocols::new([iiop, ProfileTag::TAO_UIOP.into()]);
/// assert_eq!(protocols.choices().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerProtocols {
    choices: Vec<ProtocolChoice>,
}

impl ServerProtocols {
    /// These protocols in this order.
    pub fn new<C: Into<ProtocolChoice>>(choices: impl IntoIterator<Item = C>) -> Self {
        Self { choices: choices.into_iter().map(Into::into).collect() }
    }

    /// The protocols, in their order.
    pub fn choices(&self) -> &[ProtocolChoice] {
        &self.choices
    }

    /// The properties of a protocol's connections.
    pub(crate) fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        properties_of(&self.choices, profile)
    }
}

/// Removes duplicate profile tags: protocols of an option may share one, as IIOP and SSLIOP do.
fn distinct(profiles: &[ProfileTag]) -> Vec<ProfileTag> {
    let mut distinct = Vec::new();
    for profile in profiles {
        if !distinct.contains(profile) {
            distinct.push(*profile);
        }
    }
    distinct
}

fn properties_of(choices: &[ProtocolChoice], profile: ProfileTag) -> ConnectionProperties {
    let choice = choices.iter().find(|choice| choice.profile == profile);
    choice.and_then(|choice| choice.properties).unwrap_or_default()
}

/// Gives a reference connections of its own, which calls through other references do not use
/// (`RTCORBA::PrivateConnectionPolicy`). Clones of the reference share them. As a policy of a thread or
/// the ORB it applies to each reference that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrivateConnection;

/// The properties of an adapter's connections with profiles of this tag: those of the protocol in
/// [`ServerProtocols`], then those of all protocols.
pub fn served_properties(policies: &Policies, profile: ProfileTag) -> ConnectionProperties {
    let protocols: Option<&ServerProtocols> = policies.value();
    let of_protocol = protocols.map(|chosen| chosen.properties(profile)).unwrap_or_default();
    of_protocol.or(policies.value().copied().unwrap_or_default())
}

fn read_choices(reader: &mut CdrReader<'_>) -> CdrResult<Vec<ProtocolChoice>> {
    let count = reader.read_count(4, "protocol list")?;
    if count > MAX_PROTOCOLS {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "protocol list"));
    }
    (0..count).map(|_| ProtocolChoice::read(reader)).collect()
}

impl TypedPolicy for ClientProtocols {
    const POLICY_TYPE: PolicyType = PolicyType::CLIENT_PROTOCOL;
    const LEVELS: Levels = Levels::CLIENT.and(Levels::ADAPTER);
    const EXPOSED: bool = true;

    /// The protocols of the option `ClientProtocols`.
    fn default_of(options: &Options) -> Option<Self> {
        let profiles = distinct(&options.client_profiles);
        let named = Self { or_any: options.allows_other_protocols(), ..Self::new(profiles) };
        (named != Self::default()).then_some(named)
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.choices.len(), "protocol list")?;
        self.choices.iter().try_for_each(|choice| choice.write(writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        read_choices(reader).map(|choices| Self { choices, or_any: false })
    }
}

impl TypedPolicy for ServerProtocols {
    const POLICY_TYPE: PolicyType = PolicyType::SERVER_PROTOCOL;
    const LEVELS: Levels = Levels::SERVER;

    /// The protocols of the option `ServerProtocols`.
    fn default_of(options: &Options) -> Option<Self> {
        let named = Self::new(distinct(&options.server_profiles));
        (named != Self::default()).then_some(named)
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.choices.len(), "protocol list")?;
        self.choices.iter().try_for_each(|choice| choice.write(writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        read_choices(reader).map(|choices| Self { choices })
    }

    /// The protocols of a stronger level replace these; the properties of all connections of that level
    /// take precedence over those of one protocol here.
    fn merged_under(&self, stronger: &Policies) -> Option<Policy> {
        if stronger.value::<Self>().is_some() {
            return None;
        }
        let of_all: ConnectionProperties = stronger.value().copied().unwrap_or_default();
        let choices = self.choices.iter().map(|choice| {
            let properties = choice.properties.map(|own| of_all.or(own));
            ProtocolChoice { properties, ..*choice }
        });
        Some(Policy::new(Self::new(choices)))
    }
}

impl TypedPolicy for PrivateConnection {
    const POLICY_TYPE: PolicyType = PolicyType::PRIVATE_CONNECTION;
    const LEVELS: Levels = Levels::CLIENT;

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self)
    }
}
