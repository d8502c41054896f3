//! Calls from one ORB to another over real connections, and inside one ORB.

use std::sync::Arc;

use crate::support::{
    Echo, RepeatError, Servant, builder, client, server, server_in_order, until_noted,
};
use zorb_core::{Interface, ObjectRef, codegen};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

#[test]
fn a_call_reaches_the_servant_and_its_reply_comes_back() {
    let (server_orb, echo) = server();
    let (client_orb, there) = client(&echo);
    assert_eq!(there.twice(21).unwrap(), 42);
    assert_eq!(there.repeat("ab", 3).unwrap(), "ababab");
    let large: Vec<u8> = (0..300_000).map(|i| i as u8).collect();
    assert_eq!(there.mirror(&large).unwrap(), large);
    assert_eq!(there.mirror(&[]).unwrap(), [0_u8; 0]);
    client_orb.shutdown(true).unwrap();
    server_orb.shutdown(true).unwrap();
}

#[test]
fn threads_that_look_before_they_sleep_exchange_the_same() {
    for micros in ["1", "5000"] {
        let busy_waiting = || builder().option("BusyWait", micros);
        let server_orb = busy_waiting().listen("iiop://127.0.0.1:0").build().unwrap();
        let echo: Echo = server_orb.root_poa().activate(Servant::default()).unwrap();
        let client_orb = busy_waiting().build().unwrap();
        let there: Echo = client_orb.resolve(&echo.object().to_ior_string()).unwrap();
        let data: Vec<u8> = (0..100_000).map(|i| i as u8).collect();
        for value in 0..50 {
            assert_eq!(there.twice(value).unwrap(), value * 2);
        }
        assert_eq!(there.mirror(&data).unwrap(), data);
        // A time-out longer or shorter than the busy-wait is observed.
        let hasty = there.object().with_timeout(std::time::Duration::from_millis(3));
        let late = hasty.unchecked_narrow::<Echo>().wait_for(7).unwrap_err();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        there.note(7).unwrap();
        until_noted(&there, 7);
        client_orb.shutdown(true).unwrap();
        server_orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_call_inside_the_orb_needs_no_connection() {
    let (orb, echo) = server();
    assert_eq!(echo.twice(4).unwrap(), 8);
    let raised = echo.repeat("x", -1).unwrap_err();
    assert!(matches!(raised, RepeatError::Refused(refused) if refused.why == "-1 is negative"));
    assert_eq!(echo.call_back(Some(&echo), 3).unwrap(), 3);
    echo.note(9).unwrap();
    assert_eq!(echo.noted().unwrap(), 9);
    orb.shutdown(true).unwrap();
}

#[test]
fn user_and_system_exceptions_arrive_with_their_data() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let raised = there.repeat("x", -7).unwrap_err();
    assert!(matches!(raised, RepeatError::Refused(refused) if refused.why == "-7 is negative"));
    let unknown = there.unknown().unwrap_err();
    assert_eq!(unknown.kind, SystemExceptionKind::BadOperation);
    assert_eq!(unknown.minor, minor::bad_operation::OPERATION_UNKNOWN);
    assert_eq!(unknown.completed, CompletionStatus::No);
    let panicked = there.panic_now().unwrap_err();
    assert_eq!(panicked.kind, SystemExceptionKind::Unknown);
    assert_eq!(panicked.minor, minor::unknown::SERVANT_PANICKED);
    // The connection and the servant still work.
    assert_eq!(there.twice(1).unwrap(), 2);
}

#[test]
fn oneways_arrive_in_order() {
    let (_server, echo) = server_in_order();
    let (_client, there) = client(&echo);
    for value in 1..=100 {
        there.note(value).unwrap();
    }
    assert_eq!(there.noted().unwrap(), 100);
}

#[test]
fn every_object_answers_the_pseudo_operations() {
    let (_server, echo) = server();
    let (client_orb, there) = client(&echo);
    let object = there.object();
    assert!(object.is_a(Echo::REPOSITORY_ID).unwrap());
    assert!(object.is_a("IDL:omg.org/CORBA/Object:1.0").unwrap());
    assert!(!object.is_a("IDL:other:1.0").unwrap());
    assert!(!object.non_existent().unwrap());
    assert_eq!(object.repository_id().unwrap(), Echo::REPOSITORY_ID);
    assert!(object.locate().unwrap());
    let interface: Result<(), _> = object.invoke("_interface", |_| Ok(()), |_| Ok(()));
    let error: zorb_types::SystemException = interface.unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::IntfRepos);
    let managers: Result<u32, zorb_types::SystemException> =
        object.invoke("_domain_managers", |_| Ok(()), |reader| reader.read_u32());
    assert_eq!(managers.unwrap(), 0);
    drop(client_orb);
}

