use super::*;

fn arguments(list: &[&str]) -> Vec<String> {
    list.iter().map(|argument| (*argument).to_owned()).collect()
}

#[test]
fn arguments_are_taken_and_others_kept() {
    let mut options = Options::default();
    let rest = options
        .take_arguments(arguments(&[
            "prog",
            "-ORBInitRef",
            "NameService=corbaloc::h/NameService",
            "--mine",
            "-ORBListenEndpoints",
            "iiop://:1234;iiop://:1235",
            "-ORBNoProprietaryActivation",
            "-ORBServerId",
            "x",
        ]))
        .unwrap();
    assert_eq!(rest, ["prog", "--mine"]);
    assert_eq!(options.listen_endpoints, ["iiop://:1234", "iiop://:1235"]);
    assert_eq!(
        options.init_refs,
        [("NameService".to_owned(), "corbaloc::h/NameService".to_owned())]
    );
    assert_eq!(options.origin("initref"), Origin::Argument("-ORBInitRef".to_owned()));
}

#[test]
fn errors_name_the_option_and_its_origin() {
    let mut options = Options::default();
    let unknown = options.take_arguments(arguments(&["-ORBListenEndpoint", "x"])).unwrap_err();
    assert!(unknown.to_string().contains("unknown option ListenEndpoint"), "{unknown}");
    assert!(unknown.advice().unwrap().contains("ListenEndpoints"));
    let range = options.take_arguments(arguments(&["-ORBMaxForwards", "9999"])).unwrap_err();
    assert!(range.to_string().contains("out of range: 0 to 1024"), "{range}");
    let missing = options.take_arguments(arguments(&["-ORBMaxForwards"])).unwrap_err();
    assert!(missing.to_string().contains("needs a value"), "{missing}");
}

#[test]
fn later_fronts_win_over_earlier_ones() {
    let mut options = Options::default();
    options
        .take_toml("connect_timeout = 5\n[init_ref]\nA = \"corbaloc::h/A\"\n", "zorb.toml")
        .unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(5));
    assert_eq!(options.init_refs.len(), 1);
    options.take_environment([("ZORB_CONNECT_TIMEOUT".to_owned(), "6".to_owned())]).unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(6));
    let misspelt = [("ZORB_CONECT_TIMEOUT".to_owned(), "6".to_owned())];
    let error = options.take_environment(misspelt).unwrap_err();
    assert!(error.to_string().contains("ZORB_CONECT_TIMEOUT"), "{error}");
    options.take_environment([("ZORB_CONFIG".to_owned(), "x".to_owned())]).unwrap();
    options.set("ConnectTimeout", "7", Origin::Builder).unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(7));
    assert_eq!(options.origin("ConnectTimeout"), Origin::Builder);
    assert!(options.take_toml("nonsense = 1", "zorb.toml").is_err());
    assert!(options.take_toml("connect_timeout = [1]", "zorb.toml").is_err());
    options.take_toml("connect_timeout = 0x1_0", "zorb.toml").unwrap();
    assert_eq!(options.connect_timeout, Duration::from_millis(16));
    let over = "connect_timeout = 99999999999999999999";
    assert!(options.take_toml(over, "zorb.toml").is_err());
}

#[test]
fn the_table_agrees_with_the_defaults() {
    let options = Options::default();
    for spec in TABLE {
        assert_eq!(options.value(spec), spec.default, "{}", spec.name);
        assert!(!spec.help.is_empty());
        if spec.kind != OptionKind::Text && !spec.default.is_empty() {
            let mut other = Options::default();
            other.set(spec.name, spec.default, Origin::Builder).unwrap();
            assert_eq!(other.value(spec), spec.default);
        }
    }
}

