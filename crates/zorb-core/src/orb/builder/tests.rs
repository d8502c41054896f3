use std::time::Duration;

use zorb_tcp::IiopProtocol;

use zorb_giop::ProfileTag;
use zorb_transport::OptionKind;

use super::*;

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

fn arguments(list: &[&str]) -> Vec<String> {
    list.iter().map(|argument| (*argument).to_owned()).collect()
}

#[test]
fn arguments_are_taken_and_others_stay_in_order() {
    let mut options = Options::default();
    let mut all = arguments(&[
        "prog",
        "-ORBInitRef",
        "NameService=corbaloc::h/NameService",
        "--mine",
        "-ORBListenEndpoints",
        "iiop://:1234;iiop://:1235",
        "-ORBNoProprietaryActivation",
        "first",
        "-ORBServerId",
        "x",
        "last",
    ]);
    options.take_arguments(&mut all).unwrap();
    assert_eq!(all, ["prog", "--mine", "first", "last"]);
    assert_eq!(options.listen_endpoints, ["iiop://:1234", "iiop://:1235"]);
    let named = ("NameService".to_owned(), "corbaloc::h/NameService".to_owned());
    assert_eq!(options.init_ref, [named]);
    assert_eq!(options.origin("initref"), Origin::Argument("-ORBInitRef".to_owned()));
}

/// A value may look like an option; `=` may join both; the last of several wins.
#[test]
fn arguments_come_in_pairs() {
    let mut all =
        arguments(&["-ORBId", "-ORBBusyWait", "-ORBBusyWait", "3", "-ORBBusyWait=4", "rest"]);
    let orb = builder().arguments(&mut all);
    assert_eq!(all, ["rest"]);
    let options = orb.options().unwrap();
    assert_eq!(
        (options.id.as_str(), options.busy_wait),
        ("-ORBBusyWait", Duration::from_micros(4))
    );
}

#[test]
fn errors_name_the_option_the_range_and_the_source() {
    let mut options = Options::default();
    let mut take = |list: &[&str]| options.take_arguments(&mut arguments(list)).unwrap_err();
    let unknown = take(&["-ORBListenEndpoint", "x"]);
    assert!(unknown.to_string().contains("unknown option ListenEndpoint"), "{unknown}");
    assert_eq!(unknown.hint(), Some("did you mean ListenEndpoints?"));
    let range = take(&["-ORBMaxForwards", "9999"]).to_string();
    let expected =
        "option MaxForwards = \"9999\" (argument -ORBMaxForwards): out of range: 0 to 1024";
    assert!(range.contains(expected), "{range}");
    let text = take(&["-ORBIdleTimeout", "5s"]).to_string();
    assert!(text.contains("expected a number from 0 to 86400000 ms"), "{text}");
    let missing = take(&["-ORBMaxForwards"]);
    assert!(missing.to_string().contains("-ORBMaxForwards needs a value"), "{missing}");
    let program = builder().max_forwards(1025).options().unwrap_err().to_string();
    assert!(program.contains("MaxForwards = \"1025\" (program): out of range"), "{program}");
    let time = builder().connect_timeout(Duration::MAX).options().unwrap_err().to_string();
    assert!(time.contains("out of range: 1 to 3600000 ms"), "{time}");
    let overridden = builder().max_forwards(1025).arguments(&mut vec!["-ORBMaxForwards", "3"]);
    assert!(overridden.options().is_err(), "what is overridden is checked too");
}

