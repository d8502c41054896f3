//! References of other ORBs, and malformed ones.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, ReadContext, Wire};
use zorb_giop::{
    AlternateIiopAddress, CodeSetComponentInfo, CodeSetId, ComponentTag, GiopVersion, IiopProfile,
    Ior, IorTextError, LanePriority, OrbType, Policies, ProfileTag, SslSecTrans, TaggedComponent,
    TaggedProfile, TaoEndpoint, TaoEndpoints, iiop_object_key, read_components, write_components,
};

use crate::support::{hex, references};

#[test]
fn captured_references_are_read_as_recorded() {
    for block in references() {
        let text = block.text("text");
        let ior = Ior::from_stringified(text).expect("a reference");
        assert_eq!(ior.type_id, block.text("type_id"));
        assert!(!ior.is_nil());
        let tags: Vec<u32> = block.all("profile").map(|tag| tag.parse().expect("a tag")).collect();
        assert_eq!(ior.profiles.iter().map(|profile| profile.tag.0).collect::<Vec<_>>(), tags);

        let profile = ior.iiop_profiles().next().expect("an IIOP profile");
        let recorded: Vec<&str> = block.text("iiop").split(' ').collect();
        assert_eq!(profile.version.to_string(), recorded[0]);
        assert_eq!(profile.host, recorded[1]);
        assert_eq!(profile.port.to_string(), recorded[2]);
        assert_eq!(profile.object_key, hex(recorded[3]));
        assert_eq!(iiop_object_key(&ior.profiles[0].data), Ok(&*profile.object_key));
        let components: Vec<_> = profile
            .components
            .iter()
            .map(|component| (component.tag.0, component.data.clone()))
            .collect();
        let recorded: Vec<_> = block
            .all("component")
            .map(|line| line.split_once(' ').expect("tag and data"))
            .map(|(tag, data)| (tag.parse().expect("a tag"), hex(data)))
            .collect();
        assert_eq!(components, recorded, "{}", block.name);

        // Encoded again in the original byte order, only the padding may differ.
        let again = profile.encode(block.order()).expect("writable");
        assert_eq!(IiopProfile::decode(&again.data), Ok(profile));
        let octets = ior.to_encapsulation(block.order()).expect("writable");
        let original = hex(text.get(4..).expect("hex"));
        assert_eq!(octets.len(), original.len());
        assert_eq!(Ior::from_encapsulation(&octets), Ok(ior.clone()));
        assert_eq!(Ior::from_stringified(&ior.to_stringified().expect("writable")), Ok(ior));
    }
}

fn captured(name: &str) -> IiopProfile {
    let blocks = references();
    let block = blocks.iter().find(|block| block.name == name).expect("such a reference");
    let ior = Ior::from_stringified(block.text("text")).expect("a reference");
    ior.iiop_profiles().next().expect("an IIOP profile")
}

#[test]
fn captured_components_are_understood() {
    let ssl = captured("omniorb_ssl");
    let expected = SslSecTrans { target_supports: 0x66, target_requires: 0x66, port: 0x44c2 };
    assert_eq!(ssl.component(), Ok(Some(expected)));
    assert_eq!(ssl.component(), Ok(Some(OrbType::OMNIORB)));
    assert_eq!(ssl.component::<Policies>(), Ok(None));

    let policies: Policies =
        captured("omniorb_ziop").component().expect("well formed").expect("there");
    let types: Vec<u32> = policies.0.iter().map(|policy| policy.policy_type).collect();
    assert_eq!(types, [64, 65]);
    assert_eq!(policies.0[0].value, [1, 1]);

    let jacorb = captured("jacorb_persist");
    assert_eq!(jacorb.component(), Ok(Some(OrbType::JACORB)));
    let code_sets: CodeSetComponentInfo = jacorb.component().expect("well formed").expect("there");
    assert_eq!(code_sets.for_char.native, CodeSetId::UTF_8);
    assert_eq!(code_sets.for_wchar.conversions, [CodeSetId::UTF_8, CodeSetId::UCS_2_LEVEL_1]);
}

fn profile(version: GiopVersion) -> IiopProfile {
    IiopProfile {
        version,
        host: "host.example.org".to_string(),
        port: 2809,
        object_key: b"a key".to_vec(),
        components: Vec::new(),
    }
}