#[test]
fn named_options_are_kept_by_name() {
    let mut options = Options::default();
    let pools = "[rt_pool]\na = \"1:1\"\nb = \"any:2 stack=1\"\n";
    options.take_toml(pools, "zorb.toml").unwrap();
    options.take_environment([("ZORB_RT_POOL".to_owned(), "c=2:1; a=3:1".to_owned())]).unwrap();
    options.set("rtdenied", "Refuse", Origin::Builder).unwrap();
    let spec = TABLE.iter().find(|spec| spec.name == "RtPool").unwrap();
    assert_eq!(options.value(spec), "b=any:2 stack=1;c=2:1;a=3:1");
    let of_part = options.of_part("rt");
    assert_eq!(of_part[0], ("Pool", "b=any:2 stack=1"));
    assert_eq!(of_part[3], ("Denied", "Refuse"));
    assert!(options.set("RtPool", "1:1", Origin::Builder).is_err());
    assert!(options.set("RtDenied", "maybe", Origin::Builder).is_err());
    assert!(options.set("RtHighestPriority", "100", Origin::Builder).is_err());
}

/// IIOP with options of its own.
#[derive(Debug)]
struct WithOptions(zorb_tcp::IiopProtocol, &'static [OptionSpec]);

impl Protocol for WithOptions {
    fn transport(&self) -> &dyn zorb_transport::Transport {
        self.0.transport()
    }

    fn profile_tag(&self) -> ProfileTag {
        self.0.profile_tag()
    }

    fn options(&self) -> &'static [OptionSpec] {
        self.1
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

const fn of_iiop(name: &'static str, key: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        key,
        kind: OptionKind::Number(1, 9),
        default: "3",
        unit: "",
        help: "a number",
    }
}

#[test]
fn options_come_with_protocols() {
    static OWN: [OptionSpec; 1] = [of_iiop("IiopShare", "iiop_share")];
    let with = |options| -> [Arc<dyn Protocol>; 2] {
        // Whatever is over TCP has what TCP has.
        [(); 2].map(|()| Arc::new(WithOptions(zorb_tcp::IiopProtocol::new(), options)) as _)
    };
    let protocols = with(&OWN);
    let mut options = Options::with(&protocols, &[("ipx", "novell")]).unwrap();
    assert_eq!(options.table().count(), TABLE.len() + 1);
    assert!(options.of_protocol(&*protocols[0]).is_empty());
    let origin = Origin::Argument("-ORBiiopshare".to_owned());
    options.take_arguments(arguments(&["-ORBiiopshare", "4"])).unwrap();
    assert_eq!(options.origin("IiopShare"), origin);
    assert_eq!(options.value(&OWN[0]), "4");
    assert_eq!(options.of_protocol(&*protocols[1]), [("Share", "4")]);
    options.take_environment([("ZORB_IIOP_SHARE".to_owned(), "5".to_owned())]).unwrap();
    assert_eq!(options.of_protocol(&*protocols[1]), [("Share", "5")]);
    let range = options.set("iiop_share", "10", Origin::Builder).unwrap_err();
    assert!(range.to_string().contains("out of range: 1 to 9"), "{range}");

    // Without the protocol there is no such option; of one that could be had, it is said how.
    let story = |name| Options::default().set(name, "4", Origin::Builder).unwrap_err().to_string();
    assert!(story("IiopShare").contains("unknown option IiopShare"));
    let left_out = options.set("IpxShare", "4", Origin::Builder).unwrap_err();
    assert_eq!(left_out.advice(), Some("ipx comes with the feature novell"));

    // Names are to tell whose options they are.
    static OTHERS: [OptionSpec; 1] = [of_iiop("Share", "share")];
    static TWICE: [OptionSpec; 1] = [of_iiop("IiopShare", "iiop_part")];
    for (bad, first) in [(&OTHERS, &OWN), (&TWICE, &OWN)] {
        let [a, b] = with(first);
        let [c, _] = with(bad);
        assert!(Options::with(&[Arc::clone(&a), b], &[]).is_ok());
        let error = Options::with(&[a, c], &[]).unwrap_err().to_string();
        assert!(error.contains("its name is to begin with iiop"), "{error}");
    }
}
