//! Decodes tagged components.

use zorb::giop::{
    AlternateIiopAddress, CodeSetComponent, CodeSetComponentInfo, ComponentTag, HostPort,
    IiopProfile, LanePriority, OrbType, Policies, PolicyValue, SslSecTrans, TaggedComponent,
    TaoEndpoints,
};
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};

use super::fields::{Node, printable};
use super::key;

/// The maximum number of addresses read from one component.
const MAX_ADDRESSES: usize = 1024;

/// The minimum number of octets of an encoded socket name.
const MIN_NAME_SIZE: usize = 5;

/// The bits of `Security::AssociationOptions`, from the lowest.
const ASSOCIATION_OPTIONS: [&str; 12] = [
    "NoProtection",
    "Integrity",
    "Confidentiality",
    "DetectReplay",
    "DetectMisordering",
    "EstablishTrustInTarget",
    "EstablishTrustInClient",
    "NoDelegation",
    "SimpleDelegation",
    "CompositeDelegation",
    "IdentityAssertion",
    "DelegationByClient",
];

pub(super) fn explain(component: &TaggedComponent) -> Node {
    let name = match component.tag.name() {
        Some(name) => name.to_owned(),
        None => "unknown kind".to_owned(),
    };
    let head = || {
        let fields = Node::new(format!("{name} ({})", component.tag.0));
        fields.with_detail("tag", component.tag.0).with_detail("kind", name.clone())
    };
    match contents(component, head()) {
        Ok(Some(fields)) => fields,
        Ok(None) => head().with("octets", component.data.as_slice()),
        Err(error) => {
            let mut fields = head();
            fields.set_title(format!("{name}, malformed"));
            fields.with("malformed", error.to_string()).with("octets", component.data.as_slice())
        }
    }
}

/// Decodes the contents; `None` when the kind is unknown.
fn contents(component: &TaggedComponent, mut fields: Node) -> CdrResult<Option<Node>> {
    let data = component.data.as_slice();
    let encapsulation = || CdrReader::for_encapsulation(data);
    match component.tag {
        ComponentTag::ORB_TYPE => {
            let Some(orb) = component.body::<OrbType>()? else { return Ok(None) };
            fields.add("orb", orb_name(orb));
            fields.add("number", format!("{:#010x}", orb.0));
        }
        ComponentTag::CODE_SETS => {
            let Some(sets) = component.body::<CodeSetComponentInfo>()? else { return Ok(None) };
            fields.add("char", code_sets(&sets.for_char));
            fields.add("wchar", code_sets(&sets.for_wchar));
        }
        ComponentTag::POLICIES => {
            let Some(policies) = component.body::<Policies>()? else { return Ok(None) };
            fields.add("policies", policies.0.iter().map(policy).collect::<Vec<_>>());
        }
        ComponentTag::ALTERNATE_IIOP_ADDRESS => {
            let Some(address) = component.body::<AlternateIiopAddress>()? else { return Ok(None) };
            add_address(&mut fields, address.host, address.port);
        }
        ComponentTag::COMPLETE_OBJECT_KEY => fields.add("object_key", key::explain(data, None)),
        ComponentTag::SSL_SEC_TRANS => {
            let Some(ssl) = component.body::<SslSecTrans>()? else { return Ok(None) };
            fields.add("port", ssl.port);
            fields.add("supports", association_options(ssl.target_supports));
            fields.add("requires", association_options(ssl.target_requires));
        }
        ComponentTag::TLS_SEC_TRANS => {
            let mut reader = encapsulation()?;
            fields.add("supports", association_options(reader.read_u16()?));
            fields.add("requires", association_options(reader.read_u16()?));
            fields.add("addresses", addresses(&mut reader)?);
        }
        ComponentTag::TAO_ENDPOINTS => {
            let Some(endpoints) = component.body::<TaoEndpoints>()? else { return Ok(None) };
            let groups = endpoints.0.into_iter().map(|endpoint| {
                let mut fields = Node::default();
                add_address(&mut fields, endpoint.host, endpoint.port);
                fields.with("priority", endpoint.priority.to_string())
            });
            fields.add("endpoints", groups.collect::<Vec<_>>());
        }
        ComponentTag::ZORB_LANE_PRIORITY => {
            let Some(lane) = component.body::<LanePriority>()? else { return Ok(None) };
            fields.add("priority", lane.0.to_string());
        }
        ComponentTag::JAVA_CODEBASE => {
            fields.add("codebase", encapsulation()?.read_latin1("codebase")?.into_owned());
        }
        ComponentTag::FT_GROUP | ComponentTag::GROUP => {
            let mut reader = encapsulation()?;
            let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
            fields.add("version", format!("{major}.{minor}"));
            fields.add("domain", reader.read_latin1("group domain")?.into_owned());
            fields.add("group", reader.read_u64()?);
            fields.add("group_version", reader.read_u32()?);
        }
        ComponentTag::FT_PRIMARY | ComponentTag::FT_HEARTBEAT_ENABLED => {
            fields.add("enabled", encapsulation()?.read_bool()?);
        }
        ComponentTag::ZORB_SHM_ENDPOINTS => {
            let mut reader = encapsulation()?;
            fields.add("machine", reader.read_latin1("machine")?.into_owned());
            let count = reader.read_count(MIN_NAME_SIZE, "endpoint list")?;
            let mut names = Vec::new();
            for _ in 0..count {
                let octets = reader.read_string_octets(u32::MAX, "endpoint")?;
                names.push(String::from_utf8_lossy(octets).into_owned());
            }
            fields.add("sockets", names);
        }
        ComponentTag::GROUP_IIOP => {
            let profile = IiopProfile::decode(data)?;
            fields.add("version", profile.version.to_string());
            add_address(&mut fields, profile.host, profile.port);
            fields.add("object_key", key::explain(&profile.object_key, None));
        }
        ComponentTag::OTS_POLICY | ComponentTag::INV_POLICY | ComponentTag::TRANSACTION_POLICY => {
            fields.add("policy", encapsulation()?.read_u16()?);
        }
        ComponentTag::RMI_CUSTOM_MAX_STREAM_FORMAT => {
            fields.add("format", u16::from(encapsulation()?.read_u8()?));
        }
        _ => return Ok(None),
    }
    Ok(Some(fields))
}

