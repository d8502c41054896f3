//! The shares of interpretive in compiled code, at several optimization levels and by several compilers.

use std::io::{self, Write};

use super::parts::{Kind, Parts, percent};

/// How many points of a percentage the shares of the same code may differ.
const POINTS: f64 = 10.0;

/// The shares of the same code, in percent, in the order of the measurements.
#[derive(Debug)]
struct Row {
    what: String,
    shares: Vec<f64>,
}

impl Row {
    /// The largest share less the smallest one.
    fn spread(&self) -> f64 {
        let largest = self.shares.iter().copied().fold(f64::MIN, f64::max);
        largest - self.shares.iter().copied().fold(f64::MAX, f64::min)
    }
}

/// Of operations with types of their own, and of all services.
fn rows(all: &[Parts]) -> Vec<Row> {
    let Some(first) = all.first() else { return Vec::new() };
    let mut rows = Vec::new();
    let operations =
        first.parts.iter().enumerate().filter(|(_, one)| one.kind == Kind::Operation(true));
    for (index, part) in operations {
        let of = |pair: fn(&super::parts::Part) -> super::parts::Pair| {
            all.iter().filter_map(|parts| Some(percent(pair(parts.parts.get(index)?)))).collect()
        };
        rows.push(Row { what: format!("stubs of {}", part.name), shares: of(|one| one.stubs) });
        let shares = of(|one| one.skeletons);
        rows.push(Row { what: format!("skeletons of {}", part.name), shares });
    }
    let shares = all.iter().map(|parts| percent(parts.services())).collect();
    rows.push(Row { what: "stubs and skeletons of services".to_owned(), shares });
    rows
}

/// Prints the shares, if there are several measurements.
pub(super) fn print(all: &[Parts], out: &mut dyn Write) -> io::Result<()> {
    if all.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\ninterpretive code in percent of compiled code")?;
    write!(out, "{:<34}", "")?;
    for Parts { level, toolchain, .. } in all {
        let by = toolchain.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        write!(out, "{:>12}", format!("{level}{by}"))?;
    }
    writeln!(out, "{:>12}", "difference")?;
    let rows = rows(all);
    for row in &rows {
        write!(out, "{:<34}", row.what)?;
        row.shares.iter().try_for_each(|share| write!(out, "{share:>12.1}"))?;
        writeln!(out, "{:>12.1}", row.spread())?;
    }
    let holds = rows.iter().all(|row| row.spread() <= POINTS);
    let answer = if holds { "yes" } else { "NO" };
    writeln!(out, "differences of at most {POINTS} points: {answer}")
}

#[cfg(test)]
mod tests {
    use super::super::parts::Part;
    use super::*;

    /// A measurement of an operation with stubs of this share, and of a service.
    fn measured(level: &str, toolchain: Option<&str>, share: i64) -> Parts {
        let part = |kind, stubs| Part {
            name: "x",
            kind,
            counts: [0; 3],
            stubs,
            skeletons: [100, 50],
            omniorb: None,
        };
        let parts = vec![
            part(Kind::Operation(true), [100, share]),
            part(Kind::Operation(false), [1, 1]),
            part(Kind::Service, [100, 20]),
        ];
        Parts { level: level.to_owned(), toolchain: toolchain.map(str::to_owned), parts }
    }

    fn printed(all: &[Parts]) -> String {
        let mut out = Vec::new();
        print(all, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn shares_of_the_same_code_are_compared() {
        let text = printed(&[measured("3", None, 30), measured("z", Some("nightly"), 40)]);
        assert!(text.contains("z nightly") && text.ends_with("at most 10 points: yes\n"), "{text}");
        let row = text.lines().find(|line| line.starts_with("stubs of x")).expect(&text);
        assert!(row.ends_with("30.0        40.0        10.0"), "{row}");
        let text = printed(&[measured("3", None, 30), measured("z", None, 41)]);
        assert!(text.ends_with("at most 10 points: NO\n"), "{text}");
    }

    #[test]
    fn one_measurement_is_compared_with_nothing() {
        assert_eq!(printed(&[measured("z", None, 30)]), "");
    }
}
