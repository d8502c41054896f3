//! Which protocols a client and a server use, and how their connections are set up
//! (`RTCORBA::ClientProtocolPolicy`, `ServerProtocolPolicy`, `PrivateConnectionPolicy`).

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::ProfileTag;

use super::{
    ConnectionProperties, Levels, Policies, Policy, PolicyType, ServedOf, ShaperOf, TypedPolicy,
};
use crate::options::Options;
use crate::orb::any_may_follow;

/// The most protocols that a policy in a reference may name.
const MAX_PROTOCOLS: usize = 64;

/// A protocol of a protocol policy (`RTCORBA::Protocol`), known by the kind of its profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProtocolChoice {
    /// The kind of its profiles, as in [`ProfileTag::INTERNET_IOP`].
    pub profile: ProfileTag,
    /// How its connections are set up (`transport_protocol_properties`); `None` leaves it to weaker
    /// policies and the options.
    pub properties: Option<ConnectionProperties>,
}

impl From<ProfileTag> for ProtocolChoice {
    fn from(profile: ProfileTag) -> Self {
        Self { profile, properties: None }
    }
}

fn read_size(reader: &mut CdrReader<'_>) -> CdrResult<Option<u32>> {
    Ok(u32::try_from(reader.read_i32()?).ok().filter(|&size| size > 0))
}

impl ProtocolChoice {
    /// The properties that references can tell of: sizes of queues, keep alive, no routes, no delay.
    fn on_the_wire(&self) -> (i32, i32, [bool; 3]) {
        let size = |given: Option<u32>| {
            given.map_or(0, |octets| i32::try_from(octets).unwrap_or(i32::MAX))
        };
        let given = self.properties.unwrap_or_default();
        let queues = (size(given.send_buffer), size(given.receive_buffer));
        let no_delay = given.no_delay.unwrap_or(true);
        let dont_route = given.dont_route.unwrap_or(false);
        let tcp = [given.keep_alive.unwrap_or(false), dont_route, no_delay];
        let none = [false, false, true];
        match self.profile {
            ProfileTag::INTERNET_IOP => (queues.0, queues.1, tcp),
            ProfileTag::TAO_UIOP => (queues.0, queues.1, none),
            ProfileTag::TAO_SHMIOP => (queues.0, 0, none),
            _ => (0, 0, none),
        }
    }

    /// The octets that TAO has after the tag: none for GIOP, then what the transport has.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.profile.0);
        let (send, receive, flags) = self.on_the_wire();
        match self.profile {
            ProfileTag::INTERNET_IOP => {
                writer.write_i32(send);
                writer.write_i32(receive);
                flags.iter().for_each(|flag| writer.write_bool(*flag));
            }
            ProfileTag::TAO_UIOP => {
                writer.write_i32(send);
                writer.write_i32(receive);
            }
            ProfileTag::TAO_SHMIOP => {
                writer.write_i32(send);
                writer.write_latin1("")?; // mmap_filename
                writer.write_latin1("")?; // mmap_lockname
            }
            _ => {}
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let profile = ProfileTag(reader.read_u32()?);
        let mut properties = ConnectionProperties::default();
        match profile {
            ProfileTag::INTERNET_IOP => {
                properties.send_buffer = read_size(reader)?;
                properties.receive_buffer = read_size(reader)?;
                // What is the default leaves it to weaker levels, which it cannot be told from.
                properties.keep_alive = reader.read_bool()?.then_some(true);
                properties.dont_route = reader.read_bool()?.then_some(true);
                properties.no_delay = (!reader.read_bool()?).then_some(false);
            }
            ProfileTag::TAO_UIOP => {
                properties.send_buffer = read_size(reader)?;
                properties.receive_buffer = read_size(reader)?;
            }
            ProfileTag::TAO_SHMIOP => {
                properties.send_buffer = read_size(reader)?;
                reader.read_latin1("mmap_filename")?;
                reader.read_latin1("mmap_lockname")?;
            }
            _ => return Ok(Self { profile, properties: None }),
        }
        let is_default = properties == ConnectionProperties::default();
        Ok(Self { profile, properties: (!is_default).then_some(properties) })
    }
}

