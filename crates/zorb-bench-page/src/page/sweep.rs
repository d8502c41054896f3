//! Curves: a number by payload, threads or connections.

use super::chart::{Chart, Styles};
use super::metric::Metric;
use super::plot::{ACROSS, DOWN, Plot, Point, Series};
use super::scale::{Axis, Scale, Spacing};
use super::text::Quantity;
use super::work::{Sweep, Workload};

/// Headings, notes, and a chart for each curve; those by the same parameter have the same axes.
pub(super) fn charts(
    swept: &[Sweep<'_>],
    metric: &Metric,
    styles: &Styles,
) -> Vec<(String, String, Vec<Chart>)> {
    let mut parameters: Vec<&str> = Vec::new();
    for sweep in swept {
        if !parameters.contains(&sweep.parameter.as_str()) {
            parameters.push(&sweep.parameter);
        }
    }
    let mut charts = Vec::new();
    for parameter in parameters {
        let these: Vec<&Sweep<'_>> =
            swept.iter().filter(|sweep| sweep.parameter == parameter).collect();
        let over = if parameter == "payload" { "size" } else { parameter };
        let made = these.iter().map(|sweep| chart(sweep, &these, metric, None, styles)).collect();
        charts.push((format!("{}, by {over}", metric.title), note(metric), made));
        let ratio = Metric::ratio(metric.more_is_better);
        let compared = these.iter().filter(|sweep| has_ratios(sweep, &ratio));
        // For throughput the bars are sufficient.
        if !metric.more_is_better {
            let made = compared.map(|sweep| chart(sweep, &these, &ratio, Some(1.0), styles));
            charts.push((format!("{}, by {over}", ratio.title), note(&ratio), made.collect()));
        }
    }
    charts
}

fn note(metric: &Metric) -> String {
    let better = if metric.more_is_better { "Higher is better" } else { "Lower is better" };
    let whiskers = match metric.quantity {
        Quantity::Ratio => ", whiskers are quartiles, the line at 1 is the bare program",
        Quantity::Micros => ", whiskers are quartiles",
        _ => "",
    };
    format!("{better}. Both axes logarithmic{whiskers}.")
}

fn has_ratios(sweep: &Sweep<'_>, ratio: &Metric) -> bool {
    let mut rows = sweep.steps.iter().flat_map(|(_, workload)| &workload.rows);
    rows.any(|row| row.peer != "raw" && ratio.value(row).is_some())
}

fn chart(
    sweep: &Sweep<'_>,
    all: &[&Sweep<'_>],
    metric: &Metric,
    level: Option<f64>,
    styles: &Styles,
) -> Chart {
    let peers = sweep.peers().into_iter().filter(|peer| level.is_none() || *peer != "raw");
    let x_quantity = if sweep.is_of_sizes() { Quantity::Octets } else { Quantity::Count };
    let series: Vec<Series<'_>> = peers
        .map(|peer| Series {
            peer,
            line: Vec::new(),
            points: points(sweep, peer, metric, x_quantity),
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let steps = || all.iter().flat_map(|sweep| &sweep.steps);
    let ys = steps().flat_map(|(_, workload)| &workload.rows).flat_map(|row| {
        let (low, high) = metric.quartiles(row).unzip();
        [metric.value(row), low, high].into_iter().flatten()
    });
    let doublings = steps().all(|(value, _)| *value > 0.0 && value.log2().fract() == 0.0);
    let spacing =
        if doublings || sweep.is_of_sizes() { Spacing::Doublings } else { Spacing::Decades };
    let plot = Plot {
        x: Axis {
            scale: Scale::over(spacing, steps().map(|(value, _)| *value)),
            quantity: x_quantity,
            label: if sweep.is_of_sizes() { "payload".to_owned() } else { sweep.parameter.clone() },
            ends: ACROSS,
            most: 6,
        },
        y: Axis {
            scale: Scale::over(Spacing::Decades, ys.chain(level)),
            quantity: metric.quantity,
            label: metric.axis.clone(),
            ends: DOWN,
            most: 7,
        },
        level,
        series: &series,
        styles,
    };
    let words = series.iter().flat_map(|series| &series.points).map(|point| point.note.as_str());
    Chart {
        kind: "sweep",
        title: format!("{}: {}", metric.title, sweep.name),
        caption: sweep.name.clone(),
        description: format!("{}. {}.", metric.axis, words.collect::<Vec<_>>().join("; ")),
        ..plot.chart()
    }
}

fn points(sweep: &Sweep<'_>, peer: &str, metric: &Metric, x_quantity: Quantity) -> Vec<Point> {
    let point = |(x, workload): &(f64, Workload<'_>)| {
        let row = workload.rows.iter().find(|row| row.peer == peer)?;
        let y = metric.value(row)?;
        let text = |value| metric.quantity.measured(value);
        let mut note = format!("{peer}, {}: {}", x_quantity.text(*x), text(y));
        let quartiles = metric.quartiles(row);
        if let Some((low, high)) = quartiles {
            note += &format!(" (quartiles {} to {})", text(low), text(high));
        }
        Some(Point { x: *x, y, quartiles, note })
    };
    sweep.steps.iter().filter_map(point).collect()
}