fn orb_name(orb: OrbType) -> String {
    match orb.name() {
        Some(name) => name.to_owned(),
        // Vendors choose four letters as their ORB type.
        None => format!("unknown, \"{}\"", printable(&orb.0.to_be_bytes())),
    }
}

fn code_sets(sets: &CodeSetComponent) -> Node {
    let native = if sets.native.0 == 0 { "none".to_owned() } else { sets.native.to_string() };
    let conversions: Vec<String> = sets.conversions.iter().map(ToString::to_string).collect();
    Node::default().with("native", native).with("converts", conversions)
}

fn association_options(bits: u16) -> Vec<String> {
    let named = ASSOCIATION_OPTIONS.iter().enumerate();
    let named = named.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| (*name).to_owned());
    let rest = bits >> ASSOCIATION_OPTIONS.len() << ASSOCIATION_OPTIONS.len();
    named.chain((rest != 0).then(|| format!("{rest:#06x}"))).collect()
}

fn add_address(fields: &mut Node, host: String, port: u16) {
    let address = HostPort { host, port };
    let title = [fields.title(), &address.to_string()].join(" ");
    fields.set_title(title.trim_start());
    fields.add("host", address.host);
    fields.add("port", port);
}

fn addresses(reader: &mut CdrReader<'_>) -> CdrResult<Vec<Node>> {
    let count = reader.read_count(7, "address list")?;
    if count > MAX_ADDRESSES {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "address list"));
    }
    let mut groups = Vec::with_capacity(count);
    for _ in 0..count {
        let host = reader.read_latin1("host")?.into_owned();
        let mut fields = Node::default();
        add_address(&mut fields, host, reader.read_u16()?);
        groups.push(fields);
    }
    Ok(groups)
}

/// The standard name of a policy type, if any.
fn policy_name(policy_type: u32) -> Option<&'static str> {
    Some(match policy_type {
        23 => "Rebind",
        24 => "SyncScope",
        25 => "RequestPriority",
        26 => "ReplyPriority",
        27 => "RequestStartTime",
        28 => "RequestEndTime",
        29 => "ReplyStartTime",
        30 => "ReplyEndTime",
        31 => "RelativeRequestTimeout",
        32 => "RelativeRoundtripTimeout",
        33 => "Routing",
        34 => "MaxHops",
        35 => "QueueOrder",
        37 => "Bidirectional",
        40 => "PriorityModel",
        41 => "Threadpool",
        42 => "ServerProtocol",
        43 => "ClientProtocol",
        44 => "PrivateConnection",
        45 => "PriorityBandedConnection",
        64 => "CompressionEnabling",
        65 => "CompressorIdLevelList",
        66 => "CompressionLowValue",
        67 => "CompressionMinRatio",
        _ => return None,
    })
}

fn policy(policy: &PolicyValue) -> Node {
    let name = policy_name(policy.policy_type);
    let name = name.unwrap_or("unknown policy");
    let fields = Node::new(format!("{name} ({})", policy.policy_type))
        .with_detail("type", policy.policy_type)
        .with_detail("name", name);
    match policy_value(policy) {
        Ok(Some(value)) => fields.with("value", value),
        _ => fields.with("octets", policy.value.as_slice()),
    }
}

/// A policy's value as text; `None` when its type is unknown.
fn policy_value(policy: &PolicyValue) -> CdrResult<Option<String>> {
    let mut reader = CdrReader::for_encapsulation(&policy.value)?;
    Ok(Some(match policy.policy_type {
        37 if reader.read_u16()? == 1 => "both".to_owned(),
        37 => "normal".to_owned(),
        40 => {
            let model =
                if reader.read_u32()? == 0 { "client propagated" } else { "server declared" };
            format!("{model}, priority {}", reader.read_i16()?)
        }
        64 => if reader.read_bool()? { "enabled" } else { "disabled" }.to_owned(),
        65 => {
            let mut texts = Vec::new();
            for _ in 0..reader.read_count(4, "compressor list")? {
                texts.push(format!(
                    "{} at level {}",
                    compressor(reader.read_u16()?),
                    reader.read_u16()?
                ));
            }
            texts.join(", ")
        }
        66 => format!("{} octets", reader.read_u32()?),
        _ => return Ok(None),
    }))
}

fn compressor(id: u16) -> String {
    const NAMES: [&str; 10] =
        ["none", "gzip", "pkzip", "bzip2", "zlib", "lzma", "lzo", "rzip", "7x", "xar"];
    NAMES.get(usize::from(id)).map_or_else(|| format!("compressor {id}"), |name| (*name).to_owned())
}
