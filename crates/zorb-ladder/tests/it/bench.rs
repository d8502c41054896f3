//! `zorb bench ladder` understands what the program prints, and what is counted is as claimed.

use zorb_bench::harness::Watch;
use zorb_bench::ladder::{LadderPlan, run};

/// Counts blocks.
#[derive(Default)]
struct Blocks {
    announced: usize,
    measured: usize,
    notes: Vec<String>,
}

impl Watch for Blocks {
    fn begin(&mut self, blocks: usize) {
        self.announced = blocks;
    }

    fn block(&mut self, _what: &str) {
        self.measured += 1;
    }

    fn note(&mut self, line: &str) {
        self.notes.push(line.to_owned());
    }

    fn wants_to_stop(&mut self) -> bool {
        false
    }
}

#[test]
fn a_quick_benchmark_decides_what_is_counted() {
    let plan = LadderPlan { program: env!("CARGO_BIN_EXE_zorb-ladder").into(), quick: true };
    let mut blocks = Blocks::default();
    let report = run(&plan, &mut blocks).unwrap();
    assert!(blocks.measured == blocks.announced && blocks.announced > 0);
    if std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0") {
        assert!(!report.counts.is_empty(), "{:?}", blocks.notes);
    }
    assert_eq!(report.failures(), Vec::<String>::new(), "{}", report.table());
    let rates = report.floods.iter().chain(&report.link).flat_map(|flood| &flood.mb_per_s);
    assert!(rates.clone().count() > 0 && rates.into_iter().all(|&rate| rate > 0.0));
}