#[test]
fn components_survive_a_round_trip() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut original = profile(GiopVersion::V1_2);
        original.add(&OrbType::ZORB, order).expect("writable");
        original.add(&CodeSetComponentInfo::zorb(), order).expect("writable");
        let addresses = [("10.0.0.1", 1), ("2001:db8::1", 2)]
            .map(|(host, port)| AlternateIiopAddress { host: host.to_string(), port });
        for address in &addresses {
            original.add(address, order).expect("writable");
        }
        let endpoints = TaoEndpoints(vec![
            TaoEndpoint { host: "a".to_string(), port: 1, priority: -3 },
            TaoEndpoint { host: "bc".to_string(), port: 2, priority: 32767 },
        ]);
        original.add(&endpoints, order).expect("writable");
        original.add(&LanePriority(-7), order).expect("writable");
        let unknown = TaggedComponent { tag: ComponentTag(0xfeed), data: vec![9, 8, 7] };
        original.components.push(unknown);

        let tagged = original.encode(order).expect("writable");
        let decoded = IiopProfile::decode(&tagged.data).expect("readable");
        assert_eq!(decoded, original);
        assert_eq!(decoded.component(), Ok(Some(OrbType::ZORB)));
        assert_eq!(decoded.component(), Ok(Some(CodeSetComponentInfo::zorb())));
        assert_eq!(decoded.component(), Ok(Some(endpoints)));
        assert_eq!(decoded.component(), Ok(Some(LanePriority(-7))));
        assert!(decoded.components_of::<AlternateIiopAddress>().eq(addresses));
    }
    assert_eq!(OrbType::ZORB.0.to_be_bytes(), *b"ZRB\0");
}

#[test]
fn versions_of_profiles_follow_the_standard() {
    let mut old = profile(GiopVersion::V1_0);
    old.add(&OrbType::ZORB, ByteOrder::Big).expect("writable");
    let decoded = IiopProfile::decode(&old.encode(ByteOrder::Big).expect("writable").data);
    assert_eq!(decoded, Ok(profile(GiopVersion::V1_0)), "1.0 has no components");

    // A later minor version with unknown members.
    let mut later = profile(GiopVersion::V1_2).encode(ByteOrder::Little).expect("writable").data;
    later[2] = 7;
    later.extend_from_slice(b"more to come");
    assert_eq!(IiopProfile::decode(&later), Ok(profile(GiopVersion::V1_2)));

    later[1] = 2;
    let failed = IiopProfile::decode(&later).expect_err("another major version");
    assert_eq!(failed.kind, CdrErrorKind::Unsupported);
}

#[test]
fn unknown_profiles_survive_octet_for_octet() {
    let odd = TaggedProfile { tag: ProfileTag(0x3039), data: vec![0xff, 1, 0, 7, 7] };
    let empty = TaggedProfile { tag: ProfileTag::TAO_UIOP, data: Vec::new() };
    let iiop = profile(GiopVersion::V1_1).encode(ByteOrder::Big).expect("writable");
    let ior = Ior { type_id: String::new(), profiles: vec![odd, empty, iiop] };
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut octets = vec![0xaa];
        let mut writer = CdrWriter::resume(&mut octets, order);
        Ior::write(&ior, &mut writer).expect("writable");
        let mut reader = CdrReader::new(&octets, order);
        reader.read_u8().expect("an octet");
        assert_eq!(Ior::read(&mut reader), Ok(ior.clone()));
        assert_eq!(reader.remaining(), 0);
    }
}

#[test]
fn nil_has_no_profiles() {
    assert!(Ior::NIL.is_nil());
    assert_eq!(Ior::default(), Ior::NIL);
    let text = Ior::NIL.to_stringified().expect("writable");
    assert_eq!(Ior::from_stringified(&text), Ok(Ior::NIL));
    let big = "IOR:00000000000000010000000000000000";
    assert_eq!(Ior::from_stringified(big), Ok(Ior::NIL));
    assert_eq!(Ior::from_stringified(&big.to_lowercase()), Ok(Ior::NIL));
    assert_eq!(Ior::from_stringified(&format!("\n {big}\r\n")), Ok(Ior::NIL));
}

