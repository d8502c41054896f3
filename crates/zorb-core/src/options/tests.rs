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
