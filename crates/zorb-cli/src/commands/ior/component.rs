//! What a tagged component says.

use zorb::giop::{
    AlternateIiopAddress, CodeSetComponent, CodeSetComponentInfo, ComponentTag, HostPort,
    IiopProfile, LanePriority, OrbType, Policies, PolicyValue, SslSecTrans, TaggedComponent,
    TaoEndpoints,
};
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult};

use super::facts::{Facts, printable};
use super::key;

/// The most addresses read from one component.
const MAX_ADDRESSES: usize = 1024;

/// The octets that the name of a socket takes at least.
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

pub(super) fn explain(component: &TaggedComponent) -> Facts {
    let name = match component.tag.name() {
        Some(name) => name.to_owned(),
        None => "unknown kind".to_owned(),
    };
    let head = || {
        let facts = Facts::new(format!("{name} ({})", component.tag.0));
        facts.with_detail("tag", component.tag.0).with_detail("kind", name.clone())
    };
    match contents(component, head()) {
        Ok(Some(facts)) => facts,
        Ok(None) => head().with("octets", component.data.as_slice()),
        Err(error) => {
            let mut facts = head();
            facts.set_title(format!("{name}, malformed"));
            facts.with("malformed", error.to_string()).with("octets", component.data.as_slice())
        }
    }
}

/// What is in it; `None` when its kind is not understood.
fn contents(component: &TaggedComponent, mut facts: Facts) -> CdrResult<Option<Facts>> {
    let data = component.data.as_slice();
    let encapsulation = || CdrReader::for_encapsulation(data);
    match component.tag {
        ComponentTag::ORB_TYPE => {
            let Some(orb) = component.body::<OrbType>()? else { return Ok(None) };
            facts.add("orb", orb_name(orb));
            facts.add("number", format!("{:#010x}", orb.0));
        }
        ComponentTag::CODE_SETS => {
            let Some(sets) = component.body::<CodeSetComponentInfo>()? else { return Ok(None) };
            facts.add("char", code_sets(&sets.for_char));
            facts.add("wchar", code_sets(&sets.for_wchar));
        }
        ComponentTag::POLICIES => {
            let Some(policies) = component.body::<Policies>()? else { return Ok(None) };
            facts.add("policies", policies.0.iter().map(policy).collect::<Vec<_>>());
        }
        ComponentTag::ALTERNATE_IIOP_ADDRESS => {
            let Some(address) = component.body::<AlternateIiopAddress>()? else { return Ok(None) };
            add_address(&mut facts, address.host, address.port);
        }
        ComponentTag::COMPLETE_OBJECT_KEY => facts.add("object_key", key::explain(data, None)),
        ComponentTag::SSL_SEC_TRANS => {
            let Some(ssl) = component.body::<SslSecTrans>()? else { return Ok(None) };
            facts.add("port", ssl.port);
            facts.add("supports", association_options(ssl.target_supports));
            facts.add("requires", association_options(ssl.target_requires));
        }
        ComponentTag::TLS_SEC_TRANS => {
            let mut reader = encapsulation()?;
            facts.add("supports", association_options(reader.read_u16()?));
            facts.add("requires", association_options(reader.read_u16()?));
            facts.add("addresses", addresses(&mut reader)?);
        }
        ComponentTag::TAO_ENDPOINTS => {
            let Some(endpoints) = component.body::<TaoEndpoints>()? else { return Ok(None) };
            let groups = endpoints.0.into_iter().map(|endpoint| {
                let mut facts = Facts::default();
                add_address(&mut facts, endpoint.host, endpoint.port);
                facts.with("priority", endpoint.priority.to_string())
            });
            facts.add("endpoints", groups.collect::<Vec<_>>());
        }
        ComponentTag::ZORB_LANE_PRIORITY => {
            let Some(lane) = component.body::<LanePriority>()? else { return Ok(None) };
            facts.add("priority", lane.0.to_string());
        }
        ComponentTag::JAVA_CODEBASE => {
            facts.add("codebase", encapsulation()?.read_latin1("codebase")?.into_owned());
        }
        ComponentTag::FT_GROUP | ComponentTag::GROUP => {
            let mut reader = encapsulation()?;
            let (major, minor) = (reader.read_u8()?, reader.read_u8()?);
            facts.add("version", format!("{major}.{minor}"));
            facts.add("domain", reader.read_latin1("group domain")?.into_owned());
            facts.add("group", reader.read_u64()?);
            facts.add("group_version", reader.read_u32()?);
        }
        ComponentTag::FT_PRIMARY | ComponentTag::FT_HEARTBEAT_ENABLED => {
            facts.add("enabled", encapsulation()?.read_bool()?);
        }
        ComponentTag::ZORB_SHM_ENDPOINTS => {
            let mut reader = encapsulation()?;
            facts.add("machine", reader.read_latin1("machine")?.into_owned());
            let count = reader.read_count(MIN_NAME_SIZE, "endpoint list")?;
            let mut names = Vec::new();
            for _ in 0..count {
                let octets = reader.read_string_octets(u32::MAX, "endpoint")?;
                names.push(String::from_utf8_lossy(octets).into_owned());
            }
            facts.add("sockets", names);
        }
        ComponentTag::GROUP_IIOP => {
            let profile = IiopProfile::decode(data)?;
            facts.add("version", profile.version.to_string());
            add_address(&mut facts, profile.host, profile.port);
            facts.add("object_key", key::explain(&profile.object_key, None));
        }
        ComponentTag::OTS_POLICY | ComponentTag::INV_POLICY | ComponentTag::TRANSACTION_POLICY => {
            facts.add("policy", encapsulation()?.read_u16()?);
        }
        ComponentTag::RMI_CUSTOM_MAX_STREAM_FORMAT => {
            facts.add("format", u16::from(encapsulation()?.read_u8()?));
        }
        _ => return Ok(None),
    }
    Ok(Some(facts))
}

