//! `zorb bench dba` understands what the program prints.
#![allow(clippy::panic, clippy::unwrap_used)]

use zorb_bench::dba::{DbaPlan, run};
use zorb_bench::harness::Watch;

/// Counts blocks.
#[derive(Default)]
struct Blocks {
    announced: usize,
    measured: usize,
}

impl Watch for Blocks {
    fn begin(&mut self, blocks: usize) {
        self.announced = blocks;
    }

    fn block(&mut self, _what: &str) {
        self.measured += 1;
    }

    fn note(&mut self, line: &str) {
        panic!("{line}");
    }

    fn wants_to_stop(&mut self) -> bool {
        false
    }
}

#[test]
fn a_quick_benchmark_decides_what_is_counted() {
    let plan = DbaPlan { program: env!("CARGO_BIN_EXE_dba").into(), quick: true };
    let mut blocks = Blocks::default();
    let report = run(&plan, &mut blocks).unwrap();
    assert!(blocks.measured == blocks.announced && blocks.announced > 0);
    assert_eq!(report.failures(), Vec::<String>::new(), "{}", report.table());
    let times = report.rows.iter().flat_map(|row| row.median_us.iter().chain(&row.processor_us));
    assert!(times.clone().count() > 0 && times.into_iter().all(|&time| time > 0.0));
    for row in report.rows.iter().filter(|row| row.segments) {
        assert!(row.stages_us.iter().flatten().all(|&time| time >= 0.0), "{row:?}");
        let sum: f64 = row.stages_us.iter().flatten().sum();
        assert!(sum > 0.0, "{row:?}");
    }
    assert_eq!(report.predictions.len(), 3);
}
