//! The standard's names: initial references, policies as references tell of them, and a Rust
//! counterpart of every operation and attribute.

use std::sync::Arc;

use zorb_core::poa::{Poa, PoaError, PoaPolicies};
use zorb_core::policy::{ClientProtocols, ServerProtocols};
use zorb_core::{ObjectRef, Orb, PolicyCurrent, PolicyManager, Result, codegen};
use zorb_giop::{ComponentTag, IiopProfile, Ior, ProfileTag, TaggedComponent};
use zorb_rt::{
    Direct, LaneBuilder, NativePriority, Priority, PriorityBand, PriorityBands, PriorityMapping,
    PriorityMappingManager, PriorityModel, PriorityTransform, RtCurrent, RtOrb, Threadpool,
    ThreadpoolBuilder, ThreadpoolPolicy,
};
use zorb_tcp::IiopProtocol;
use zorb_types::{SystemExceptionKind, minor};

/// `interface Nothing { short answer(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Nothing(ObjectRef);

codegen::interface!(Nothing(ObjectRef), "IDL:zorb.test/Nothing:1.0", "Nothing", []);

impl Nothing {
    fn answer(&self) -> Result<i16> {
        codegen::invoke!(self, answer, [], [i16])
    }
}

trait NothingServant: Send + Sync + 'static {
    fn answer(&self) -> Result<i16>;
}

codegen::skeleton!(Nothing, NothingServant, {
    0 "answer" answer() [result: i16],
});

struct Here;

impl NothingServant for Here {
    fn answer(&self) -> Result<i16> {
        Ok(42)
    }
}

fn orb() -> (Orb, RtOrb) {
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
    orb.serve().unwrap();
    let rt = RtOrb::builder().mapping(Direct::default()).attach(&orb).unwrap();
    (orb, rt)
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

#[test]
fn local_objects_are_initial_references() {
    let plain = Orb::builder().without_environment().build().unwrap();
    let none = plain.initial_local::<RtOrb>("RTORB").unwrap_err();
    assert!(format!("{none:?}").contains("\"RTORB\""), "{none}");
    let (orb, rt) = orb();
    let found: RtOrb = orb.initial_local("RTORB").unwrap();
    let (_, made) = rt.named_mutex("lock");
    assert!(made && !found.named_mutex("lock").1, "it is the same one");
    let current: RtCurrent = orb.initial_local("RTCurrent").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            current.set_priority(number(0)).unwrap();
            assert_eq!(rt.current().priority(), Ok(number(0)));
        });
    });
    let mappings: PriorityMappingManager = orb.initial_local("PriorityMappingManager").unwrap();
    assert_eq!(mappings.mapping().to_native(number(7)), Some(NativePriority(7)));
    assert_eq!(mappings.mapping().to_native(number(1_000)), None);
    let root: Poa = orb.initial_local("RootPOA").unwrap();
    assert!(root.parent().is_none());
    orb.initial_local::<PolicyManager>("ORBPolicyManager").unwrap();
    orb.initial_local::<PolicyCurrent>("PolicyCurrent").unwrap();
    let names = ["ORBPolicyManager", "PICurrent", "POACurrent", "POAManagerFactory"];
    let of_rt = ["PolicyCurrent", "PriorityMappingManager", "RTCurrent", "RTORB", "RootPOA"];
    assert_eq!(orb.initial_names(), [&names[..], &of_rt].concat());
}

#[test]
fn a_name_leads_to_one_thing_only() {
    let (orb, _rt) = orb();
    let wrong = orb.initial_local::<RtCurrent>("RTORB").unwrap_err();
    assert!(format!("{wrong:?}").contains("RtCurrent"), "{wrong}");
    assert!(orb.initial_local::<RtOrb>("RootPOA").is_err());
    let here: Nothing = orb.root_poa().activate(Here).unwrap();
    for taken in ["RTORB", "RootPOA", ""] {
        assert!(orb.register_initial_reference(taken, &here).is_err(), "{taken}");
    }
    orb.register_initial_reference("Nothing", &here).unwrap();
    assert!(orb.register_initial_local("Nothing", |_| 1_u8).is_err());
    assert!(orb.register_initial_local("RootPOA", |_| 1_u8).is_err());
    // Remote objects are obtained by another call; each error names the other call.
    let local = orb.initial_reference::<Nothing>("RTCurrent").unwrap_err();
    assert!(format!("{local:?}").contains("initial_local"), "{local:?}");
    assert_eq!(orb.initial_reference::<Nothing>("Nothing").unwrap().answer(), Ok(42));
}

