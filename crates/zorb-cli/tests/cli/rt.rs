//! `zorb rt`.

use crate::program::run;

#[test]
fn a_machine_is_looked_at() {
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
    let holds = json["priorities_hold"].as_bool().unwrap();
    assert_eq!(output.status, Some(if holds { 0 } else { 1 }));
    assert_eq!(table.status, output.status);
}
