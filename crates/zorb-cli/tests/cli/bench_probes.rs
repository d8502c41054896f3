//! `zorb bench probes`. It needs a program with probes: `cargo test -p zorb-cli --features probes`.

use serde_json::Value;

use crate::bench::{quick, rows};
use crate::program::run;

const CLIENT_STEPS: [&str; 9] = [
    "initialisation, object reference",
    "marshal",
    "messaging send",
    "transport send",
    "I/O, send",
    "I/O, wait and receive",
    "transport receive",
    "messaging receive",
    "demarshal",
];
const SERVER_STEPS: [&str; 11] = [
    "I/O, wait and receive",
    "transport receive",
    "messaging receive",
    "parse object key",
    "POA",
    "servant",
    "operation demultiplex",
    "upcall",
    "messaging send",
    "transport send",
    "I/O, send",
];

#[test]
fn probes() {
    let finished = quick("bench-probes", &["probes", "--payload", "8"]);
    let rows = rows(&finished);
    for (transport, operation) in
        ["iiop", "uiop"].into_iter().flat_map(|it| [(it, "ping"), (it, "echo_octets")])
    {
        let of = |side: &str| {
            let start = format!("{operation}/{side}");
            let those = rows.iter().filter(|row| row["transport"] == transport).cloned();
            let named = those.filter_map(|row| {
                let name = row["operation"].as_str()?.strip_prefix(&start)?.to_owned();
                Some((name, row))
            });
            named.unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let ((names, steps), (_, whole)) = (of("client/"), of("round trip"));
        assert_eq!(
            (names, of("server/").0),
            (CLIENT_STEPS.map(str::to_owned).to_vec(), SERVER_STEPS.map(str::to_owned).to_vec())
        );
        let [whole] = &whole[..] else { panic!("{whole:?}") };
        // Every call measured from outside has every step of its client.
        assert!(steps.iter().all(|step| step["calls"] == whole["calls"]), "{steps:?} {whole}");
        // The steps lie within the call. Their share depends on the other load of the machine: it
        // may interrupt a call between the clock and the first step.
        let mean = |row: &Value| row["mean_us"].as_f64().unwrap();
        let sum: f64 = steps.iter().map(mean).sum();
        assert!(sum < mean(whole) * 1.1, "{sum} of {whole}");
    }
    // With payloads around the copy threshold there are more steps.
    let words = ["probes", "--payload", "8,64,128", "-ORBCopyThreshold", "64"];
    let checks = quick("bench-probes-step", &words).json()["checks"].clone();
    let steps = checks.as_array().unwrap().iter();
    let steps = steps.filter(|check| check["expected"] == "64 and 128 octets");
    assert_eq!(steps.count(), 2, "{checks}");
}

/// The numbers in the lines of a table, which must have these names in this order; and the rest.
fn lines_of<'t>(table: &'t str, names: &[&str]) -> (Vec<Vec<f64>>, &'t str) {
    let (_, mut rest) = table.split_once('\n').unwrap(); // the columns
    let numbers = names.iter().map(|name| {
        let (line, behind) = rest.split_once('\n').unwrap();
        rest = behind;
        let numbers = line.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {line}"));
        numbers.split_whitespace().map(|number| number.parse().unwrap()).collect()
    });
    (numbers.collect(), rest)
}

#[test]
fn tables_of_probes() {
    let words = ["bench", "probes", "--quick", "--payload", "8", "--transport", "uiop"];
    let text = run(&words).stdout;
    assert!(!text.contains("iiop"), "{text}");
    let table = |heading| text.split_once(heading).unwrap().1.split_once('\n').unwrap().1;
    let (steps, rest) = lines_of(table("Table 1: "), &CLIENT_STEPS);
    let (server, _) = lines_of(table("Table 2: "), &SERVER_STEPS);
    // A mean and a median, of calls without arguments and with octets.
    assert!(steps.iter().chain(&server).all(|line| line.len() == 4), "{text}");
    let (sums, wholes) = rest.split_once('\n').unwrap();
    let two = |line: &str, name: &str| -> Vec<f64> {
        let numbers = line.lines().next().unwrap().strip_prefix(name).unwrap();
        numbers.split_whitespace().map(|number| number.parse().unwrap()).collect()
    };
    let (sums, wholes) = (two(sums, "sum of the means"), two(wholes, "measured round trip"));
    assert_eq!((sums.len(), wholes.len()), (2, 2), "{text}");
    for (column, (sum, whole)) in sums.iter().zip(wholes).enumerate() {
        let added: f64 = steps.iter().map(|line| line[2 * column]).sum();
        // Up to rounding.
        assert!((added - sum).abs() < 0.0005 * 10.5, "{added}, not {sum}, in {text}");
        assert!(*sum < whole * 1.1, "{sum} of {whole} in {text}");
    }
}
