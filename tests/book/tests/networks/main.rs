//! The recipes of the book's page *Networks*, in networks of their own.
//!
//! Each recipe is tried with its configuration file as the book has it: the clients call through it. As a control, they
//! cannot with the endpoint `iiop://:2809` alone. The tests need Linux's network namespaces, and the programs that set them
//! up. Without these they are ignored, with the reason; `REQUIRE_TOOLS=1` makes that a failure.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;
mod recipe;
mod stage;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use recipe::Recipe;
use stage::{Stage, missing};

fn main() -> ExitCode {
    if program::run_as_told() {
        return ExitCode::SUCCESS;
    }
    let tests: [(&str, fn()); 5] = [
        ("clients_of_either_family_find_an_address", clients_of_either_family_find_an_address),
        ("clients_on_both_sides_of_a_gateway_call", clients_on_both_sides_of_a_gateway_call),
        ("clients_call_into_a_container", clients_call_into_a_container),
        (
            "clients_that_nobody_can_connect_to_are_called",
            clients_that_nobody_can_connect_to_are_called,
        ),
        ("an_excluded_network_is_not_in_references", an_excluded_network_is_not_in_references),
    ];
    let missing = missing();
    let required = std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0");
    let trials = tests.map(|(name, test)| match missing.clone() {
        None => Trial::test(name, move || {
            test();
            Ok(())
        }),
        Some(reason) if required => Trial::test(name, || Err(reason.into())),
        Some(reason) => {
            Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true)
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

const WITHOUT: &str = "listen_endpoints = [\"iiop://:2809\"]";

const CALLED: &str = "called";

/// Whether a client could not connect.
fn is_unreachable(said: &str) -> bool {
    said.contains("TRANSIENT")
}

fn clients_of_either_family_find_an_address() {
    let recipe = Recipe::of("IPv6");
    let stage = Stage::new("server old new")
        .link("server", "old0 10.1.0.10/24", "old", "eth0 10.1.0.20/24")
        .link("server", "new0 2001:db8:1::10/64", "new", "eth0 2001:db8:1::20/64");
    let said = stage.try_out(&recipe.toml, "old new");
    assert_eq!(said, ["iiop://[2001:db8:1::10]:2809 iiop://10.1.0.10:2809", CALLED, CALLED]);
    let said = stage.try_out(WITHOUT, "old new");
    assert_eq!(said[..2], ["iiop://10.1.0.10:2809", CALLED]);
    assert!(is_unreachable(&said[2]), "{said:?}");
}

fn clients_on_both_sides_of_a_gateway_call() {
    let recipe = Recipe::of("NAT");
    let stage = Stage::new("server gateway inside outside")
        .link("server", "eth0 10.1.0.10/24", "gateway", "lan0 10.1.0.1/24")
        .link("inside", "eth0 10.2.0.20/24", "gateway", "lan1 10.2.0.1/24")
        .link("outside", "eth0 198.51.100.20/24", "gateway", "wan 198.51.100.1/24")
        .route("server", "default via 10.1.0.1")
        .route("inside", "default via 10.2.0.1")
        .forwards("gateway", recipe.nft.as_deref().unwrap());
    let said = stage.try_out(&recipe.toml, "inside outside");
    assert_eq!(said, ["iiop://198.51.100.1:5000 iiop://10.1.0.10:2809", CALLED, CALLED]);
    let said = stage.try_out(WITHOUT, "inside outside");
    assert_eq!(said[..2], ["iiop://10.1.0.10:2809", CALLED]);
    assert!(is_unreachable(&said[2]), "{said:?}");
    // The clients inside need the second address.
    let outer = recipe.toml.replace("&publish=10.1.0.10:2809", "");
    let said = stage.try_out(&outer, "inside outside");
    assert_eq!(said[2], CALLED);
    assert!(is_unreachable(&said[1]), "{said:?}");
}

fn clients_that_nobody_can_connect_to_are_called() {
    let recipe = Recipe::of("Bidirectional GIOP");
    let translation = "table ip nat {
      chain postrouting {
        type nat hook postrouting priority srcnat
        oifname \"wan\" masquerade
      }
    }";
    let stage = Stage::new("client gateway server")
        .link("client", "eth0 10.1.0.10/24", "gateway", "lan0 10.1.0.1/24")
        .link("server", "eth0 198.51.100.20/24", "gateway", "wan 198.51.100.1/24")
        .route("client", "default via 10.1.0.1")
        .forwards("gateway", translation);
    assert_eq!(stage.try_out_watching(&recipe.toml, "client", "watcher"), "heard");
    // The gateway lets no connection in.
    let said = stage.try_out_watching(&recipe.toml, "client", "one-direction watcher");
    assert!(is_unreachable(&said), "{said}");
    // The server does not believe an address that the connection does not come from.
    for other in ["", "/publish=10.1.0.10:40001", "/publish=198.51.100.20:40001"] {
        let toml = format!("listen_endpoints = [\"iiop://10.1.0.10:2810{other}\"]");
        let said = stage.try_out_watching(&toml, "client", "watcher");
        assert!(is_unreachable(&said), "{said}");
    }
}

fn clients_call_into_a_container() {
    let recipe = Recipe::of("Containers");
    // What `-p 5000:2809 -p 5000:2809/udp` does.
    let map = "table ip nat {
      chain prerouting {
        type nat hook prerouting priority dstnat
        fib daddr type local tcp dport 5000 dnat to 172.17.0.2:2809
        fib daddr type local udp dport 5000 dnat to 172.17.0.2:2809
      }
    }";
    let stage = Stage::new("server host client")
        .link("server", "eth0 172.17.0.2/16", "host", "docker0 172.17.0.1/16")
        .link("client", "eth0 198.51.100.20/24", "host", "eth0 198.51.100.1/24")
        .route("server", "default via 172.17.0.1")
        .forwards("host", map);
    let said = stage.try_out(&recipe.toml, "client");
    assert_eq!(said, ["iiop://198.51.100.1:5000", CALLED]);
    for scheme in ["rudp", "sciop"] {
        let said = stage.try_out(&recipe.toml.replace("iiop", scheme), "client");
        assert_eq!(said, [format!("{scheme}://198.51.100.1:5000"), CALLED.to_owned()]);
    }
    let said = stage.try_out_one_way(&recipe.toml.replace("iiop", "diop"), "client");
    assert_eq!(said, ["diop://198.51.100.1:5000", CALLED, "heard"]);
    let said = stage.try_out_one_way(&WITHOUT.replace("iiop", "diop"), "client");
    assert_eq!(said[0], "diop://172.17.0.2:2809");
    assert!(is_unreachable(&said[1]), "{said:?}");
    let said = stage.try_out(WITHOUT, "client");
    assert_eq!(said[0], "iiop://172.17.0.2:2809");
    assert!(is_unreachable(&said[1]), "{said:?}");
}

fn an_excluded_network_is_not_in_references() {
    let recipe = Recipe::of("Several networks");
    let stage = Stage::new("server administration client")
        .link("server", "mgmt0 10.9.0.1/24", "administration", "eth0 10.9.0.2/24")
        .link("server", "eth0 10.1.0.10/24", "client", "eth0 10.1.0.20/24");
    let said = stage.try_out(&recipe.toml, "client");
    assert_eq!(said, ["iiop://10.1.0.10:2809", CALLED]);
    let said = stage.try_out(WITHOUT, "client");
    assert_eq!(said[0], "iiop://10.9.0.1:2809");
    assert!(is_unreachable(&said[1]), "{said:?}");
}