#[test]
fn malformed_text_is_refused_with_the_position() {
    let read = Ior::from_stringified;
    assert_eq!(read(""), Err(IorTextError::NoPrefix));
    assert_eq!(read("IOR"), Err(IorTextError::NoPrefix));
    assert_eq!(read("ÏOR:00"), Err(IorTextError::NoPrefix));
    assert_eq!(read("corbaloc::host/key"), Err(IorTextError::NoPrefix));
    assert_eq!(read(" IOR:00g0"), Err(IorTextError::NotHex { position: 7 }));
    assert_eq!(read("IOR:0é"), Err(IorTextError::NotHex { position: 5 }));
    assert_eq!(read("IOR:000"), Err(IorTextError::OddLength));
    assert!(matches!(read("IOR:"), Err(IorTextError::Malformed(_))));
    assert!(matches!(read("IOR:00000000"), Err(IorTextError::Malformed(_))));
    let long = format!("IOR:{}", "0".repeat(zorb_giop::MAX_STRINGIFIED));
    assert!(matches!(read(&long), Err(IorTextError::TooLong { .. })));
}

#[test]
fn hostile_counts_and_lengths_are_refused() {
    // type_id "", then a count of profiles.
    let claims = |count: u32, rest: usize| {
        let mut octets = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        octets.extend_from_slice(&count.to_be_bytes());
        octets.resize(octets.len() + rest, 0);
        Ior::from_encapsulation(&octets).map_err(|error| error.kind)
    };
    assert_eq!(claims(u32::MAX, 64), Err(CdrErrorKind::LengthBeyondEnd));
    assert_eq!(claims(9, 64), Err(CdrErrorKind::LengthBeyondEnd));
    assert_eq!(claims(257, 257 * 8), Err(CdrErrorKind::BoundExceeded));
    assert_eq!(claims(256, 256 * 8).expect("at the limit").profiles.len(), 256);

    let body = |tag, data: &[u8]| TaggedComponent { tag, data: data.to_vec() };
    let huge = [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    assert!(body(ComponentTag::POLICIES, &huge).body::<Policies>().is_err());
    assert!(body(ComponentTag::TAO_ENDPOINTS, &huge).body::<TaoEndpoints>().is_err());
    assert!(body(ComponentTag::CODE_SETS, &huge).body::<CodeSetComponentInfo>().is_err());
    assert!(body(ComponentTag::ORB_TYPE, &[]).body::<OrbType>().is_err());
    assert!(body(ComponentTag::ZORB_LANE_PRIORITY, &[1, 0, 5]).body::<LanePriority>().is_err());
    let wrong_tag = body(ComponentTag::CODE_SETS, &[]).body::<OrbType>();
    assert_eq!(wrong_tag, Ok(None));
}

#[test]
fn tags_print_their_names() {
    assert_eq!(ProfileTag::INTERNET_IOP.to_string(), "TAG_INTERNET_IOP");
    assert_eq!(format!("{:?}", ComponentTag::TAO_ENDPOINTS), "ComponentTag(TAO_TAG_ENDPOINTS)");
    assert_eq!(ProfileTag(0xabc).to_string(), "tag 0xabc");
}

/// A budget without memory.
struct NoMemory;

impl ReadContext for NoMemory {
    fn charge(&self, _: usize) -> Option<std::sync::Arc<dyn std::any::Any + Send + Sync>> {
        None
    }
}

#[test]
fn text_and_octets_of_references_are_charged() {
    let long = 1 << 20;
    let in_message = |write: fn(&mut CdrWriter<'_>, usize)| {
        let mut octets = Vec::new();
        write(&mut CdrWriter::new(&mut octets, ByteOrder::Big), long);
        octets
    };
    let octets = in_message(|writer, long| {
        let ior = Ior { type_id: "a".repeat(long), profiles: Vec::new() };
        Ior::write(&ior, writer).unwrap();
    });
    let reader = || CdrReader::new(&octets, ByteOrder::Big);
    assert_eq!(Ior::read(&mut reader()).map(|ior| ior.type_id.len()), Ok(long));
    let refused = Ior::read(&mut reader().with_context(&NoMemory)).map(drop).unwrap_err();
    assert_eq!((refused.kind, refused.what), (CdrErrorKind::OutOfMemory, "type_id"));

    let octets = in_message(|writer, long| {
        let component = TaggedComponent { tag: ComponentTag::POLICIES, data: vec![0; long] };
        write_components(&[component], writer).unwrap();
    });
    let reader = || CdrReader::new(&octets, ByteOrder::Big);
    assert_eq!(read_components(&mut reader()).map(|all| all[0].data.len()), Ok(long));
    let refused = read_components(&mut reader().with_context(&NoMemory)).map(drop).unwrap_err();
    assert_eq!((refused.kind, refused.what), (CdrErrorKind::OutOfMemory, "component"));
}