#[test]
fn an_object_that_is_gone_does_not_exist() {
    let (orb, echo) = server();
    let (_client, there) = client(&echo);
    let id = orb.root_poa().id_of(&echo).unwrap();
    orb.root_poa().deactivate(&id).unwrap();
    let gone = there.twice(1).unwrap_err();
    assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
    assert_eq!(gone.minor, minor::object_not_exist::NO_MATCH);
    assert!(there.object().non_existent().unwrap());
    assert!(!there.object().locate().unwrap());
    // The slot is reused, and the old reference remains invalid.
    let other: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    assert_ne!(other, echo);
    assert!(there.twice(1).is_err());
}

#[test]
fn a_published_object_is_found_by_corbaloc() {
    let (orb, echo) = server();
    orb.publish("echo/one", &echo).unwrap();
    assert!(orb.publish("echo/one", &echo).is_err());
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let client = builder().build().unwrap();
    for url in [
        format!("corbaloc::{address}/echo/one"),
        format!("corbaloc:iiop:1.2@{address}/echo/one"),
        format!("corbaloc:iiop:127.0.0.1:1,:{address}/echo/one"),
    ] {
        let there: Echo = client.resolve(&url).unwrap();
        assert_eq!(there.twice(3).unwrap(), 6, "{url}");
        // The forward contains the code sets of its own reference.
        assert_eq!(there.repeat("東京", 2).unwrap(), "東京東京", "{url}");
    }
    let missing = client.resolve::<Echo>(&format!("corbaloc::{address}/nothing")).unwrap_err();
    assert_eq!(missing.system_exception().unwrap().kind, SystemExceptionKind::ObjectNotExist);
    assert_eq!(missing.hint(), Some("has the server published an object as \"nothing\"?"));
    let colon = client.resolve::<Echo>(&format!("corbaloc:{address}/echo/one")).unwrap_err();
    let hint = format!("did you mean corbaloc::{address}/echo/one?");
    assert_eq!(colon.hint(), Some(&*hint));
    assert!(orb.unpublish("echo/one"));
}

#[test]
fn initial_references_come_from_options() {
    let (orb, echo) = server();
    orb.publish("Echo", &echo).unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let client = builder()
        .arguments(&mut vec!["-ORBInitRef", &format!("E={}", echo.object().to_ior_string())])
        .arguments(&mut vec!["-ORBDefaultInitRef", &format!("corbaloc::{address}")])
        .build()
        .unwrap();
    assert_eq!(client.initial_reference::<Echo>("E").unwrap().twice(1).unwrap(), 2);
    assert_eq!(client.initial_reference::<Echo>("Echo").unwrap().twice(2).unwrap(), 4);
    assert_eq!(client.resolve::<Echo>("corbaloc:rir:/E").unwrap().twice(2).unwrap(), 4);
    let lost = client.initial_reference::<ObjectRef>("Nowhere");
    assert!(lost.is_ok(), "an untyped reference is made without a call");
    let misspelt = builder().init_ref("NameServic", "corbaloc::127.0.0.1:1/N").build().unwrap();
    let error = misspelt.initial_reference::<ObjectRef>("NameService").unwrap_err();
    assert!(error.hint().is_some_and(|hint| hint.ends_with("InitRef names: NameServic")));
    let gone = misspelt.initial_reference::<Echo>("NameServic").unwrap_err();
    let text = zorb_types::Report(&gone).to_string();
    assert!(text.contains("initial reference \"NameServic\" at iiop://127.0.0.1:1"), "{text}");
    assert!(text.contains("Connection refused"), "{text}");
    assert_eq!(gone.system_exception().unwrap().kind, SystemExceptionKind::Transient);
}

