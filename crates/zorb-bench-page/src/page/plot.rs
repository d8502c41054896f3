//! Charts with two axes: series of points with lines between them.

use std::fmt::Write as _;

use askama::Template;

use super::chart::{Chart, Styles, WIDTH};
use super::scale::Axis;

/// The height of all of them.
const HEIGHT: f64 = 252.0;
/// The ends of the axes.
pub(super) const ACROSS: (f64, f64) = (60.0, WIDTH - 20.0);
pub(super) const DOWN: (f64, f64) = (208.0, 26.0);

/// A value that is shown by a mark.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The quartiles, up and down.
    pub(super) quartiles: Option<(f64, f64)>,
    /// The tooltip.
    pub(super) note: String,
}

/// The values of one peer.
#[derive(Clone, Debug)]
pub(super) struct Series<'a> {
    pub(super) peer: &'a str,
    /// Corners of the line; if empty, it goes through the points.
    pub(super) line: Vec<(f64, f64)>,
    pub(super) points: Vec<Point>,
}

/// Series between two axes.
#[derive(Debug, Template)]
#[template(path = "plot.html")]
pub(super) struct Plot<'a> {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// A value to compare with.
    pub(super) level: Option<f64>,
    pub(super) series: &'a [Series<'a>],
    pub(super) styles: &'a Styles,
}

impl Plot<'_> {
    /// The picture, without title and description. The legend has each peer once.
    pub(super) fn chart(&self) -> Chart {
        let mut peers: Vec<&str> = self.series.iter().map(|series| series.peer).collect();
        peers.dedup();
        Chart {
            legend: self.styles.legend(peers.into_iter()),
            height: HEIGHT,
            picture: self.to_string(),
            ..Chart::default()
        }
    }

    /// The coordinates of a point; `None` for values that an axis cannot show.
    fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.at(x)?, self.y.at(y)?))
    }

    fn level(&self) -> Option<f64> {
        self.y.at(self.level?)
    }

    fn line(&self, series: &Series<'_>) -> String {
        match series.line.as_slice() {
            [] => path(series.points.iter().filter_map(|point| self.at(point.x, point.y))),
            corners => path(corners.iter().filter_map(|(x, y)| self.at(*x, *y))),
        }
    }

    fn mark(&self, peer: &str, point: &Point) -> Option<String> {
        let (x, y) = self.at(point.x, point.y)?;
        Some(self.styles.style(peer).mark(x, y))
    }

    fn whisker(&self, point: &Point) -> Option<String> {
        let (low, high) = point.quartiles?;
        let (x, low, high) = (self.x.at(point.x)?, self.y.at(low)?, self.y.at(high)?);
        Some(format!("M{x} {low}V{high}"))
    }
}

/// A path through these points, without invisible corners.
fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    const VISIBLE: f64 = 0.6;
    let mut path = String::new();
    let mut last = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut skipped = None;
    for (x, y) in points {
        if (x - last.0).abs() < VISIBLE && (y - last.1).abs() < VISIBLE {
            skipped = Some((x, y));
            continue;
        }
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x} {y}");
        (last, skipped) = ((x, y), None);
    }
    if let Some((x, y)) = skipped {
        let _ = write!(path, "L{x} {y}");
    }
    path
}