/// The `TAG_POLICIES` components of a reference's profiles.
fn told(reference: &Nothing) -> Vec<Vec<u8>> {
    let profiles = reference.0.ior().profiles.iter();
    let decoded = profiles.map(|profile| IiopProfile::decode(&profile.data).unwrap());
    let components = decoded.flat_map(|profile| profile.components);
    let policies = components.filter(|component| component.tag == ComponentTag::POLICIES);
    policies.map(|component| component.data).collect()
}

/// The octets of `TAG_POLICIES` as TAO writes them, in one byte order: a sequence of types and values,
/// each value an encapsulation of its own.
fn golden(big: bool) -> Vec<u8> {
    let word = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let half = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let flag = [u8::from(!big), 0, 0, 0];
    let model = [&flag[..], &word(1), &half(300)].concat();
    let bands = [&flag[..], &word(2), &half(0), &half(99), &half(100), &half(32_767)].concat();
    // IIOP: both queues, keep alive, don't route, no delay; then a protocol without properties.
    let tcp = [&word(0)[..], &word(0), &word(0), &[0, 0, 1, 0]].concat();
    let protocols = [&flag[..], &word(2), &tcp, &word(0x4f4d_4700)].concat();
    let mut all = [&flag[..], &word(3)].concat();
    for (number, value) in [(40, model), (45, bands), (43, protocols)] {
        all.resize(all.len().next_multiple_of(4), 0);
        let length = word(u32::try_from(value.len()).unwrap());
        all.extend([&word(number)[..], &length, &value].concat());
    }
    all
}

fn bands() -> PriorityBands {
    let band = |low, high| PriorityBand::new(number(low), number(high)).unwrap();
    PriorityBands::new([band(0, 99), band(100, 32_767)]).unwrap()
}

fn protocols() -> ClientProtocols {
    ClientProtocols::new([ProfileTag::INTERNET_IOP, ProfileTag(0x4f4d_4700)])
}

#[test]
fn references_tell_of_policies_as_those_of_other_orbs_do() {
    let (orb, _) = orb();
    let wide = RtOrb::builder().attach(&orb).unwrap();
    let policies = PoaPolicies::new().with(wide.server_declared(number(300)));
    let poa = orb.root_poa().create("told", policies.with(bands()).with(protocols())).unwrap();
    let here: Nothing = poa.activate(Here).unwrap();
    assert_eq!(told(&here), [golden(cfg!(target_endian = "big"))]);
    // Other ORBs' components are decoded in either byte order.
    for big in [false, true] {
        let mut profile = IiopProfile::decode(&here.0.ior().profiles[0].data).unwrap();
        profile.components.retain(|component| component.tag != ComponentTag::POLICIES);
        profile.components.push(TaggedComponent { tag: ComponentTag::POLICIES, data: golden(big) });
        let order = if big { zorb_cdr::ByteOrder::Big } else { zorb_cdr::ByteOrder::Little };
        let ior = Ior { profiles: vec![profile.encode(order).unwrap()], ..here.0.ior().clone() };
        let (client, _rt) = self::orb();
        let there: Nothing = client.resolve(&ior.to_stringified().unwrap()).unwrap();
        let model: PriorityModel = there.0.exposed_policy().unwrap().unwrap();
        assert!(!model.is_client_propagated());
        assert_eq!(model.server_priority(), number(300));
        assert_eq!(there.0.exposed_policy(), Ok(Some(bands())));
        assert_eq!(there.0.exposed_policy(), Ok(Some(protocols())));
        assert_eq!(there.answer(), Ok(42), "{big}");
    }
}

