//! How many calls took at most how long: a curve for each peer.

use super::figure::Figure;
use super::looks::Looks;
use super::plot::{Axis, HEIGHT, Plot, Point, Series, Unit};
use super::scale::{Scale, Spacing};
use super::text::Quantity;
use crate::histogram::Histogram;

/// Shares that have a mark.
const MARKED: [f64; 3] = [0.5, 0.99, 0.999];

/// The curves of the peers at one work, of those that have any times.
pub(super) fn figure(work: &str, peers: &[(&str, &Histogram)], looks: &Looks) -> Figure {
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
            unit: Unit::Of(Quantity::Micros),
            label: "time of a call".to_owned(),
            ticks: 6,
        },
        y: Axis {
            scale: Scale::over(Spacing::Nines, corners().map(|(_, y)| *y)),
            unit: Unit::Percent,
            label: "share of calls that took no longer".to_owned(),
            ticks: 8,
        },
        level: None,
    };
    let words = series.iter().map(|series| {
        let notes = series.points.iter().map(|point| point.note.as_str());
        notes.collect::<Vec<_>>().join("; ")
    });
    Figure {
        kind: "distribution",
        title: format!("Distribution of all calls: {work}"),
        caption: work.to_owned(),
        description: format!(
            "The share of all calls that took at most a time, on axes where each power of ten and \
             each further nine is as wide as the one before. {}.",
            words.collect::<Vec<_>>().join(". ")
        ),
        legend: peers.iter().map(|(peer, _)| (*peer).to_owned()).collect(),
        height: HEIGHT,
        picture: plot.picture(&series, looks),
    }
}

/// Whether so many calls were made that some of them are beyond.
fn is_known(histogram: &Histogram, share: f64) -> bool {
    histogram.total() as f64 * (1.0 - share) > 0.99
}

fn point(peer: &str, histogram: &Histogram, share: f64) -> Point {
    let time = histogram.quantile(share) / 1000.0;
    let percent = share * 100.0;
    let note = format!("{peer}: {percent}\u{2009}% took at most {}", Quantity::Micros.text(time));
    Point { x: time, y: share, quartiles: None, note }
}

/// The two ends of all buckets, and the shares up to there: level where no call took so long. The
/// last is as many as could be told.
fn curve(histogram: &Histogram) -> Vec<(f64, f64)> {
    let total = histogram.total().max(1) as f64;
    let mut corners = Vec::new();
    let mut below = 0_u64;
    for bucket in histogram.buckets() {
        corners.push((bucket.lowest as f64 / 1000.0, below as f64 / total));
        below += bucket.count;
        let share = (below as f64 / total).min(1.0 - 0.5 / total);
        corners.push(((bucket.lowest + bucket.width - 1) as f64 / 1000.0, share));
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