/// The protocols that a client uses, the preferred one first (`RTCORBA::ClientProtocolPolicy`).
///
/// A reference without a profile of any of them cannot be called: `INV_POLICY`, unless
/// [`or_any`](Self::or_any) lets the others follow. Objects of the same ORB are called without a
/// protocol all the same.
///
/// A server may have clients know one. Those whose ORB has been told to
/// [understand](super::PolicyManager::understand) it, which `zorb-rt` does, go by it, and their own must
/// be equal to it.
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

    /// The same, with the other protocols of a reference after them. It does not travel.
    #[must_use]
    pub fn or_any(mut self) -> Self {
        self.or_any = true;
        self
    }

    /// The protocols, in their order.
    pub fn choices(&self) -> &[ProtocolChoice] {
        &self.choices
    }

    /// The place of a protocol in the order; `None` for one that is not to be used.
    pub(crate) fn place(&self, profile: ProfileTag) -> Option<usize> {
        let listed = self.choices.iter().position(|choice| choice.profile == profile);
        listed.or_else(|| self.or_any.then_some(self.choices.len()))
    }

    /// What is said of the connections of a protocol.
    pub(crate) fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        said_of(&self.choices, profile)
    }

    /// Whether a reference could tell of both in the same words.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let said = |choice: &ProtocolChoice| (choice.profile, choice.on_the_wire());
        self.choices.iter().map(said).eq(other.choices.iter().map(said))
    }
}

/// The protocols of an adapter's references, the preferred one first (`RTCORBA::ServerProtocolPolicy`).
/// Endpoints of others do not stand in the references; where that leaves none, they cannot be made:
/// `INV_POLICY`.
///
/// How the connections of a protocol are set up by which the adapter's objects are called is said here,
/// then by the adapter's [`ConnectionProperties`], then by those of the ORB, then by the options.
///
/// ```
/// use zorb_core::policy::{ConnectionProperties, ProtocolChoice, ServerProtocols};
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

    /// What is said of the connections of a protocol.
    pub(crate) fn properties(&self, profile: ProfileTag) -> ConnectionProperties {
        said_of(&self.choices, profile)
    }
}

/// Each kind of profile once: protocols of an option may share one, as those over TCP and TLS do.
fn distinct(profiles: &[ProfileTag]) -> Vec<ProfileTag> {
    let mut distinct = Vec::new();
    for profile in profiles {
        if !distinct.contains(profile) {
            distinct.push(*profile);
        }
    }
    distinct
}

fn said_of(choices: &[ProtocolChoice], profile: ProfileTag) -> ConnectionProperties {
    let choice = choices.iter().find(|choice| choice.profile == profile);
    choice.and_then(|choice| choice.properties).unwrap_or_default()
}

/// A reference with connections of its own, which calls by others do not use
/// (`RTCORBA::PrivateConnectionPolicy`). Clones of the reference share them. As a policy of a thread or
/// the ORB it gives each reference that is called under it connections of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrivateConnection;

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

    /// What the option `ClientProtocols` names.
    fn default_of(options: &Options) -> Option<Self> {
        let [profiles, _] = &options.chosen_profiles;
        let named = Self { or_any: any_may_follow(options), ..Self::new(distinct(profiles)) };
        (named != Self::default()).then_some(named)
    }

    fn shaper() -> Option<ShaperOf> {
        Some(ShaperOf::WAYS)
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

    /// What the option `ServerProtocols` names.
    fn default_of(options: &Options) -> Option<Self> {
        let [_, profiles] = &options.chosen_profiles;
        let named = Self::new(distinct(profiles));
        (named != Self::default()).then_some(named)
    }

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.choices.len(), "protocol list")?;
        self.choices.iter().try_for_each(|choice| choice.write(writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        read_choices(reader).map(|choices| Self { choices })
    }

    fn served() -> Option<ServedOf> {
        Some(ServedOf::CONNECTIONS)
    }

    /// The protocols of a stronger level are the only ones; what that level says of all connections comes
    /// before what is said here of those of one protocol.
    fn beneath(&self, stronger: &Policies) -> Option<Policy> {
        if stronger.value::<Self>().is_some() {
            return None;
        }
        let said: ConnectionProperties = stronger.value().copied().unwrap_or_default();
        let choices = self.choices.iter().map(|choice| {
            let properties = choice.properties.map(|own| said.or(own));
            ProtocolChoice { properties, ..*choice }
        });
        Some(Policy::new(Self::new(choices)))
    }
}

impl TypedPolicy for PrivateConnection {
    const POLICY_TYPE: PolicyType = PolicyType::PRIVATE_CONNECTION;
    const LEVELS: Levels = Levels::CLIENT;

    fn shaper() -> Option<ShaperOf> {
        Some(ShaperOf::WAYS)
    }

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self)
    }
}
