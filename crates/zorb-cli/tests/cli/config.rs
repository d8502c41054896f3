//! `zorb config`.

use serde_json::Value;
use zorb_service::ServiceOptions;

use crate::program::{command, file, run};

fn option<'a>(json: &'a Value, name: &str) -> &'a Value {
    let options = json["options"].as_array().unwrap();
    options.iter().find(|option| option["name"] == name).unwrap()
}

#[test]
fn every_option_is_shown() {
    let table = run(&["config"]);
    assert_eq!((table.status, table.stderr.as_str()), (Some(0), ""));
    let json = run(&["config", "--json"]).json();
    let options = json["options"].as_array().unwrap();
    let naming = zorb_naming::server::NamingOptions::default();
    let orb = zorb::Orb::builder().without_environment().declare(ServiceOptions::default());
    let imr = zorb_imr::server::ImrOptions::default();
    let orb = orb.declare(naming).declare(imr).options().unwrap();
    assert!(
        orb.table()
            .map(|spec| spec.name)
            .eq(options.iter().map(|row| row["name"].as_str().unwrap()))
    );
    assert!(option(&json, "SsliopKey")["help"].is_string(), "those of protocols too");
    for owner in ["orb", "sockets", "rt", "ssliop", "miop", "service", "naming"] {
        assert!(options.iter().any(|option| option["owner"] == owner));
        assert!(table.stdout.contains(&format!("\nOptions of {owner}:\n")), "{owner}");
    }
    for option in options {
        assert!(table.stdout.contains(option["name"].as_str().unwrap()), "{option}");
        assert!(table.stdout.contains(option["help"].as_str().unwrap()), "{option}");
        assert_eq!(option["origin"], "default");
    }
    let timeout = option(&json, "ConnectTimeout");
    assert_eq!((&timeout["value"], &timeout["unit"]), (&Value::from("10000"), &Value::from("ms")));
    assert_eq!(timeout["variable"], "ZORB_CONNECT_TIMEOUT");
    assert_eq!(timeout["range"]["min"], 1);
}

#[test]
fn values_have_origins() {
    let path = file("values", "zorb.toml", "max_forwards = 3\nconnect_timeout = 7\n");
    let output = command(&["config", "-ORBRoundTripTimeout", "500", "--json"])
        .env("ZORB_CONFIG", &path)
        .env("ZORB_CONNECT_TIMEOUT", "8")
        .output();
    let json: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    for (name, value, origin) in [
        ("RoundTripTimeout", "500", "argument -ORBRoundTripTimeout"),
        ("ConnectTimeout", "8", "environment ZORB_CONNECT_TIMEOUT"),
        ("MaxForwards", "3", &*format!("file {path}")),
        ("MaxConnections", "0", "default"),
    ] {
        let option = option(&json, name);
        assert_eq!((&option["value"], &option["origin"]), (&value.into(), &origin.into()));
    }
}

/// Options of protocols are set in the same ways as the ORB's own.
#[test]
fn options_of_protocols_are_set_like_others() {
    let path = file("protocols", "zorb.toml", "miop_hops = 3\n");
    let output = command(&["config", "-ORBSsliopServerName", "server", "--json"])
        .env("ZORB_CONFIG", &path)
        .env("ZORB_MIOP_LOOP_BACK", "no")
        .output();
    let json: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    for (name, value, origin) in [
        ("SsliopServerName", "server", "argument -ORBSsliopServerName"),
        ("MiopLoopBack", "no", "environment ZORB_MIOP_LOOP_BACK"),
        ("MiopHops", "3", &*format!("file {path}")),
        ("SsliopHandshakeTimeout", "10000", "default"),
    ] {
        let option = option(&json, name);
        assert_eq!((&option["value"], &option["origin"]), (&value.into(), &origin.into()));
    }
    let output = run(&["config", "-ORBMiopHops", "300"]);
    assert!(
        output.status == Some(2) && output.stderr.contains("out of range"),
        "{}",
        output.stderr
    );
    let output = run(&["config", "-ORBMiopHop", "3"]);
    assert!(output.stderr.contains("did you mean MiopHops?"), "{}", output.stderr);
}

#[test]
fn the_default_file_is_accepted() {
    let default = run(&["config", "--default"]);
    let path = file("the_default_file", "zorb.toml", &default.stdout);
    let output = command(&["config"]).env("ZORB_CONFIG", &path).output().unwrap();
    assert_eq!(output.stdout, run(&["config"]).stdout.as_bytes());
}

#[test]
fn errors_name_the_option_and_the_origin() {
    let output = command(&["config"]).env("ZORB_MAX_FORWARDS", "many").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("MaxForwards") && stderr.contains("ZORB_MAX_FORWARDS"), "{stderr}");
}

/// The names are those of the protocols linked into the program.
#[test]
fn names_of_protocols_are_checked() {
    assert_eq!(run(&["config", "-ORBClientProtocols", "rudp,uiop,any"]).status, Some(0));
    for arguments in [["-ORBClientProtocols", "ipx"], ["-ORBProtocols", "uiop,uiop"]] {
        let output = run(&["config", arguments[0], arguments[1]]);
        assert_eq!((output.status, output.stdout.as_str()), (Some(1), ""));
        assert!(output.stderr.contains(&arguments[0]["-ORB".len()..]), "{}", output.stderr);
    }
}
