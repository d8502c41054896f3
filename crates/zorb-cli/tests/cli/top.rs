//! `zorb top`.

use serde_json::json;

use crate::program::run;
use crate::serve::Served;

#[test]
fn the_metrics_of_services_are_shown() {
    let mut served = Served::start(&["naming,ifr,imr", "--metrics", "0"], 3);
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
    let ready = all.iter().find(|it| it["name"] == json!("zorb_ready")).unwrap();
    assert_eq!((&ready["value"], &ready["kind"]), (&json!(1.0), &json!("gauge")));
    served.end();

    let dead = run(&["top", "--once", &address]);
    assert_eq!(dead.status, Some(1));
    assert!(dead.stderr.contains("hint"), "{}", dead.stderr);
}