#[test]
fn references_with_priorities_are_made_before_their_objects() {
    let (orb, rt) = orb();
    let declared = || PoaPolicies::new().persistent().with(rt.server_declared(number(1)));
    let priority = |reference: &Nothing| {
        let model: PriorityModel = reference.0.exposed_policy().unwrap().unwrap();
        model.server_priority()
    };
    let by_adapter = orb.root_poa().create("by adapter", declared()).unwrap();
    let made: Nothing = rt.create_reference_with_priority(&by_adapter, number(5)).unwrap();
    assert_eq!(priority(&made), number(5));
    let id = by_adapter.id_of(&made).unwrap();
    let servant = Arc::new(Here);
    let same: Nothing =
        rt.activate_with_id_and_priority(&by_adapter, id, &servant, number(5)).unwrap();
    assert_eq!(same.0.ior(), made.0.ior());
    assert_eq!(made.answer(), Ok(42));
    let by_program = orb.root_poa().create("by program", declared().user_ids()).unwrap();
    let named: Nothing =
        rt.create_reference_with_id_and_priority(&by_program, "it", number(6)).unwrap();
    assert_eq!(priority(&named), number(6));
    // The adapter remembers it until it is destroyed.
    let again: Nothing = by_program.create_reference_with_id("it").unwrap();
    assert_eq!(again.0.ior(), named.0.ior());
    let otherwise = rt.activate_with_id_and_priority(&by_program, "it", &servant, number(7));
    let refused = |error: PoaError| match error {
        PoaError::System(exception) => (exception.kind, exception.minor),
        other => panic!("{other}"),
    };
    let why = (SystemExceptionKind::BadInvOrder, minor::bad_inv_order::OTHER_PRIORITY);
    assert_eq!(refused(otherwise.map(|_: Nothing| ()).unwrap_err()), why);
    let otherwise = rt.create_reference_with_id_and_priority(&by_program, "it", number(7));
    assert_eq!(refused(otherwise.map(|_: Nothing| ()).unwrap_err()), why);
    let it: Nothing = by_program.activate_with_id("it", Here).unwrap();
    assert_eq!(it.0.ior(), named.0.ior());
    let other: Nothing = by_program.activate_with_id("other", Here).unwrap();
    assert_ne!(priority(&other), number(6), "the adapter's");
    let wrong = |poa: &Poa| rt.create_reference_with_priority::<Nothing>(poa, number(6));
    assert!(matches!(wrong(&by_program), Err(PoaError::WrongPolicy)), "it chooses no ids");
    let propagated = PoaPolicies::new().persistent().with(rt.client_propagated(number(1)));
    let propagated = orb.root_poa().create("propagated", propagated).unwrap();
    assert!(matches!(wrong(&propagated), Err(PoaError::WrongPolicy)));
    assert!(matches!(wrong(&orb.root_poa()), Err(PoaError::WrongPolicy)));
    let gone = made.0.ior().clone();
    by_adapter.destroy();
    let refused =
        orb.resolve::<Nothing>(&gone.to_stringified().unwrap()).unwrap().answer().unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::ObjectNotExist);
}

/// Every operation, attribute and type of the modules `RTCORBA` and `RTPortableServer`, with the Rust
/// item that must exist.
macro_rules! standard {
    ($($name:literal => $item:expr;)*) => {
        /// Makes the compiler resolve each item.
        #[allow(dead_code, unused_must_use, path_statements, clippy::no_effect)]
        fn items() { $({ $item; })* }

        const STANDARD: &[&str] = &[$($name),*];
    };
}

