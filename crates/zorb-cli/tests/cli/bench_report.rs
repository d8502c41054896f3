//! `zorb bench report` and `--html`: pages of results, and files that are not results.

use std::fs;
use std::path::PathBuf;

use crate::program::{folder, run};

const ROW: &str = r#"{"rows": [{"experiment": "latency", "peer": "zorb", "transport": "iiop",
    "operation": "ping", "payload": 0, "p50_us": 12.5, "ratio_to_raw": 1.05}]}"#;

/// An empty folder of this test.
fn emptied(test: &str) -> PathBuf {
    let folder = folder(test);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn a_folder_becomes_a_page_and_invalid_files_are_reported() {
    let folder = emptied("report-good");
    fs::write(folder.join("good.json"), ROW).unwrap();
    fs::write(folder.join("broken.json"), "{\"rows\": [").unwrap();
    fs::write(folder.join("foreign.json"), "{\"name\": \"something else\"}").unwrap();
    let page = folder.join("page.html");
    let words = ["bench", "report", folder.to_str().unwrap(), "--output", page.to_str().unwrap()];
    let finished = run(&words);
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert_eq!(finished.stdout, format!("{}: a page of 1 run\n", page.display()));
    let warnings: Vec<&str> = finished.stderr.lines().collect();
    let [broken, foreign] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(broken.starts_with("warning: broken.json is skipped: it is no JSON"), "{broken}");
    let expected = "warning: foreign.json is skipped: it is no result of `zorb bench`";
    assert!(foreign.starts_with(expected), "{foreign}");
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("12.50") && html.contains("good.json") && html.contains("broken.json"));
}

#[test]
fn a_page_can_go_to_standard_output() {
    let folder = emptied("report-stdout");
    fs::write(folder.join("good.json"), ROW).unwrap();
    let finished = run(&["bench", "report", folder.to_str().unwrap(), "-o", "-"]);
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(0), ""));
    assert!(finished.stdout.starts_with("<!DOCTYPE html>"), "{}", finished.stdout);
}

#[test]
fn without_results_there_is_a_hint() {
    let folder = emptied("report-empty");
    fs::write(folder.join("README.md"), "# Results").unwrap();
    let folder = folder.to_str().unwrap();
    for place in [folder.to_owned(), format!("{folder}/nowhere")] {
        let finished = run(&["bench", "report", &place]);
        assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
        let hint = format!("hint: run `zorb bench latency --json {place}/latency.json`");
        assert!(finished.stderr.contains(&hint), "{}", finished.stderr);
    }
}

#[test]
fn an_experiment_writes_its_page_beside_its_table() {
    let folder = emptied("report-html");
    let page = folder.join("latency.html");
    let page = page.to_str().unwrap();
    let finished = run(&["bench", "latency", "--quick", "--payload", "4", "--html", page]);
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.starts_with("operation"), "{}", finished.stdout);
    let html = fs::read_to_string(page).unwrap();
    // Bars for Zorb's five operations, curves for both peers.
    assert_eq!(html.matches("<path class=\"bar\"").count(), 5);
    assert_eq!(html.matches("<figure").count(), 1 + 5);
}

#[test]
fn outputs_are_not_mixed_on_standard_output() {
    let finished = run(&["bench", "latency", "--quick", "--json", "-", "--html", "-"]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(2), ""));
}