#[test]
fn a_file_may_hold_the_reference() {
    let (_orb, echo) = server();
    let path = std::env::temp_dir().join(format!("zorb-core-{}.ior", std::process::id()));
    std::fs::write(&path, echo.object().to_ior_string() + "\n").unwrap();
    let client = builder().build().unwrap();
    let there: Echo = client.resolve(&format!("file://{}", path.display())).unwrap();
    assert_eq!(there.twice(8).unwrap(), 16);
    std::fs::remove_file(&path).unwrap();
    let error = client.resolve::<Echo>(&format!("file://{}", path.display())).unwrap_err();
    assert!(format!("{error:?}").contains("file:///"), "{error}");
}

#[test]
fn errors_tell_their_story() {
    let client = builder().build().unwrap();
    let refused = client.resolve::<Echo>("corbaloc::127.0.0.1:1/x").unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("127.0.0.1:1") && text.contains("TRANSIENT"), "{text}");
    let scheme = client.resolve::<Echo>("nonsense").unwrap_err();
    let exception = scheme.system_exception().unwrap();
    assert_eq!(exception.minor, minor::bad_param::BAD_SCHEME);
    let unheard = client.resolve::<Echo>("corbaloc:martian:1.2@x/y").unwrap_err();
    assert!(format!("{unheard:?}").contains("martian"), "{unheard}");
}

#[test]
fn one_servant_type_may_be_shared() {
    let (orb, _) = server();
    let servant = Arc::new(Servant::default());
    let poa = orb.root_poa();
    let first: Echo = poa.activate_shared(&servant).unwrap();
    let again: Echo = poa.reference_of(&servant).unwrap();
    assert_eq!(first, again);
    assert!(poa.activate_shared::<_, Echo>(&servant).is_err());
}

/// A repository that knows one interface.
struct Repository(ObjectRef);

impl zorb_core::ServedBy<Repository> for ObjectRef {
    fn dispatch(servant: &Repository, call: &mut zorb_core::ServerCall<'_>) -> zorb_core::Served {
        assert_eq!(call.operation_name(), "lookup_id");
        let id = call.argument::<String>()?;
        let definition = (id == Echo::REPOSITORY_ID).then_some(&servant.0);
        call.reply_dynamic(None, |writer| codegen::Ref::write_option(definition, writer))
    }
}

#[test]
fn the_interface_of_an_object_is_looked_up_in_the_repository() {
    let (orb, echo) = server();
    let definition = orb.root_poa().activate(Servant::default()).map(|echo: Echo| echo).unwrap();
    let repository = Repository(definition.object().clone());
    let repository: ObjectRef = orb.root_poa().activate(repository).unwrap();
    let (_client, there) = client(&echo);
    let interface = |object: &ObjectRef| {
        let read = <codegen::Ref<ObjectRef> as codegen::Wire>::read;
        object.invoke::<_, zorb_types::SystemException>("_interface", |_| Ok(()), read)
    };
    let minor = |object| interface(object).unwrap_err().minor;
    assert_eq!(minor(there.object()), zorb_types::minor::intf_repos::NOT_AVAILABLE);
    orb.register_initial_reference("InterfaceRepository", &repository).unwrap();
    assert_eq!(interface(there.object()).unwrap().as_ref(), Some(definition.object()));
    assert_eq!(minor(&repository), zorb_types::minor::intf_repos::NO_ENTRY);
}