standard! {
    "RTCORBA::Priority" => Priority::new;
    "RTCORBA::NativePriority" => NativePriority;
    "RTCORBA::minPriority" => Priority::MIN;
    "RTCORBA::maxPriority" => Priority::MAX;
    "RTCORBA::PriorityMapping::to_native" => <Direct as PriorityMapping>::to_native;
    "RTCORBA::PriorityMapping::to_CORBA" => <Direct as PriorityMapping>::to_corba;
    "RTCORBA::PriorityMappingManager::mapping" => PriorityMappingManager::mapping;
    "RTCORBA::PriorityTransform::inbound" => <dyn PriorityTransform>::inbound;
    "RTCORBA::PriorityTransform::outbound" => <dyn PriorityTransform>::outbound;
    "RTCORBA::Current::the_priority" => (RtCurrent::priority, RtCurrent::set_priority);
    "RTCORBA::PriorityModelPolicy::priority_model" => PriorityModel::is_client_propagated;
    "RTCORBA::PriorityModelPolicy::server_priority" => PriorityModel::server_priority;
    "RTCORBA::ThreadpoolId" => Threadpool::id;
    "RTCORBA::ThreadpoolLane" => LaneBuilder::new;
    "RTCORBA::ThreadpoolPolicy::threadpool" => ThreadpoolPolicy::threadpool;
    "RTCORBA::Protocol" => zorb_core::policy::ProtocolChoice::from(ProfileTag::INTERNET_IOP);
    "RTCORBA::TCPProtocolProperties" => zorb_core::policy::ConnectionProperties::default;
    "RTCORBA::ServerProtocolPolicy::protocols" => ServerProtocols::choices;
    "RTCORBA::ClientProtocolPolicy::protocols" => ClientProtocols::choices;
    "RTCORBA::PrivateConnectionPolicy" => zorb_core::policy::PrivateConnection;
    "RTCORBA::PriorityBand" => PriorityBand::new;
    "RTCORBA::PriorityBandedConnectionPolicy::priority_bands" => PriorityBands::bands;
    "RTCORBA::Mutex::lock" => zorb_rt::PiMutex::lock;
    "RTCORBA::Mutex::unlock" => drop::<zorb_rt::PiGuard<'_>>;
    "RTCORBA::Mutex::try_lock" => zorb_rt::PiMutex::try_lock;
    "RTCORBA::RTORB::create_mutex" => RtOrb::create_mutex;
    "RTCORBA::RTORB::destroy_mutex" => (drop::<zorb_rt::PiMutex>, RtOrb::remove_named_mutex);
    "RTCORBA::RTORB::create_named_mutex" => RtOrb::named_mutex;
    "RTCORBA::RTORB::open_named_mutex" => RtOrb::open_named_mutex;
    "RTCORBA::RTORB::create_threadpool" => ThreadpoolBuilder::without_lanes;
    "RTCORBA::RTORB::create_threadpool_with_lanes" => ThreadpoolBuilder::lane;
    "RTCORBA::RTORB::destroy_threadpool" => Threadpool::destroy;
    "RTCORBA::RTORB::create_priority_model_policy" =>
        (RtOrb::client_propagated, RtOrb::server_declared);
    "RTCORBA::RTORB::create_threadpool_policy" => Threadpool::policy;
    "RTCORBA::RTORB::create_priority_banded_connection_policy" =>
        |band: PriorityBand| PriorityBands::new([band]);
    "RTCORBA::RTORB::create_server_protocol_policy" =>
        ServerProtocols::new([ProfileTag::INTERNET_IOP]);
    "RTCORBA::RTORB::create_client_protocol_policy" =>
        ClientProtocols::new([ProfileTag::INTERNET_IOP]);
    "RTCORBA::RTORB::create_private_connection_policy" => zorb_core::policy::PrivateConnection;
    "RTCORBA::RTORB::create_tcp_protocol_properties" =>
        zorb_core::policy::ConnectionProperties::default;
    "RTPortableServer::POA::create_reference_with_priority" =>
        RtOrb::create_reference_with_priority::<ObjectRef>;
    "RTPortableServer::POA::create_reference_with_id_and_priority" =>
        |rt: RtOrb, poa: &Poa| rt.create_reference_with_id_and_priority::<ObjectRef>(
            poa, "it", Priority::MIN);
    "RTPortableServer::POA::activate_object_with_priority" =>
        RtOrb::activate_with_priority::<Here, Nothing>;
    "RTPortableServer::POA::activate_object_with_id_and_priority" =>
        |rt: RtOrb, poa: &Poa, it: &Arc<Here>| rt.activate_with_id_and_priority::<_, Nothing>(
            poa, "it", it, Priority::MIN);
}

#[test]
fn the_book_has_a_counterpart_of_everything() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/realtime.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("## The standard's names").unwrap();
    for name in STANDARD {
        // The table is grouped by interfaces: `Interface::` heads those of one.
        let (_, short) = name.split_once("::").unwrap();
        let row = format!("| `{short}` |");
        assert!(table.contains(&row), "no row for {name}");
    }
    let rows = table.lines().take_while(|line| !line.starts_with("## "));
    let rows = rows.filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, STANDARD.len(), "one row each");
}
