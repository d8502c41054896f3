//! `zorb bench rt`: outputs and rejected arguments.

use serde_json::Value;

use crate::program::{folder, run};

#[test]
fn experiments_report_whether_they_hold_and_their_controls_fail() {
    let folder = folder("bench-rt");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let words = ["bench", "rt", "--quick", "--only", "e11,E14", "--transport", "uiop,iiop"];
    let finished = run(&[&words[..], &["--json", "--out", out]].concat());
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    let json = finished.json();
    let experiments = json["experiments"].as_array().unwrap();
    let named: Vec<_> = experiments
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["transport"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [("E11", "uiop"), ("E11", "iiop"), ("E14", "uiop"), ("E14", "iiop")]);
    for one in experiments {
        // Without permission to set priorities they are skipped, and so do not hold.
        let run = one["not_run"].is_null();
        assert_eq!((&one["holds"], &one["control_detected"]), (&run.into(), &run.into()), "{one}");
        assert_eq!(one["measured"].as_object().unwrap().is_empty(), !run, "{one}");
    }
    let kept = std::fs::read_to_string(format!("{out}/rt.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), json);
    let page = std::fs::read_to_string(format!("{out}/rt.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("E14"), "{page}");
}

#[test]
fn unknown_experiments_are_rejected() {
    let finished = run(&["bench", "rt", "--only", "E99"]);
    assert_eq!(finished.status, Some(2));
    assert!(
        finished.stderr.contains("E99") && finished.stderr.contains("E13"),
        "{}",
        finished.stderr
    );
}

#[test]
fn upcalls_are_counted_task_by_task() {
    let folder = folder("bench-upcalls");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let finished = run(&["bench", "upcalls", "--seconds", "1", "--json", "--out", out]);
    let json = finished.json();
    let [one] = json["experiments"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(one["name"], "upcalls");
    // Whether deadlines are met depends on the machine; without permission it is skipped.
    let claims = ["checks", "controls"].map(|list| one[list].as_array().unwrap().iter());
    let fails = claims.into_iter().flatten().any(|claim| claim["verdict"] == "fails");
    assert_eq!(finished.status, Some(i32::from(fails)), "{}", finished.stderr);
    if one["not_run"].is_null() {
        for task in ["sample", "steer", "show"] {
            let made = &one["measured"][format!("{task}_priorities_upcalls")];
            assert!(made.as_u64().unwrap() > 0, "{task}: {one}");
        }
    }
    let kept = std::fs::read_to_string(format!("{out}/upcalls.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), json);
}
