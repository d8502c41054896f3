//! Real-time settings by the ORB's options.

use std::sync::Arc;
use std::time::Duration;

use zorb_core::poa::{ObjectId, Poa, PoaPolicies};
use zorb_core::policy::{ClientProtocols, ConnectionProperties, Policies, ProtocolChoice};
use zorb_core::{Error, ObjectRef, Orb, OrbBuilder};
use zorb_giop::ProfileTag;
use zorb_rt::{
    Direct, NativePriority, Priority, PriorityModel, RtMapping, RtOptions, RtOrb,
    SetRtOptions as _, Strategy,
};
use zorb_shm::ShmiopProtocol;
use zorb_types::SystemExceptionKind;
use zorb_unix::UiopProtocol;

fn orb(arguments: &[&str]) -> Orb {
    let orb = Orb::builder()
        .without_environment()
        .declare(RtOptions::default())
        .protocol(Arc::new(UiopProtocol::new()));
    orb.arguments(&mut arguments.to_vec()).listen("uiop://").build().unwrap()
}

fn native(rt: &RtOrb, priority: i16) -> Option<i16> {
    rt.to_native(Priority::new(priority).unwrap()).ok().map(|native| native.0)
}

#[test]
fn mappings_are_as_the_options_say() {
    let attach = |arguments: &[&str]| RtOrb::builder().attach(&orb(arguments)).unwrap();
    assert_eq!(native(&attach(&[]), 32_767), Some(89));
    let direct = attach(&["-ORBRtMapping", "direct", "-ORBRtHighestPriority", "30"]);
    assert_eq!((native(&direct, 30), native(&direct, 31)), (Some(30), None));
    let continuous = attach(&["-ORBRtMapping", "Continuous", "-ORBRtLowestPriority", "7"]);
    assert_eq!((native(&continuous, 0), native(&continuous, 3)), (Some(7), Some(10)));
    let narrow = attach(&["-ORBRtLowestPriority", "10", "-ORBRtHighestPriority", "20"]);
    assert_eq!((native(&narrow, 0), native(&narrow, 32_767)), (Some(10), Some(20)));
    let orb = orb(&[]);
    let mapping = Direct::new(NativePriority::SHARED, NativePriority(5));
    let own = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    assert_eq!(native(&own, 6), None);
    assert_eq!(native(&RtOrb::of(&orb).unwrap(), 6), None, "it is found again");
    assert!(RtOrb::of(&self::orb(&[])).is_none());
}

/// The strongest source determines the native priority of 6: the ORB's builder, the real-time builder, the
/// operator, or what either builder forces.
#[test]
fn the_operator_wins_over_the_program_unless_it_forces() {
    let direct = |most| Direct::new(NativePriority::SHARED, NativePriority(most));
    let operator = &["-ORBRtMapping", "continuous"][..];
    let built = |arguments: &[&str], forced| {
        let orb = Orb::builder().without_environment().declare(RtOptions::default());
        let orb = orb.arguments(&mut arguments.to_vec());
        let set = |orb: OrbBuilder| orb.rt_mapping(RtMapping::Direct);
        if forced { orb.force(set) } else { set(orb) }.build().unwrap()
    };
    for (orb, rt, expected) in [
        (built(&[], false), RtOrb::builder(), Some(6)),
        (built(&[], false), RtOrb::builder().mapping(direct(5)), None),
        (built(operator, false), RtOrb::builder().mapping(direct(5)), Some(7)),
        (built(operator, true), RtOrb::builder().mapping(direct(5)), Some(6)),
        (built(operator, true), RtOrb::builder().force(|rt| rt.mapping(direct(5))), None),
    ] {
        let rt = rt.attach(&orb).unwrap();
        assert_eq!(native(&rt, 6), expected, "{:?}", orb.options().overridden());
    }
}

