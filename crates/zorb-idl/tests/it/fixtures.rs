//! Every fixture produces the diagnostics and models that it documents.

use std::collections::BTreeSet;

use zorb_idl::{Code, explain};

#[test]
fn every_fixture_produces_its_diagnostics_and_model() {
    let folders = ["", "model", "rules"];
    let all = folders.iter().flat_map(|folder| crate::support::fixtures(folder));
    let (mut count, mut failures) = (0, String::new());
    for fixture in all {
        assert!(!fixture.cases.is_empty(), "{} has no case", fixture.path.display());
        count += fixture.cases.len();
        failures.push_str(&crate::support::check(&fixture));
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(count > Code::ALL.len(), "only {count} cases were found");
}

#[test]
fn every_code_fires_in_its_own_fixture() {
    let fixtures = crate::support::fixtures("");
    for code in Code::ALL {
        // Reported by back ends, or no longer reported.
        if code.as_str().starts_with("E03") || *code == Code::ComponentsMissing {
            continue;
        }
        let name = format!("{code}.md");
        let own = fixtures.iter().find(|fixture| fixture.path.ends_with(&name));
        let own = own.unwrap_or_else(|| panic!("{code} has no fixture"));
        let fired: BTreeSet<Code> = own
            .cases
            .iter()
            .flat_map(|case| case.compile().diagnostics)
            .map(|item| item.code)
            .collect();
        assert!(fired.contains(code), "{code} does not fire in its fixture, only {fired:?}");
    }
}

#[test]
fn every_fixture_is_the_explanation_of_its_code() {
    for code in Code::ALL {
        let info = code.info();
        let heading = format!("# {}: {}\n", info.text, info.title);
        assert!(info.explanation.starts_with(&heading), "{code} has a different heading");
        assert_eq!(explain(info.text), Some(info));
        assert_eq!(explain(&info.text.to_lowercase()), Some(info));
    }
    assert_eq!(explain("E9999"), None);
    assert_eq!(explain(""), None);
}

#[test]
fn invalid_idl_is_rejected_rule_by_rule() {
    let rules = crate::support::fixtures("rules");
    for fixture in &rules {
        let path = fixture.path.display();
        let [case] = fixture.cases.as_slice() else { panic!("{path} has more than one case") };
        let diagnostics = case.diagnostics.as_deref().unwrap_or_default();
        let codes: BTreeSet<&str> =
            diagnostics.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(codes.len(), 1, "{path} is about one rule");
        assert!(codes.iter().all(|code| code.starts_with('E')), "{path} is about an error");
    }
    let own = Code::ALL.iter().filter(|code| {
        let text = code.as_str();
        text.starts_with('E') && !text.starts_with("E03") && **code != Code::ComponentsMissing
    });
    assert!(rules.len() + own.count() >= 150, "only {} rules are there", rules.len());
}
