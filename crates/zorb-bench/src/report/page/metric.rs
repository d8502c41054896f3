//! Selects the number of a row that a chart shows.

use super::super::results::{Cell, Measured};
use super::text::Quantity;
use crate::catalog::Experiment;

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
        let any = |name: &str| rows.iter().any(|row| row.number(name).is_some_and(|n| n > 0.0));
        let throughput = Experiment::named(experiment).is_some_and(|known| known.throughput);
        if !throughput && any("p50_us") {
            return Some(Self::time(
                "p50_us",
                Some(("p50_q1_us", "p50_q3_us")),
                "Median time of a call",
            ));
        }
        if throughput || !any("mean_us") {
            if any("mb_per_s") {
                return Some(Self::rate("mb_per_s", Quantity::Megabytes, "Throughput"));
            }
            if any("calls_per_s") {
                return Some(Self::rate("calls_per_s", Quantity::Rate, "Calls per second"));
            }
        }
        if any("mean_us") {
            return Some(Self::time("mean_us", None, "Mean time of a call"));
        }
        let name = rows.iter().flat_map(|row| &row.cells).find_map(|(name, cell)| match cell {
            Cell::Number(_) if name != "rounds" && name != "calls" => Some(name),
            _ => None,
        })?;
        Some(Self::unknown(name))
    }

    /// The ratio to the bare program.
    pub(super) fn ratio(more_is_better: bool) -> Self {
        let better = if more_is_better { "more" } else { "less" };
        Self {
            name: "ratio_to_raw".to_owned(),
            quartiles: Some(("ratio_q1", "ratio_q3")),
            quantity: Quantity::Ratio,
            title: "Ratio to bare sockets".to_owned(),
            axis: format!("ratio to bare sockets, {better} is better"),
            more_is_better,
        }
    }

    fn time(name: &str, quartiles: Option<(&'static str, &'static str)>, title: &str) -> Self {
        Self {
            name: name.to_owned(),
            quartiles,
            quantity: Quantity::Micros,
            title: title.to_owned(),
            axis: format!("{}, less is better", title.to_lowercase()),
            more_is_better: false,
        }
    }

    fn rate(name: &str, quantity: Quantity, title: &str) -> Self {
        Self {
            name: name.to_owned(),
            quartiles: None,
            quantity,
            title: title.to_owned(),
            axis: format!("{}, more is better", title.to_lowercase()),
            more_is_better: true,
        }
    }

    /// A number of which only the name is known.
    fn unknown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            quartiles: None,
            quantity: if name.ends_with("_us") { Quantity::Micros } else { Quantity::Count },
            title: name.to_owned(),
            axis: name.to_owned(),
            more_is_better: false,
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
