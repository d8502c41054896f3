//! Selects the number of a row that a chart shows.

use super::text::Quantity;
use crate::results::{Cell, Measured};
use zorb_bench::catalog::Experiment;

/// A number of rows.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    name: String,
    /// The names of its quartiles.
    quartiles: Option<(&'static str, &'static str)>,
    pub(super) quantity: Quantity,
    pub(super) title: String,
    pub(super) axis: String,
    pub(super) more_is_better: bool,
}

impl Metric {
    /// The experiment's main number: a time, a throughput, or else any number.
    pub(super) fn of(experiment: &str, rows: &[&Measured]) -> Option<Self> {
        let throughput = Experiment::named(experiment).is_some_and(|known| known.throughput);
        let names: &[&str] = match throughput {
            true => &["mb_per_s", "calls_per_s", "mean_us"],
            false => &["p50_us", "mean_us", "mb_per_s", "calls_per_s"],
        };
        let any = |name: &&&str| rows.iter().any(|row| row.number(name).is_some_and(|n| n > 0.0));
        if let Some(name) = names.iter().find(any) {
            return Some(Self::known(name));
        }
        let name = rows.iter().flat_map(|row| &row.cells).find_map(|(name, cell)| match cell {
            Cell::Number(_) if name != "rounds" && name != "calls" => Some(name),
            _ => None,
        })?;
        // Only its name is known.
        Some(Self {
            name: name.to_owned(),
            quartiles: None,
            quantity: if name.ends_with("_us") { Quantity::Micros } else { Quantity::Count },
            title: name.to_owned(),
            axis: name.to_owned(),
            more_is_better: false,
        })
    }

    /// The ratio to the bare program.
    pub(super) fn ratio(more_is_better: bool) -> Self {
        let quartiles = Some(("ratio_q1", "ratio_q3"));
        let title = "Ratio to bare sockets";
        Self::new("ratio_to_raw", Quantity::Ratio, title, more_is_better, quartiles)
    }

    fn known(name: &str) -> Self {
        match name {
            "mb_per_s" => Self::new(name, Quantity::Megabytes, "Throughput", true, None),
            "calls_per_s" => Self::new(name, Quantity::Rate, "Calls per second", true, None),
            "p50_us" => {
                let quartiles = Some(("p50_q1_us", "p50_q3_us"));
                Self::new(name, Quantity::Micros, "Median time of a call", false, quartiles)
            }
            _ => Self::new(name, Quantity::Micros, "Mean time of a call", false, None),
        }
    }

    fn new(
        name: &str,
        quantity: Quantity,
        title: &str,
        more_is_better: bool,
        quartiles: Option<(&'static str, &'static str)>,
    ) -> Self {
        let better = if more_is_better { "more" } else { "less" };
        Self {
            name: name.to_owned(),
            quartiles,
            quantity,
            title: title.to_owned(),
            axis: format!("{}, {better} is better", title.to_lowercase()),
            more_is_better,
        }
    }

    /// The number.
    pub(super) fn value(&self, row: &Measured) -> Option<f64> {
        row.number(&self.name)
    }

    /// The quartiles around it, if the row has both.
    pub(super) fn quartiles(&self, row: &Measured) -> Option<(f64, f64)> {
        let (low, high) = self.quartiles?;
        Some((row.number(low)?, row.number(high)?))
    }
}