#[test]
fn pools_are_as_the_options_say() {
    let text = "rt_mapping = \"direct\"\nrt_highest_priority = 40\n[rt_pool]\n\
        control = \"10:2 20:1+3 stack=131072 lifespan=idle/50\"\n\
        held = \"any:2 strategy=half-sync buffering=5/1000 connections=3\"\n";
    let path = std::env::temp_dir().join(format!("zorb-rt-{}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let orb = Orb::builder()
        .without_environment()
        .declare(RtOptions::default())
        .protocol(Arc::new(UiopProtocol::new()));
    let orb = orb.config_file(&path).listen("uiop://").build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let control = rt.configured_threadpool("control").unwrap();
    assert_eq!(control.strategy(), Strategy::LeaderFollowers);
    let threads: Vec<_> = control.counts().iter().map(|lane| lane.threads).collect();
    assert_eq!(threads, [2, 1]);
    let held = rt.configured_threadpool("held").unwrap();
    assert_eq!((held.strategy(), held.counts().len()), (Strategy::HalfSync, 1));
    let error = rt.configured_threadpool("other").unwrap_err();
    assert!(format!("{error:?}").contains("no thread pool \"other\""), "{error}");
    std::fs::remove_file(path).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn a_pool_of_the_arguments_takes_the_place_of_one_of_its_name() {
    let two = ["-ORBRtPool", "a=any:1", "-ORBRtPool", "b=any:1", "-ORBRtPool", "a=any:3"];
    let orb = orb(&two);
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let threads = |name| rt.configured_threadpool(name).unwrap().counts()[0].threads;
    assert_eq!((threads("a"), threads("b")), (3, 1));
    orb.shutdown(true).unwrap();
}

#[test]
fn words_that_mean_nothing_are_refused_by_name() {
    let orb = orb(&[]);
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let wrong = |words: &str| -> Error { rt.threadpool("p").settings(words).unwrap_err() };
    for (words, word) in [
        ("10:2 fast", "fast"),
        ("10", "10"),
        ("-1:2", "-1:2"),
        ("10:x", "10:x"),
        ("10:1@a", "10:1@a"),
        ("listen=uiop://", "listen=uiop://"),
        ("10:1 any:2", "any:2"),
        ("any:2 any:2", "any:2"),
        ("stack=much", "stack=much"),
        ("strategy=best", "strategy=best"),
        ("buffering=1/x", "buffering=1/x"),
        ("lifespan=idle", "lifespan=idle"),
        ("lifespan=infinite/3", "lifespan=infinite/3"),
        ("borrowing=no", "borrowing=no"),
        ("speed=1", "speed=1"),
    ] {
        let error = wrong(words);
        assert!(
            format!("{error:?}").contains(&format!("invalid setting {word:?}")),
            "{words}: {error}"
        );
    }
    assert!(format!("{:?}", wrong("table=/nowhere")).contains("/nowhere"));
    // Invalid settings are errors when the pool is created.
    assert!(rt.threadpool("p").settings("10:0").unwrap().create().is_err());
    assert!(rt.threadpool("p").settings("10:1 10:1").unwrap().create().is_err());
    orb.shutdown(true).unwrap();
}

#[test]
fn protocols_of_adapters_and_their_properties_are_said_in_words() {
    let builder = Orb::builder()
        .without_environment()
        .declare(RtOptions::default())
        .protocol(Arc::new(UiopProtocol::new()));
    let builder = builder.protocol(Arc::new(ShmiopProtocol::new()));
    let orb = builder.listen("shmiop://").listen("uiop://").build().unwrap();
    RtOrb::builder().attach(&orb).unwrap();
    let kinds = |poa: &Poa| -> Vec<ProfileTag> {
        let id = ObjectId::from(&b"o"[..]);
        let object: ObjectRef = poa.create_reference_with_id(id).unwrap();
        object.ior().profiles.iter().map(|profile| profile.tag).collect()
    };
    let (uiop, shmiop) = (ProfileTag::TAO_UIOP, ProfileTag::TAO_SHMIOP);
    let make = |words| {
        let mut policies = PoaPolicies::new().user_ids();
        policies.others = RtOrb::of(&orb).unwrap().described_policies(words).unwrap();
        orb.root_poa().create(words, policies).unwrap()
    };
    let both = make("protocols=uiop,shmiop uiop.send_buffer=8192 send_buffer=4096 dscp=46");
    assert_eq!(kinds(&both), [uiop, shmiop]);
    let of = |poa: &Poa, kind| poa.connection_properties(kind).unwrap();
    assert_eq!(of(&both, uiop).send_buffer, Some(8192));
    assert_eq!(of(&both, shmiop).send_buffer, Some(4096));
    assert_eq!((of(&both, uiop).dscp, of(&both, shmiop).dscp), (Some(46), Some(46)));
    // Settings of a protocol may precede it.
    let one = make("uiop.no_delay=no protocols=uiop");
    assert_eq!((kinds(&one), of(&one, uiop).no_delay), (vec![uiop], Some(false)));
    assert_eq!(kinds(&make("keep_alive=yes")), [shmiop, uiop], "properties alone choose none");
    // The protocols in references.
    let told = make("client-protocols=uiop protocols=shmiop,uiop");
    assert_eq!(kinds(&told), [shmiop, uiop]);
    let reference: ObjectRef = told.create_reference_with_id(&b"o"[..]).unwrap();
    let client = Orb::builder()
        .without_environment()
        .declare(RtOptions::default())
        .protocol(Arc::new(UiopProtocol::new()));
    let client = client.protocol(Arc::new(ShmiopProtocol::new())).build().unwrap();
    let there = client.string_to_object(&reference.to_ior_string()).unwrap().unwrap();
    let exposed: ClientProtocols = there.exposed_policy().unwrap().unwrap();
    assert_eq!(exposed, ClientProtocols::new([ProtocolChoice::from(uiop)]));
    for words in [
        "client-protocols=iiop",
        "protocols=iiop",
        "protocols=",
        "iiop.dscp=1 protocols=uiop",
        "dscp=64",
        "no_delay=maybe",
        "send_buffer=-1",
        "max_connections=3",
        "uiop.speed=3",
    ] {
        let error = RtOrb::of(&orb).unwrap().described_policies(words).unwrap_err();
        assert!(format!("{error:?}").contains("invalid setting"), "{words}: {error}");
    }
    let error = RtOrb::of(&orb).unwrap().described_policies("uiop.dscp=1 protocols=shmiop");
    let error = error.unwrap_err();
    assert!(format!("{error:?}").contains("properties of uiop"), "{error}");
    orb.shutdown(true).unwrap();
}

#[test]
fn the_root_adapter_has_policies_by_its_name() {
    let attach = |arguments: &[&str]| {
        let orb = orb(arguments);
        RtOrb::builder().attach(&orb).unwrap();
        let model = orb.root_poa().policies().others.value().cloned();
        let below = orb.root_poa().create("below", PoaPolicies::new()).unwrap();
        let below: Option<PriorityModel> = below.policies().others.value().cloned();
        orb.shutdown(true).unwrap();
        [model, below].map(|model: Option<PriorityModel>| model.map(|it| it.server_priority()))
    };
    let [seven, nine] = [7, 9].map(|value| Some(Priority::new(value).unwrap()));
    assert_eq!(attach(&["-ORBRtAdapter", "/=server-declared=7"]), [seven, None]);
    assert_eq!(attach(&["-ORBRtAdapter", "*=server-declared=9"]), [None, nine]);
    let both = ["-ORBRtAdapter", "/=server-declared=7", "-ORBRtAdapter", "*=server-declared=9"];
    assert_eq!(attach(&both), [seven, nine]);
    assert_eq!(attach(&["-ORBRtAdapter", "/=fast"]), [None, None], "said in the log");
}

/// As `zorb sched analyze --write` writes them.
const TABLE: &str = "# Priorities, as zorb sched analyze has found them.\n\n[[queue]]\nnumber = 0\n\
    priority = 12\ndispatching = \"static\"\n\n[[operation]]\nname = \"a\"\npriority = 12\nqueue = 0\n\
    subpriority = 1\nprocessor = 0\n\n[[operation]]\nname = \"b\"\npriority = 12\nqueue = 0\n\
    subpriority = 0\n\n[[operation]]\nname = \"c\"\npriority = 7\nqueue = 1\nsubpriority = 0\n\
    processor = 0\n";

#[test]
fn lanes_are_those_of_a_table_of_priorities() {
    let orb = orb(&["-ORBRtMapping", "direct"]);
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let pool = rt.threadpool("p").lanes_from_table(TABLE).unwrap().create().unwrap();
    let lanes: Vec<_> =
        pool.violations().iter().map(|lane| (lane.lane.to_string(), lane.priority)).collect();
    assert_eq!(lanes, [("p-7".to_owned(), Some(7)), ("p-12".to_owned(), Some(12))]);
    let threads: Vec<_> = pool.counts().iter().map(|lane| lane.threads).collect();
    assert_eq!(threads, [1, 1]);
    for text in
        ["", "[[operation]]\nname = \"a\"\n", "operation = 3", "[[operation]]\npriority = \"x\""]
    {
        assert!(rt.threadpool("p").lanes_from_table(text).is_err(), "{text}");
    }
    let beyond = TABLE.replace("priority = 7", "priority = 95");
    let error = rt.threadpool("p").lanes_from_table(&beyond).unwrap_err();
    assert!(format!("{error:?}").contains("the native priority 95"), "{error:?}");
    orb.shutdown(true).unwrap();
}

#[test]
fn locks_are_found_by_their_names() {
    let orb = orb(&[]);
    let rt = RtOrb::builder().attach(&orb).unwrap();
    assert!(rt.open_named_mutex("valve").is_none());
    let (valve, made) = rt.named_mutex("valve");
    assert!(made);
    let (again, made) = RtOrb::of(&orb).unwrap().named_mutex("valve");
    assert!(!made && Arc::ptr_eq(&valve, &again));
    let held = valve.lock().unwrap();
    let there = rt.open_named_mutex("valve").unwrap();
    assert!(there.try_lock(Duration::ZERO).unwrap().is_none());
    drop(held);
    assert!(rt.remove_named_mutex("valve") && !rt.remove_named_mutex("valve"));
    assert!(rt.named_mutex("valve").1, "another one");
}

#[test]
fn protocols_of_calls_and_their_properties_are_said_in_words() {
    let build = |words: &str| {
        let builder = Orb::builder()
            .without_environment()
            .declare(RtOptions::default())
            .protocol(Arc::new(UiopProtocol::new()));
        let builder = builder.protocol(Arc::new(ShmiopProtocol::new()));
        builder.option("RtProtocols", words).build().unwrap()
    };
    let (uiop, shmiop) = (ProfileTag::TAO_UIOP, ProfileTag::TAO_SHMIOP);
    let orb = build("protocols=uiop,shmiop uiop.send_buffer=8192 dscp=46");
    RtOrb::builder().attach(&orb).unwrap();
    let chosen: ClientProtocols = orb.policy_manager().policy().unwrap();
    let kinds: Vec<_> = chosen.choices().iter().map(|choice| choice.profile).collect();
    assert_eq!(kinds, [uiop, shmiop]);
    assert_eq!(chosen.choices()[0].properties.unwrap().send_buffer, Some(8192));
    let of_all: ConnectionProperties = orb.policy_manager().policy().unwrap();
    assert_eq!(of_all.dscp, Some(46));
    // The program's setting is stronger.
    let orb = build("protocols=uiop");
    let own = Policies::new().with(ClientProtocols::new([ProtocolChoice::from(shmiop)]));
    orb.policy_manager().add(&own).unwrap();
    RtOrb::builder().attach(&orb).unwrap();
    let chosen: ClientProtocols = orb.policy_manager().policy().unwrap();
    assert_eq!(chosen.choices()[0].profile, shmiop);
    for words in ["protocols=iiop", "fast", "uiop.dscp=64", "shmiop.dscp=1 protocols=uiop"] {
        let refused = RtOrb::builder().attach(&build(words)).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Initialize, "{words}");
        let failure = Error::from(refused).to_string();
        assert!(failure.contains("RtProtocols"), "{words}: {failure}");
    }
    assert!(RtOrb::builder().attach(&build("")).is_ok());
}
