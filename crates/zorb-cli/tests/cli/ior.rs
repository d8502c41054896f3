//! `zorb ior`, on references of omniORB 4.2.5 and JacORB 3.9.

use serde_json::{Value, json};

use crate::program::{file, run, run_with_input};

const JACORB_PERSIST: &str = "IOR:\
    000000000000001A49444C3A7665632E746573742F5665632F546573743A312E300000000000000100000000\
    00000064000102000000000A3132372E302E302E310042CC0000000C7665637372762F502F76656300000002\
    0000000000000008000000004A4143000000000100000024000000000501000100000002000100010001000F\
    00010109000000020501000100010100";
const OMNIORB_PERSIST: &str = "IOR:\
    010000001a00000049444c3a7665632e746573742f5665632f546573743a312e300000000100000000000000\
    60000000010102000a0000003132372e302e302e310068420f000000ff706f6141ff706f6142006f69643100\
    0200000000000000080000000100000000545441010000001c00000001000000010001000100000001000105\
    090101000100000009010100";
const OMNIORB_BIDIR: &str = "IOR:\
    010000001a00000049444c3a7665632e746573742f5665632f546573743a312e300000000100000000000000\
    64000000010102000a0000003132372e302e302e3100684211000000ff6264fe2cea016b0100467700000000\
    000000000200000000000000080000000100000000545441010000001c000000010000000100010001000000\
    01000105090101000100000009010100";
const OMNIORB_SSL: &str = "IOR:\
    010000001a00000049444c3a7665632e746573742f5665632f546573743a312e300000000100000000000000\
    64000000010102000a0000003132372e302e302e3100c1440300000076656300030000000000000008000000\
    0100000000545441010000001c00000001000000010001000100000001000105090101000100000009010100\
    1400000008000000010066006600c244";
const OMNIORB_ZIOP: &str = "IOR:\
    010000001a00000049444c3a7665632e746573742f5665632f546573743a312e300000000100000000000000\
    84000000010102000a0000003132372e302e302e310068420300000076656300030000000000000008000000\
    0100000000545441010000001c00000001000000010001000100000001000105090101000100000009010100\
    0200000028000000010100000200000040000000020000000101df19410000000c0000000101000001000000\
    04000600";
const OMNIORB_VEC: &str = "IOR:\
    010000001a00000049444c3a7665632e746573742f5665632f546573743a312e300000000100000000000000\
    54000000010102000a0000003132372e302e302e310068420300000076656300020000000000000008000000\
    0100000000545441010000001c00000001000000010001000100000001000105090101000100000009010100";

fn explain(reference: &str) -> Value {
    let run = run(&["ior", "--json", reference]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{reference}");
    run.json()
}

/// The component of this kind in the first profile.
fn component<'a>(reference: &'a Value, kind: &str) -> &'a Value {
    let components = reference["profiles"][0]["components"].as_array().unwrap();
    components.iter().find(|component| component["kind"] == kind).unwrap()
}

#[test]
fn a_reference_of_jacorb() {
    let json = explain(JACORB_PERSIST);
    assert_eq!(json["form"], "IOR");
    assert_eq!(json["type_id"], "IDL:vec.test/Vec/Test:1.0");
    assert_eq!(json["byte_order"], "big-endian");
    let profile = &json["profiles"][0];
    assert_eq!((&profile["kind"], &profile["version"]), (&json!("IIOP"), &json!("1.2")));
    assert_eq!((&profile["host"], &profile["port"]), (&json!("127.0.0.1"), &json!(17100)));
    assert_eq!(profile["url"], "corbaloc:iiop:1.2@127.0.0.1:17100/vecsrv/P/vec");
    let key = &profile["object_key"];
    assert_eq!(key["octets"], "7665637372762f502f766563");
    assert_eq!(key["printable"], "vecsrv/P/vec");
    assert_eq!(
        key["form"],
        json!({ "server": "vecsrv", "adapter": "P", "object_id": "766563", "maker": "JacORB" })
    );
    assert_eq!(component(&json, "TAG_ORB_TYPE")["orb"], "JacORB");
    let sets = component(&json, "TAG_CODE_SETS");
    assert_eq!(sets["char"]["native"], "UTF-8");
    assert_eq!(sets["char"]["converts"], json!(["ISO 8859-1", "ISO 8859-15"]));
    assert_eq!(sets["wchar"]["converts"], json!(["UTF-8", "UCS-2 level 1"]));
}

