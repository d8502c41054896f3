//! `zorb top`.

use serde_json::json;

use crate::program::run;
use crate::serve::Served;

#[test]
fn the_metrics_of_services_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().to_str().unwrap();
    let mut served = Served::start(&["naming,ifr,imr", "--store", store, "--metrics", "0"], 3);
    let address = served.metrics();
    let shown = run(&["top", "--once", &address]);
    assert_eq!(shown.status, Some(0), "{}", shown.stderr);
    let row = shown.stdout.lines().find(|line| line.starts_with("naming_bindings")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["naming_bindings", "2"]);
    for row in ["imr_servers state=stopped", "imr_servers state=running", "imr_processes"] {
        let row = shown.stdout.lines().find_map(|line| line.strip_prefix(row));
        assert_eq!(row.map(str::trim), Some("0"), "{}", shown.stdout);
    }
    let url = format!("http://{address}/metrics");
    assert_eq!(run(&["top", "--once", &url]).status, Some(0), "{url}");
    let page = run(&["top", "--once", "--json", &address]).json();
    let all = page["metrics"].as_array().unwrap();
    let of = |name: &str| all.iter().find(|it| it["name"] == json!(name)).unwrap();
    let ready = of("zorb_ready");
    assert_eq!((&ready["value"], &ready["kind"]), (&json!(1.0), &json!("gauge")));
    assert_eq!(of("zorb_naming_contexts")["value"], json!(1.0));
    // Binding the services has synchronized the store.
    for name in ["size_bytes", "syncs_total", "sync_seconds_total", "longest_sync_seconds"] {
        let found = of(&format!("zorb_store_{name}"));
        assert!(found["value"].as_f64().unwrap() > 0.0, "{found}");
    }
    served.end();

    let dead = run(&["top", "--once", &address]);
    assert_eq!(dead.status, Some(1));
    assert!(dead.stderr.contains("hint"), "{}", dead.stderr);
}
