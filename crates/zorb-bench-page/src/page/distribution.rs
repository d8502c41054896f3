//! Latency distributions: a cumulative curve for each peer.

use super::chart::{Chart, Styles};
use super::plot::{ACROSS, DOWN, Plot, Point, Series};
use super::scale::{Axis, Scale, Spacing};
use super::text::Quantity;
use zorb_bench::histogram::Histogram;

/// Quantiles with a mark.
const MARKED: [f64; 3] = [0.5, 0.99, 0.999];

/// The distributions of the peers for one workload.
pub(super) fn chart(workload: &str, peers: &[(&str, &Histogram)], styles: &Styles) -> Chart {
    let series: Vec<Series<'_>> = peers
        .iter()
        .map(|(peer, histogram)| Series {
            peer,
            line: curve(histogram),
            points: MARKED
                .iter()
                .filter(|share| is_known(histogram, **share))
                .map(|share| point(peer, histogram, *share))
                .collect(),
        })
        .collect();
    let corners = || series.iter().flat_map(|series| &series.line);
    let plot = Plot {
        x: Axis {
            scale: Scale::over(Spacing::Decades, corners().map(|(x, _)| *x)),
            quantity: Quantity::Micros,
            label: "time of a call".to_owned(),
            ends: ACROSS,
            most: 6,
        },
        y: Axis {
            scale: Scale::over(Spacing::Nines, corners().map(|(_, y)| *y)),
            quantity: Quantity::Share,
            label: "share of calls".to_owned(),
            ends: DOWN,
            most: 8,
        },
        level: None,
        series: &series,
        styles,
    };
    let words = series.iter().map(|series| {
        let notes = series.points.iter().map(|point| point.note.as_str());
        notes.collect::<Vec<_>>().join("; ")
    });
    Chart {
        kind: "distribution",
        title: format!("Distribution of all calls: {workload}"),
        caption: workload.to_owned(),
        description: format!(
            "Cumulative distribution of all calls, with a logarithmic time axis and a share axis on \
             which 90 %, 99 % and 99.9 % are equally far apart. {}.",
            words.collect::<Vec<_>>().join(". ")
        ),
        ..plot.chart()
    }
}

/// Whether there are enough calls for some to exceed the quantile.
fn is_known(histogram: &Histogram, share: f64) -> bool {
    histogram.total() as f64 * (1.0 - share) > 0.99
}

fn point(peer: &str, histogram: &Histogram, share: f64) -> Point {
    let time = histogram.quantile(share) / 1000.0;
    let percent = share * 100.0;
    let note = format!("{peer}: {percent}\u{2009}% took at most {}", Quantity::Micros.text(time));
    Point { x: time, y: share, quartiles: None, note }
}

/// The two ends of all buckets with the share of calls up to there. The curve ends below 1 by half a
/// call, the resolution of the measurement.
fn curve(histogram: &Histogram) -> Vec<(f64, f64)> {
    let total = histogram.total().max(1) as f64;
    let mut corners = Vec::new();
    let mut below = 0_u64;
    for bucket in histogram.buckets() {
        corners.push((bucket.lowest as f64 / 1000.0, below as f64 / total));
        below += bucket.count;
        let share = (below as f64 / total).min(1.0 - 0.5 / total);
        corners.push((bucket.highest as f64 / 1000.0, share));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_from_nothing_to_nearly_all() {
        let mut histogram = Histogram::new();
        [100, 100, 200, 400].into_iter().for_each(|nanos| histogram.record(nanos));
        let expected = [(0.1, 0.0), (0.1, 0.5), (0.2, 0.5), (0.2, 0.75), (0.4, 0.75), (0.4, 0.875)];
        assert_eq!(curve(&histogram), expected);
        assert_eq!(curve(&Histogram::new()), []);
        assert_eq!(MARKED.map(|share| is_known(&histogram, share)), [true, false, false]);
    }
}