#[test]
fn results_of_zorb_call_are_references() {
    let expected = explain(OMNIORB_VEC);
    let result = format!("\"{OMNIORB_VEC}\"\n");
    let path = file("ior-quoted", "result.json", &result);
    let url = format!("file:{path}");
    for reference in [path.as_str(), url.as_str()] {
        assert_eq!(explain(reference), expected);
    }
    assert_eq!(run_with_input(&["ior", "--json", "-"], &result).json(), expected);
}

#[test]
fn a_missing_file_is_named() {
    for command in ["ior", "ping"] {
        let missing = run(&[command, "greeter.ior"]);
        assert_eq!(missing.status, Some(1));
        assert!(missing.stderr.contains("there is no file greeter.ior"), "{}", missing.stderr);
    }
}

#[test]
fn failures_do_not_control_the_terminal() {
    let failed = run(&["ior", "a\u{1b}[2Jb\u{9b}c"]);
    assert_eq!(failed.status, Some(1));
    assert!(failed.stderr.contains("a\u{fffd}[2Jb\u{fffd}c"), "{}", failed.stderr);
}

#[test]
fn keys_of_omniorb() {
    let form = |reference| explain(reference)["profiles"][0]["object_key"]["form"].clone();
    assert_eq!(
        form(OMNIORB_PERSIST),
        json!({ "adapter": "poaA/poaB", "object_id": "6f696431", "maker": "omniORB, persistent" })
    );
    let transient = form(OMNIORB_BIDIR);
    assert_eq!(
        (&transient["adapter"], &transient["stamp"]),
        (&json!("bd"), &json!("2cea016b01004677"))
    );
    assert_eq!(form(OMNIORB_VEC)["name"], "vec");
    assert_eq!(explain(OMNIORB_VEC)["byte_order"], "little-endian");
}

#[test]
fn association_options_are_spelled_out() {
    let json = explain(OMNIORB_SSL);
    let ssl = component(&json, "TAG_SSL_SEC_TRANS");
    let trust =
        ["Integrity", "Confidentiality", "EstablishTrustInTarget", "EstablishTrustInClient"];
    assert_eq!((&ssl["supports"], &ssl["requires"]), (&json!(trust), &json!(trust)));
    assert_eq!(ssl["port"], 17602);
}

#[test]
fn policies_have_names_and_values() {
    let json = explain(OMNIORB_ZIOP);
    let policies = &component(&json, "TAG_POLICIES")["policies"];
    assert_eq!(
        policies[0],
        json!({ "type": 64, "name": "CompressionEnabling", "value": "enabled" })
    );
    assert_eq!(policies[1]["value"], "zlib at level 6");
}

