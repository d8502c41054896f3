//! Charts with two axes: series of points with lines between them.

use std::fmt::Write as _;

use super::chart::{self, Chart, Mark, Styles, Tick, WIDTH, px};
use super::scale::Scale;
use super::text::{Quantity, digits};

/// The height of all of them.
const HEIGHT: f64 = 252.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 208.0;

/// One of the two axes.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) unit: Unit,
    /// What the values are.
    pub(super) label: String,
    /// Maximum number of named values.
    pub(super) ticks: usize,
}

/// How the values of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Of(Quantity),
    /// A share of one, in percent.
    Percent,
}

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

/// Two axes.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// A value to compare with.
    pub(super) level: Option<f64>,
}

impl Plot {
    /// The picture, without title and description. The legend has each peer once.
    pub(super) fn chart(&self, series: &[Series<'_>], styles: &Styles) -> Chart {
        let mut peers: Vec<&str> = series.iter().map(|series| series.peer).collect();
        peers.dedup();
        Chart {
            legend: styles.legend(peers.into_iter()),
            width: WIDTH,
            height: HEIGHT,
            axes: self.axes().into(),
            level: self
                .level
                .and_then(|level| self.down(level))
                .map(|y| format!("M{LEFT} {y:.1}H{RIGHT}")),
            series: series.iter().map(|series| self.series(series, styles)).collect(),
            ..Chart::default()
        }
    }

    /// The coordinates of a point; `None` for values that an axis cannot show.
    fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.across(x)?, self.down(y)?))
    }

    fn across(&self, x: f64) -> Option<f64> {
        Some(LEFT + (RIGHT - LEFT) * self.x.scale.place(x)?)
    }

    fn down(&self, y: f64) -> Option<f64> {
        Some(BOTTOM - (BOTTOM - TOP) * self.y.scale.place(y)?)
    }

    fn axes(&self) -> [chart::Axis; 2] {
        let x_tick = |value: f64| {
            let x = self.across(value)?;
            let line = format!("M{x:.1} {TOP}V{BOTTOM}");
            let text = self.x.unit.text(value);
            Some(Tick { value, line, x: px(x), y: BOTTOM + 15.0, text })
        };
        let y_tick = |value: f64| {
            let y = self.down(value)?;
            let line = format!("M{LEFT} {y:.1}H{RIGHT}");
            let text = self.y.unit.text(value);
            Some(Tick { value, line, x: LEFT - 6.0, y: px(y + 3.5), text })
        };
        let ticks = |axis: &Axis| axis.scale.ticks(axis.ticks).into_iter();
        [
            chart::Axis {
                class: "x",
                label: self.x.label.clone(),
                x: (LEFT + RIGHT) / 2.0,
                y: HEIGHT - 10.0,
                ticks: ticks(&self.x).filter_map(x_tick).collect(),
            },
            chart::Axis {
                class: "y",
                label: self.y.label.clone(),
                x: 0.0,
                y: 12.0,
                ticks: ticks(&self.y).filter_map(y_tick).collect(),
            },
        ]
    }

    fn series(&self, series: &Series<'_>, styles: &Styles) -> chart::Series {
        let style = styles.style(series.peer);
        let corners = || series.points.iter().map(|point| (point.x, point.y));
        let line = match series.line.as_slice() {
            [] => path(corners().filter_map(|(x, y)| self.at(x, y))),
            line => path(line.iter().filter_map(|(x, y)| self.at(*x, *y))),
        };
        let mark = |point: &Point| {
            let (x, y) = self.at(point.x, point.y)?;
            let ends =
                point.quartiles.and_then(|(low, high)| Some((self.down(low)?, self.down(high)?)));
            let whisker = ends.map(|(low, high)| format!("M{x:.1} {low:.1}V{high:.1}"));
            Some(Mark { whisker, mark: style.mark(x, y), note: point.note.clone() })
        };
        chart::Series {
            class: style.class(),
            peer: series.peer.to_owned(),
            bar: None,
            line: Some(line),
            points: series.points.iter().filter_map(mark).collect(),
        }
    }
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            Self::Of(quantity) => quantity.text(value),
            Self::Percent => format!("{}\u{2009}%", digits(value * 100.0, 6)),
        }
    }
}

/// A line through these places, without invisible corners.
fn path(places: impl Iterator<Item = (f64, f64)>) -> String {
    const VISIBLE: f64 = 0.6;
    let mut path = String::new();
    let mut last = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut skipped = None;
    for (x, y) in places {
        if (x - last.0).abs() < VISIBLE && (y - last.1).abs() < VISIBLE {
            skipped = Some((x, y));
            continue;
        }
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
        (last, skipped) = ((x, y), None);
    }
    if let Some((x, y)) = skipped {
        let _ = write!(path, "L{x:.1} {y:.1}");
    }
    path
}
