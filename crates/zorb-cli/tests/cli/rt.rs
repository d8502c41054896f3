//! `zorb rt`.

use serde_json::{Value, json};

use crate::program::run;

#[test]
fn a_machine_is_checked() {
    let table = run(&["rt", "check"]);
    let output = run(&["rt", "check", "--json"]);
    let json = output.json();
    let findings = json["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 11);
    for finding in findings {
        let (subject, verdict) = (finding["subject"].as_str(), finding["verdict"].as_str());
        assert!(table.stdout.contains(subject.unwrap()), "{finding}");
        assert!(["good", "limited", "bad"].contains(&verdict.unwrap()), "{finding}");
        assert_eq!(finding["advice"].is_null(), verdict == Some("good"), "{finding}");
    }
    assert_eq!(json["lacking"], json!([]));
    let holds = json["priorities_hold"].as_bool().unwrap();
    assert_eq!(output.status, Some(if holds { 0 } else { 1 }));
    assert_eq!(table.status, output.status);
}

#[test]
fn required_subjects_must_be_good() {
    let findings = run(&["rt", "check", "--json"]).json();
    let holds = findings["priorities_hold"] == true;
    let findings = findings["findings"].as_array().unwrap();
    let names = |good: bool| -> Vec<String> {
        let of = findings.iter().filter(|it| (it["verdict"] == "good") == good);
        of.map(|it| it["subject"].as_str().unwrap().to_owned()).collect()
    };
    let (good, rest) = (names(true), names(false));
    for name in &good {
        let done = run(&["rt", "check", "--require", &name.replace(' ', "-"), "--json"]);
        assert_eq!(done.status, Some(if holds { 0 } else { 1 }), "{name}: {}", done.stdout);
        assert_eq!(done.json()["lacking"], json!([]), "{name}");
    }
    for name in &rest {
        let done = run(&["rt", "check", "--require", name]);
        assert_eq!(done.status, Some(1), "{name}: {}", done.stdout);
        let last = format!("Required but not good: {name}.\n");
        assert!(done.stdout.ends_with(&last), "{}", done.stdout);
    }
    let all = run(&["rt", "check", "--json", "--require", "all", "--require", "kernel,clock"]);
    assert_eq!(all.status, Some(if rest.is_empty() { 0 } else { 1 }));
    let mut lacking: Vec<Value> = rest.into_iter().map(Value::from).collect();
    lacking.sort_by_key(Value::to_string);
    assert_eq!(all.json()["lacking"], Value::from(lacking));

    let unknown = run(&["rt", "check", "--require", "kernle"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(2), ""));
    assert!(unknown.stderr.contains("\"kernle\"") && unknown.stderr.contains("memory-locking"));
}