#[test]
fn text_output() {
    let text = run(&["ior", OMNIORB_SSL]).stdout;
    for part in [
        "type id     IDL:vec.test/Vec/Test:1.0",
        "profile 1  IIOP 1.2, 127.0.0.1:17601",
        "component 3  TAG_SSL_SEC_TRANS (20)",
        "\"vec\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn unknown_parts_are_dumped() {
    // A profile of kind 0x1234 with 40 octets.
    let octets: String = (0x30..0x58).map(|octet| format!("{octet:02x}")).collect();
    let reference = format!("IOR:00000000000000010000000000000001000012340000002{}{octets}", 8);
    let json = explain(&reference);
    assert_eq!(json["profiles"][0]["octets"], octets.as_str());
    let text = run(&["ior", &reference]).stdout;
    assert!(text.contains("unknown kind (0x1234)"), "{text}");
    let row = "0010  40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO";
    assert!(text.contains(row), "{text}");
}

#[test]
fn malformed_profiles_do_not_hide_the_rest() {
    // The length of the host is one too large for the profile.
    let broken = JACORB_PERSIST.replacen("000102000000000A3132", "00010200FFFFFFFF3132", 1);
    assert_ne!(broken, JACORB_PERSIST);
    let json = explain(&broken);
    assert_eq!(json["type_id"], "IDL:vec.test/Vec/Test:1.0");
    let profile = &json["profiles"][0];
    assert!(profile["malformed"].as_str().unwrap().contains("host"), "{profile}");
    assert_eq!(profile["octets"].as_str().map(str::len), Some(200));
}

#[test]
fn references_come_from_files_and_standard_input() {
    let path = file("references", "server.ior", &format!("{OMNIORB_VEC}\n"));
    let expected = explain(OMNIORB_VEC);
    assert_eq!(explain(&path), expected);
    assert_eq!(explain(&format!("file://{path}")), expected);
    let piped = run_with_input(&["ior", "--json", "-"], &format!("  {OMNIORB_VEC}\n"));
    assert_eq!(piped.json(), expected);
}

#[test]
fn urls_are_explained() {
    let json = explain("corbaloc:iiop:1.2@h:99,:[::1]/Name%20Service");
    assert_eq!(json["form"], "corbaloc");
    let address = |index: usize| &json["addresses"][index];
    assert_eq!(
        *address(0),
        json!({ "protocol": "iiop", "version": "1.2", "host": "h", "port": 99 })
    );
    assert_eq!((&address(1)["host"], &address(1)["port"]), (&json!("::1"), &json!(2809)));
    assert_eq!(json["object_key"]["printable"], "Name Service");

    let json = explain("corbaname:rir:#a.b/c");
    assert_eq!(
        json,
        json!({ "form": "corbaname", "initial_reference": "NameService", "name": "a.b/c" })
    );
}

#[test]
fn groups_are_not_hosts() {
    let url = "corbaloc:miop:1.0@1.0-plant-7/239.1.2.3:5000;iiop:1.2@host:2809/leader";
    assert_eq!(
        explain(url),
        json!({
            "form": "corbaloc",
            "addresses": [{ "protocol": "miop", "version": "1.0", "group": "1.0-plant-7" }],
            "address": "239.1.2.3:5000",
            "two_way_calls_at": "iiop:1.2@host:2809/leader",
        })
    );
}

/// The address and object key of profiles of every protocol.
#[test]
fn profiles_of_every_protocol_are_explained() {
    let orb = zorb::Orb::builder()
        .without_environment()
        .listen("lite+iiop://127.0.0.1:0")
        .listen("lite+uiop://")
        .listen("short+iiop://127.0.0.1:0")
        .listen("short+uiop://")
        .listen("rudp://127.0.0.1:0")
        .listen("sciop://127.0.0.1:0")
        .listen("diop://127.0.0.1:0")
        .listen("shmiop://")
        .build()
        .unwrap();
    let object: zorb_bench::demo::Listener = orb.root_poa().activate(crate::ping::Ear).unwrap();
    let json = explain(&zorb::Interface::as_object(&object).to_ior_string());
    let profiles = json["profiles"].as_array().unwrap();
    assert_eq!(profiles.len(), 8);
    let key = &profiles[0]["object_key"]["octets"];
    assert!(key.is_string());
    for profile in profiles {
        assert_eq!(&profile["object_key"]["octets"], key, "{profile}");
        let place = ["host", "hosts", "path"].iter().find(|it| !profile[**it].is_null());
        assert!(place.is_some(), "{profile}");
    }
    let of = |kind: &str| profiles.iter().find(|it| it["kind"] == kind).unwrap();
    assert_eq!(of("TAO SCIOP")["hosts"], json!(["127.0.0.1"]));
    let sockets = of("TAO SHMIOP")["components"].as_array().unwrap();
    let sockets = sockets.iter().find(|it| it["kind"] == "ZORB_SHM_ENDPOINTS").unwrap();
    assert_eq!(sockets["sockets"], json!([of("TAO SHMIOP")["host"]]));
    orb.shutdown(true).unwrap();
}

#[test]
fn an_invalid_reference_fails_with_a_hint() {
    let cut_off = &JACORB_PERSIST[..60];
    for text in ["hello", "corbaloc:", "IOR:xyz", cut_off, "file:///there/is/no/such.ior"] {
        let run = run(&["ior", text]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{text}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
    assert!(run(&["ior", cut_off]).stderr.contains("hint: "));
}

#[test]
fn text_of_a_peer_does_not_control_the_terminal() {
    // The type id is ESC, `[2J`.
    let text =
        run(&["ior", "IOR:0000000000000005 1b5b324a00 000000 00000000".replace(' ', "").as_str()]);
    assert_eq!(text.status, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("\u{fffd}[2J"), "{:?}", text.stdout);
}

#[test]
fn a_hostile_type_id_does_not_control_the_terminal() {
    let id = "IDL:\u{1b}[2J\u{7f}\u{9b}2J:1.0";
    let mut octets = vec![0, 0, 0, 0];
    octets.extend(u32::try_from(id.chars().count() + 1).unwrap().to_be_bytes());
    octets.extend(id.chars().map(|char| u8::try_from(u32::from(char)).unwrap()));
    octets.push(0);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets.extend([0; 4]);
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    let run = run(&["ior", "--json", &format!("IOR:{digits}")]);
    assert!(run.stdout.contains("\\u007f\\u009b2J"), "{}", run.stdout);
    assert!(!run.stdout.contains(|char: char| char.is_control() && char != '\n'));
    assert_eq!(run.json()["type_id"].as_str(), Some(id));
}
