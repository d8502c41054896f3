//! Initial references to local objects.
#![allow(clippy::unwrap_used)]

use zorb::dynamic::{CodecFactory, DynAnyFactory, Encoding, EncodingFormat};
use zorb::interceptor::PiCurrent;
use zorb::poa::{Poa, PoaCurrent};
#[cfg(feature = "rt")]
use zorb::rt::{Denied, RtCurrent, RtOrb};
use zorb::{InvalidName, ObjectRef, Orb, PolicyCurrent, PolicyManager};

#[test]
fn the_factories_of_dynamic_values_are_initial_references() {
    let orb = zorb::Orb::builder().without_environment().build().unwrap();
    let names = orb.initial_names();
    assert!(["CodecFactory", "DynAnyFactory"].iter().all(|name| names.contains(&(*name).into())));
    let codecs: CodecFactory = orb.initial_local("CodecFactory").unwrap();
    let cdr = Encoding { format: EncodingFormat::CDR_ENCAPS, major_version: 1, minor_version: 2 };
    let codec = codecs.create_codec(cdr).unwrap();
    let any = zorb::Any::new::<i32>(&7).unwrap();
    assert_eq!(codec.decode(&codec.encode(&any).unwrap()).unwrap(), any);
    for unknown in
        [Encoding { minor_version: 3, ..cdr }, Encoding { format: EncodingFormat(7), ..cdr }]
    {
        assert_eq!(codecs.create_codec(unknown).unwrap_err().0, unknown);
    }
    let values: DynAnyFactory = orb.initial_local("DynAnyFactory").unwrap();
    assert_eq!(values.create_dyn_any(any.clone()).unwrap().get::<i32>().unwrap(), 7);
    let zero = values.create_dyn_any_from_type_code(any.type_code()).unwrap();
    assert_eq!(zero.to_any().unwrap().get::<i32>(), Some(0));
    orb.initial_local::<DynAnyFactory>("CodecFactory").unwrap_err();
}

/// The names of CORBA 3.3 part 1, table 8.1, and of RT-CORBA.
const STANDARD: [&str; 19] = [
    "RootPOA",
    "POACurrent",
    "InterfaceRepository",
    "NameService",
    "TradingService",
    "SecurityCurrent",
    "TransactionCurrent",
    "DynAnyFactory",
    "ORBPolicyManager",
    "PolicyCurrent",
    "NotificationService",
    "TypedNotificationService",
    "CodecFactory",
    "PICurrent",
    "ComponentHomeFinder",
    "PSS",
    "RTORB",
    "RTCurrent",
    "RTScheduler",
];

#[test]
fn standard_names_are_known_if_they_are_listed_and_invalid_otherwise() {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    #[cfg(feature = "rt")]
    let _rt = RtOrb::builder().denied(Denied::Run).attach(&orb).unwrap();
    let listed = orb.initial_names();
    let is_local = |name: &str| match name {
        "RootPOA" => orb.initial_local::<Poa>(name).is_ok(),
        "POACurrent" => orb.initial_local::<PoaCurrent>(name).is_ok(),
        "DynAnyFactory" => orb.initial_local::<DynAnyFactory>(name).is_ok(),
        "ORBPolicyManager" => orb.initial_local::<PolicyManager>(name).is_ok(),
        "PolicyCurrent" => orb.initial_local::<PolicyCurrent>(name).is_ok(),
        "CodecFactory" => orb.initial_local::<CodecFactory>(name).is_ok(),
        "PICurrent" => orb.initial_local::<PiCurrent>(name).is_ok(),
        #[cfg(feature = "rt")]
        "RTORB" => orb.initial_local::<RtOrb>(name).is_ok(),
        #[cfg(feature = "rt")]
        "RTCurrent" => orb.initial_local::<RtCurrent>(name).is_ok(),
        _ => false,
    };
    for name in STANDARD {
        assert_eq!(is_local(name), listed.iter().any(|known| known == name), "{name}");
        // They are local objects, or nobody has said where they are.
        let error = orb.initial_reference::<ObjectRef>(name).unwrap_err();
        assert!(error.to_string().contains(&format!("initial reference {name:?} is not known")));
        assert!(error.downcast_ref::<InvalidName>().is_some());
        assert!(error.hint().unwrap().contains(if is_local(name) {
            "local"
        } else {
            "-ORBInitRef"
        }));
    }
    let known = STANDARD.into_iter().filter(|name| is_local(name)).count();
    assert_eq!(known, if cfg!(feature = "rt") { 9 } else { 7 });
    let trader: ObjectRef = orb.root_poa().create_reference().unwrap();
    orb.register_initial_reference("TradingService", &trader).unwrap();
    for taken in ["", "RootPOA", "TradingService"] {
        let refused = [
            orb.register_initial_reference(taken, &trader).unwrap_err(),
            orb.register_initial_local(taken, |_| 1).unwrap_err(),
        ];
        assert!(refused.iter().all(|error| error.downcast_ref::<InvalidName>().is_some()));
    }
    let unknown = orb.initial_local::<Poa>("Nobody").unwrap_err();
    assert!(unknown.downcast_ref::<InvalidName>().is_some());
    // A name that is known for something else is valid.
    let other = orb.initial_local::<PoaCurrent>("RootPOA").unwrap_err();
    assert!(other.downcast_ref::<InvalidName>().is_none());
    assert!(orb.initial_names().contains(&"TradingService".to_owned()));
    orb.initial_reference::<ObjectRef>("TradingService").unwrap();
    orb.shutdown(true).unwrap();
}