fn orb_name(orb: OrbType) -> String {
    match orb.name() {
        Some(name) => name.to_owned(),
        // Vendors make their number of letters.
        None => format!("unknown, \"{}\"", printable(&orb.0.to_be_bytes())),
    }
}

fn code_sets(sets: &CodeSetComponent) -> Facts {
    let native = if sets.native.0 == 0 { "none".to_owned() } else { sets.native.to_string() };
    let conversions: Vec<String> = sets.conversions.iter().map(ToString::to_string).collect();
    Facts::default().with("native", native).with("converts", conversions)
}

fn association_options(bits: u16) -> Vec<String> {
    let named = ASSOCIATION_OPTIONS.iter().enumerate();
    let named = named.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| (*name).to_owned());
    let rest = bits >> ASSOCIATION_OPTIONS.len() << ASSOCIATION_OPTIONS.len();
    named.chain((rest != 0).then(|| format!("{rest:#06x}"))).collect()
}

fn add_address(facts: &mut Facts, host: String, port: u16) {
    let address = HostPort { host, port };
    let title = [facts.title(), &address.to_string()].join(" ");
    facts.set_title(title.trim_start());
    facts.add("host", address.host);
    facts.add("port", port);
}

fn addresses(reader: &mut CdrReader<'_>) -> CdrResult<Vec<Facts>> {
    let count = reader.read_count(7, "address list")?;
    if count > MAX_ADDRESSES {
        return Err(reader.error(CdrErrorKind::BoundExceeded, "address list"));
    }
    let mut groups = Vec::with_capacity(count);
    for _ in 0..count {
        let host = reader.read_latin1("host")?.into_owned();
        let mut facts = Facts::default();
        add_address(&mut facts, host, reader.read_u16()?);
        groups.push(facts);
    }
    Ok(groups)
}

/// The name of a policy type, where the standard has given it one.
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

fn policy(policy: &PolicyValue) -> Facts {
    let name = policy_name(policy.policy_type);
    let name = name.unwrap_or("unknown policy");
    let facts = Facts::new(format!("{name} ({})", policy.policy_type))
        .with_detail("type", policy.policy_type)
        .with_detail("name", name);
    match policy_value(policy) {
        Ok(Some(value)) => facts.with("value", value),
        _ => facts.with("octets", policy.value.as_slice()),
    }
}

/// A policy's value in words; `None` when its type is not understood.
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