#[test]
fn files_and_variables_are_read() {
    let mut options = Options::default();
    let file = "connect_timeout = 5\nno_delay = false\n[init_ref]\nA = \"corbaloc::h/A\"\n";
    options.take_toml(file, "zorb.toml").unwrap();
    assert_eq!(
        (options.connect_timeout, options.stream.no_delay),
        (Duration::from_millis(5), false)
    );
    assert_eq!(options.init_ref.len(), 1);
    options.take_environment([("ZORB_CONNECT_TIMEOUT".to_owned(), "6".to_owned())]).unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(6));
    let misspelt = [("ZORB_CONECT_TIMEOUT".to_owned(), "6".to_owned())];
    let error = options.take_environment(misspelt).unwrap_err();
    assert!(error.to_string().contains("CONECT_TIMEOUT"), "{error}");
    assert_eq!(error.hint(), Some("did you mean ZORB_CONNECT_TIMEOUT?"));
    options.take_environment([("ZORB_CONFIG".to_owned(), "x".to_owned())]).unwrap();
    options.take_toml("connect_timeout = 0x1_0", "zorb.toml").unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(16));
    for (text, why) in [
        ("nonsense = 1", "unknown option nonsense"),
        ("[orb]\nspin = 1", "not in tables"),
        ("[init_reff]\nA = \"corbaloc::h/A\"", "did you mean init_ref?"),
        ("connect_timeout = [1]", "has the wrong type"),
        ("connect_timeout = 99999999999999999999", "has the wrong type"),
        ("busy_wait = 1\nbusy_wait = 2", "duplicate key"),
        ("busy_wait = 1\nBusyWait = 2", "option BusyWait is set twice"),
    ] {
        let error = Options::default().take_toml(text, "zorb.toml").unwrap_err();
        let error = format!("{error:?}");
        assert!(error.contains(why) && error.contains("zorb.toml"), "{error}");
    }
    let misspelt = options.take_toml("idle_timout = 1", "zorb.toml").unwrap_err();
    assert_eq!(misspelt.hint(), Some("did you mean idle_timeout?"));
}

#[test]
fn variables_that_are_not_utf_8_are_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let set = |name: &[u8], value: &[u8]| {
        Options::default().take_environment([(OsStr::from_bytes(name), OsStr::from_bytes(value))])
    };
    for (name, value) in [(&b"ZORB_ID"[..], &b"\xff"[..]), (b"ZORB_\xff", b"1")] {
        let error = set(name, value).unwrap_err();
        assert!(error.to_string().contains("is not UTF-8"), "{error}");
    }
    // Neither the path of the file nor variables of other programs have to be UTF-8.
    set(b"ZORB_CONFIG", b"/etc/\xff").unwrap();
    set(b"OTHER", b"\xff").unwrap();
}

