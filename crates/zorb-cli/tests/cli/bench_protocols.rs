//! `zorb bench` over several protocols in one run, and through a bridge.

use serde_json::Value;

use crate::bench::{quick, rows, works};
use crate::program::run;

#[test]
fn cubit() {
    let finished = quick("bench-cubit", &["cubit", "--rounds", "2", "--pin", "same"]);
    let rows = rows(&finished);
    let calls = rows.iter().filter(|row| row["operation"] != "send_octets");
    assert!(calls.into_iter().all(|row| row["rounds"] == 2 && row["calls"] == 80));
    let over = |transport: &str| -> Vec<Value> {
        rows.iter().filter(|row| row["transport"] == transport).cloned().collect()
    };
    // Shared memory has a flood, too.
    for (transport, kinds) in [("iiop", 11), ("uiop", 11), ("shmiop", 12)] {
        let rows = over(transport);
        assert_eq!(works(&rows, "zorb").len(), kinds, "{transport}");
        assert_eq!(works(&rows, "raw"), works(&rows, "zorb"), "{transport}");
    }
    // Both are compared with the bare program of their transport.
    for transport in ["lite+iiop", "short+iiop", "lite+uiop", "short+uiop"] {
        let rows = over(transport);
        assert_eq!(works(&rows, "zorb").len(), 11, "{transport}");
        assert_eq!(works(&rows, "raw").len(), 0, "{transport}");
        assert!(rows.iter().all(|row| row["ratio_to_raw"].is_number()), "{transport}");
    }
    assert_eq!(finished.json()["checks"].as_array().unwrap().len(), 15);
}

#[test]
fn cubit_over_shared_memory_busy_waits_if_there_are_two_processors() {
    let words = ["cubit", "--transport", "shmiop", "--payload", "4", "--pin", "split"];
    let finished = quick("bench-cubit-shmiop", &words);
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() < 2) {
        assert_eq!(finished.status, Some(1));
        return;
    }
    let rows = rows(&finished);
    for peer in ["zorb", "raw-busy-wait", "zorb-busy-wait"] {
        assert_eq!(works(&rows, peer), works(&rows, "raw"), "{peer}");
    }
    let checks = finished.json()["checks"].clone();
    let all: Vec<&str> =
        checks.as_array().unwrap().iter().flat_map(|it| it["what"].as_str()).collect();
    assert!(
        all.iter().any(|what| what.starts_with("one-way calls") && what.contains("busy-wait")),
        "{all:?}"
    );
    assert!(all.iter().any(|what| what.starts_with("median") && what.contains("sleep")), "{all:?}");
}

#[test]
fn one_messaging_beside_another() {
    let words = ["latency", "--payload", "4", "--transport", "lite+iiop,iiop"];
    let finished = quick("bench-messaging", &words);
    let rows = rows(&finished);
    assert_eq!(works(&rows, "zorb").len(), 2 * works(&rows, "raw").len());
    let finished = run(&["bench", "connections", "--quick", "--transport", "iiop,uiop"]);
    assert_eq!(finished.status, Some(2));
    assert!(finished.stderr.contains("one transport"), "{}", finished.stderr);
}

#[test]
fn bridge() {
    let finished = quick("bench-bridge", &["bridge", "--payload", "8"]);
    let rows = rows(&finished);
    let bridged = rows.iter().filter(|row| row["peer"] == "bridge");
    let ways: Vec<&str> = bridged.filter_map(|row| row["transport"].as_str()).collect();
    for way in ["shmiop->uiop", "iiop->lite+iiop", "ssliop->iiop"] {
        assert!(ways.contains(&way), "{ways:?}");
    }
    for peer in ["raw", "direct"] {
        assert_eq!(works(&rows, peer).len(), ways.len(), "{peer}");
    }
    // Octets alone do not turn GIOP into GIOPlite.
    assert_eq!(works(&rows, "relay").len(), ways.len() - 2);
    assert_eq!(finished.json()["checks"].as_array().unwrap().len(), ways.len());
}
