//! Which protocols a client and a server use, and how their connections are set up
//! (`RTCORBA::ClientProtocolPolicy`, `ServerProtocolPolicy`, `PrivateConnectionPolicy`).

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_giop::ProfileTag;
use zorb_transport::StreamOptions;

use super::{Levels, PolicyType, TypedPolicy};

/// The most protocols that a policy in a reference may name.
const MAX_PROTOCOLS: usize = 64;

/// How connections of one protocol are set up (`RTCORBA::TCPProtocolProperties` and its kin). A
/// protocol passes over what it has no counterpart for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StreamProperties {
    /// Octets of the socket's send queue. Default: as the ORB's options say.
    pub send_buffer: Option<u32>,
    /// Octets of the socket's receive queue. Default: as the ORB's options say.
    pub receive_buffer: Option<u32>,
    /// Whether the system probes idle connections. Default: no.
    pub keep_alive: bool,
    /// Whether small messages are sent at once. Default: yes.
    pub no_delay: bool,
    /// The class of service that routers see (DSCP, 0 to 63), in TCP. Not on the wire. Default: the
    /// system's.
    pub dscp: Option<u8>,
}

impl Default for StreamProperties {
    fn default() -> Self {
        Self {
            send_buffer: None,
            receive_buffer: None,
            keep_alive: false,
            no_delay: true,
            dscp: None,
        }
    }
}

impl StreamProperties {
    /// What connections are set up with, where the options say `options`.
    fn over(&self, options: StreamOptions) -> StreamOptions {
        let octets = |given: Option<u32>| given.and_then(|octets| usize::try_from(octets).ok());
        StreamOptions {
            no_delay: self.no_delay,
            keep_alive: self.keep_alive,
            send_buffer: octets(self.send_buffer).or(options.send_buffer),
            recv_buffer: octets(self.receive_buffer).or(options.recv_buffer),
            dscp: self.dscp.or(options.dscp),
            priority: options.priority,
        }
    }
}

/// A protocol of a protocol policy (`RTCORBA::Protocol`), known by the kind of its profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProtocolChoice {
    /// The kind of its profiles, as in [`ProfileTag::INTERNET_IOP`].
    pub profile: ProfileTag,
    /// How its connections are set up; `None` leaves it to the options.
    pub properties: Option<StreamProperties>,
}

impl From<ProfileTag> for ProtocolChoice {
    fn from(profile: ProfileTag) -> Self {
        Self { profile, properties: None }
    }
}

fn write_size(size: Option<u32>, writer: &mut CdrWriter<'_>) {
    writer.write_i32(size.map_or(0, |size| i32::try_from(size).unwrap_or(i32::MAX)));
}

fn read_size(reader: &mut CdrReader<'_>) -> CdrResult<Option<u32>> {
    Ok(u32::try_from(reader.read_i32()?).ok().filter(|&size| size > 0))
}

impl ProtocolChoice {
    /// The octets that TAO has after the tag: none for GIOP, then what the transport has.
    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(self.profile.0);
        let properties = self.properties.unwrap_or_default();
        match self.profile {
            ProfileTag::INTERNET_IOP => {
                write_size(properties.send_buffer, writer);
                write_size(properties.receive_buffer, writer);
                writer.write_bool(properties.keep_alive);
                writer.write_bool(false); // dont_route
                writer.write_bool(properties.no_delay);
            }
            ProfileTag::TAO_UIOP => {
                write_size(properties.send_buffer, writer);
                write_size(properties.receive_buffer, writer);
            }
            ProfileTag::TAO_SHMIOP => {
                write_size(properties.send_buffer, writer);
                writer.write_latin1("")?; // mmap_filename
                writer.write_latin1("")?; // mmap_lockname
            }
            _ => {}
        }
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let profile = ProfileTag(reader.read_u32()?);
        let mut properties = StreamProperties::default();
        match profile {
            ProfileTag::INTERNET_IOP => {
                properties.send_buffer = read_size(reader)?;
                properties.receive_buffer = read_size(reader)?;
                properties.keep_alive = reader.read_bool()?;
                reader.read_bool()?;
                properties.no_delay = reader.read_bool()?;
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
        let is_default = properties == StreamProperties::default();
        Ok(Self { profile, properties: (!is_default).then_some(properties) })
    }
}

/// The protocols that a client uses, the preferred one first (`RTCORBA::ClientProtocolPolicy`).
///
/// A reference without a profile of any of them cannot be called: `INV_POLICY`, unless
/// [`or_any`](Self::or_any) lets the others follow. Objects of the same ORB are called without a
/// protocol all the same.
///
/// A reference with such a policy finds its own ways to the object. That of the ORB holds for
/// references whose ways have not been looked for yet, by a call or by this. A server may have
/// clients know one; theirs must be equal to it then.
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

    /// How connections of a protocol are set up.
    pub(crate) fn stream_options(
        &self,
        profile: ProfileTag,
        options: StreamOptions,
    ) -> StreamOptions {
        let choice = self.choices.iter().find(|choice| choice.profile == profile);
        match choice.and_then(|choice| choice.properties) {
            Some(properties) => properties.over(options),
            None => options,
        }
    }
}

/// The protocols of an adapter's references, the preferred one first (`RTCORBA::ServerProtocolPolicy`).
/// Endpoints of others do not stand in the references; where that leaves none, they cannot be made:
/// `INV_POLICY`. How connections are set up is said by the ORB's options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerProtocols(pub Vec<ProfileTag>);

/// A reference with connections of its own, which calls by others do not use
/// (`RTCORBA::PrivateConnectionPolicy`). Clones of the reference share them.
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
    const LEVELS: Levels = Levels::ORB.and(Levels::OBJECT).and(Levels::ADAPTER);
    const EXPOSED: bool = true;

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

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_count(self.0.len(), "protocol list")?;
        self.0.iter().try_for_each(|profile| ProtocolChoice::from(*profile).write(writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let choices = read_choices(reader)?;
        Ok(Self(choices.into_iter().map(|choice| choice.profile).collect()))
    }
}

impl TypedPolicy for PrivateConnection {
    const POLICY_TYPE: PolicyType = PolicyType::PRIVATE_CONNECTION;
    const LEVELS: Levels = Levels::OBJECT;

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self)
    }
}