#[test]
fn files_beyond_the_maximum_size_are_errors() {
    let path = std::env::temp_dir().join(format!("zorb-large-{}.toml", std::process::id()));
    let sized = |octets: usize| {
        let text = format!("max_forwards = 2\n{}", "#".repeat(octets - 17));
        std::fs::write(&path, text).unwrap();
        let mut options = Options::default();
        options.take_file(&path).map(|()| options.max_forwards)
    };
    assert_eq!(sized(1 << 20).unwrap(), 2);
    let error = sized((1 << 20) + 1).unwrap_err();
    assert!(error.to_string().contains("is larger than 1048576 octets"), "{error}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn defaults_can_be_set() {
    let options = Options::default();
    for spec in options.table() {
        assert_eq!(options.value(spec), spec.default(), "{}", spec.name);
        assert!(!spec.help.is_empty());
        if spec.kind != OptionKind::NameValuePairs {
            let mut other = Options::default();
            other.set(spec.name, &spec.default(), Origin::Program).unwrap();
            assert_eq!(other.value(spec), spec.default());
        }
    }
}

/// All combinations of sources: the strongest of program, file, environment, arguments, force wins, and
/// overridden values are recorded.
#[test]
fn the_strongest_source_wins() {
    const SOURCES: usize = 5;
    let path = std::env::temp_dir().join(format!("zorb-options-{}.toml", std::process::id()));
    std::fs::write(&path, "max_forwards = 2\n").unwrap();
    for present in 0..1_u32 << SOURCES {
        let has = |source: usize| present & (1 << source) != 0;
        let mut options = Options::default();
        if has(0) {
            options.set("MaxForwards", "1", Origin::Program).unwrap();
        }
        if has(1) {
            options.take_file(&path).unwrap();
        }
        if has(2) {
            let variable = ("ZORB_MAX_FORWARDS".to_owned(), "3".to_owned());
            options.take_environment([variable]).unwrap();
        }
        if has(3) {
            options.take_arguments(&mut vec!["-ORBMaxForwards", "4"]).unwrap();
        }
        if has(4) {
            options.set("MaxForwards", "5", Origin::Forced).unwrap();
        }
        let strongest = (0..SOURCES).rev().find(|source| has(*source));
        let value = strongest.map_or(8, |source| source as u32 + 1);
        assert_eq!(options.max_forwards, value, "{present:05b}");
        let strongest = (0..5).rev().find(|source| has(*source)).unwrap_or(0);
        let is_own = |source| source == 0 && strongest == 4;
        let lost = (0..strongest).filter(|source| has(*source) && !is_own(*source));
        let lost: Vec<_> = lost.map(|source| (source + 1).to_string()).collect();
        let overridden = options.overridden().into_iter().map(|overridden| overridden.value);
        assert_eq!(overridden.collect::<Vec<_>>(), lost, "{present:05b}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn the_builder_puts_sources_in_order() {
    let path = std::env::temp_dir().join(format!("zorb-order-{}.toml", std::process::id()));
    std::fs::write(&path, "busy_wait = 2\nmax_connections = 2\n").unwrap();
    let options = builder()
        .force(|orb| orb.max_held_requests(6))
        .max_held_requests(5)
        .busy_wait(Duration::from_micros(1))
        .max_connections(1)
        .max_forwards(1)
        .arguments(&mut vec!["-ORBMaxConnections", "3", "-ORBMaxHeldRequests", "3"])
        .config_file(&path)
        .options()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let origin = |name| options.origin(name);
    assert_eq!((options.busy_wait, options.max_connections), (Duration::from_micros(2), 3));
    assert_eq!((options.max_held_requests, origin("MaxHeldRequests")), (6, Origin::Forced));
    assert_eq!((options.max_forwards, origin("MaxForwards")), (1, Origin::Program));
    assert_eq!(origin("MaxMessageSize"), Origin::Default);
    let overridden: Vec<_> = options.overridden().iter().map(ToString::to_string).collect();
    let file = path.display();
    assert_eq!(
        overridden,
        [
            format!("option BusyWait = 2 us (file {file}) overrides 1 us (program)"),
            "option MaxConnections = 3 (argument -ORBMaxConnections) overrides 1 (program)".to_owned(),
            format!("option MaxConnections = 3 (argument -ORBMaxConnections) overrides 2 (file {file})"),
            "option MaxHeldRequests = 6 (program, forced) overrides 3 (argument -ORBMaxHeldRequests)"
                .to_owned(),
        ]
    );
}

#[test]
fn lists_are_replaced_and_pairs_by_name() {
    let orb = || {
        let orb = builder().listen("iiop://:1").listen_endpoints(["iiop://:2"]);
        orb.init_ref("A", "corbaloc::p/A").init_ref("B", "corbaloc::p/B")
    };
    assert_eq!(orb().options().unwrap().listen_endpoints, ["iiop://:1", "iiop://:2"]);
    let mut operator = vec!["-ORBListenEndpoints", "iiop://:3", "-ORBInitRef", "B=corbaloc::o/B"];
    operator.extend(["-ORBListenEndpoints", "iiop://:4", "-ORBInitRef", "C=corbaloc::o/C"]);
    let options = orb().arguments(&mut operator).options().unwrap();
    assert_eq!(options.listen_endpoints, ["iiop://:3", "iiop://:4"]);
    let pairs = options.init_ref.iter().map(|(name, url)| format!("{name}={url}"));
    let pairs: Vec<_> = pairs.collect();
    assert_eq!(pairs, ["A=corbaloc::p/A", "B=corbaloc::o/B", "C=corbaloc::o/C"]);
    let overridden = options.overridden();
    let lost: Vec<_> = overridden.iter().map(|it| (it.name, it.value.as_str())).collect();
    assert_eq!(lost, [("ListenEndpoints", "iiop://:1;iiop://:2"), ("InitRef", "B=corbaloc::p/B")]);
}

#[test]
fn the_same_value_overrides_nothing() {
    let orb = builder().max_forwards(3).arguments(&mut vec!["-ORBMaxForwards", "3"]);
    let options = orb.options().unwrap();
    assert!(options.origin("MaxForwards").is_operator() && options.overridden().is_empty());
}

zorb_transport::options! {
    /// Options of an extension.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Shared of "iiop", set by (trait SetShared) {
        /// A number.
        "IiopShare" iiop_share: u8 = 3, 1..=9;
    }
}

zorb_transport::options! {
    /// Options whose names belong to others.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Clashing of "clash", set by (trait SetClashing) {
        /// A time.
        "ConnectTimeout" connect_timeout: u8 = 3, 1..=9;
    }
}

/// IIOP with options of its own.
#[derive(Debug)]
struct WithOptions(IiopProtocol);

impl Protocol for WithOptions {
    fn transport(&self) -> &dyn zorb_transport::Transport {
        self.0.transport()
    }

    fn profile_tag(&self) -> ProfileTag {
        self.0.profile_tag()
    }

    fn options(&self) -> Option<Box<dyn OptionSet>> {
        Some(Box::new(Shared::default()))
    }

    fn decode_profile(
        &self,
        profile: &zorb_giop::TaggedProfile,
    ) -> Result<zorb_transport::ResolvedProfile, zorb_transport::ProfileError> {
        self.0.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[zorb_transport::Endpoint],
        version: zorb_giop::GiopVersion,
        object_key: &[u8],
        components: &[zorb_giop::TaggedComponent],
    ) -> Result<zorb_giop::TaggedProfile, zorb_transport::ProfileError> {
        self.0.encode_profile(endpoints, version, object_key, components)
    }
}

#[test]
fn protocols_and_extensions_declare_options() {
    let with = || builder().protocol(Arc::new(WithOptions(IiopProtocol::new())));
    let own = Options::default().table().count();
    let options = with().iiop_share(4).options().unwrap();
    assert_eq!(options.table().count(), own + 1);
    assert_eq!(options.get::<Shared>().unwrap().iiop_share, 4);
    assert_eq!(options.origin("IiopShare"), Origin::Program);
    let options = with().iiop_share(4).arguments(&mut vec!["-ORBiiopshare", "5"]).options();
    assert_eq!(options.unwrap().get::<Shared>(), Some(&Shared { iiop_share: 5 }));
    let range = with().iiop_share(10).options().unwrap_err().to_string();
    assert!(range.contains("out of range: 1 to 9"), "{range}");
    let extension = builder().declare(Shared { iiop_share: 7 }).options().unwrap();
    assert_eq!(extension.get::<Shared>().unwrap().iiop_share, 7);

    // Without the declaration the option is unknown; the hint says how to get it.
    let unknown = builder().option("IiopShare", "4").options().unwrap_err().to_string();
    assert!(unknown.contains("unknown option IiopShare"), "{unknown}");
    let missing_features =
        builder().missing_features(&[("iiop", "tcp")]).iiop_share(4).options().unwrap_err();
    assert_eq!(missing_features.hint(), Some("iiop requires the feature tcp"));
    let clash = builder().declare(Clashing::default()).options().unwrap_err();
    let clash = format!("{clash:?}");
    assert!(clash.contains("option ConnectTimeout of clash: orb has"), "{clash}");
}

#[test]
fn options_are_shown_with_owner_and_origin() {
    let orb = builder().declare(Shared::default()).max_forwards(3).iiop_share(4);
    let shown = orb.options().unwrap().to_string();
    for line in [
        "Options of orb:",
        "  -ORBConnectTimeout 10000 ms  (1 to 3600000)",
        "  -ORBMaxForwards 3  (0 to 1024; from program)",
        "Options of sockets:",
        "Options of iiop:",
        "  -ORBIiopShare 4  (1 to 9; from program)",
        "      A number.",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
}

#[test]
fn overridden_values_are_logged_when_the_orb_is_built() {
    let log = zorb_testkit::Log::default();
    log.of(|| {
        let orb = builder().max_forwards(1).force(|orb| orb.max_connections(2));
        let mut operator = vec!["-ORBMaxForwards", "3", "-ORBMaxConnections", "4"];
        orb.arguments(&mut operator).build().unwrap().shutdown(true).unwrap();
    });
    let lines = log.lines().into_iter().map(|line| format!("{} {}", line.level, line.message));
    let overrides: Vec<_> = lines.filter(|line| line.contains("overrides")).collect();
    assert_eq!(
        overrides,
        [
            "INFO option MaxForwards = 3 (argument -ORBMaxForwards) overrides 1 (program)",
            "WARN option MaxConnections = 2 (program, forced) overrides 4 (argument -ORBMaxConnections)",
        ]
    );
}
