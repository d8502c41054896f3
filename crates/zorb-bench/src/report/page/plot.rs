//! Charts with two axes: series of points, with lines between them.

use std::fmt::Write as _;

use super::figure::WIDTH;
use super::looks::Looks;
use super::scale::Scale;
use super::text::{Escaped, Quantity, digits};

/// The height of all of them.
pub(super) const HEIGHT: f64 = 252.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 208.0;

/// One of the two axes.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) unit: Unit,
    /// What it shows.
    pub(super) label: String,
    /// How many values are named at most.
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
    /// What it says when it is pointed at.
    pub(super) note: String,
}

/// What one peer has in a chart.
#[derive(Clone, Debug)]
pub(super) struct Series<'a> {
    pub(super) peer: &'a str,
    /// Corners of the line; without any, it goes through the points.
    pub(super) line: Vec<(f64, f64)>,
    pub(super) points: Vec<Point>,
}

/// Two axes, and the place of everything.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// A level to compare with.
    pub(super) level: Option<f64>,
}

impl Plot {
    /// The picture's elements.
    pub(super) fn picture(&self, series: &[Series<'_>], looks: &Looks) -> String {
        let mut svg = self.frame();
        for one in series {
            self.series(&mut svg, one, looks);
        }
        svg
    }

    /// Where a point lies in the picture, unless it has no place on an axis.
    fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.across(x)?, self.down(y)?))
    }

    fn across(&self, x: f64) -> Option<f64> {
        Some(LEFT + (RIGHT - LEFT) * self.x.scale.place(x)?)
    }

    fn down(&self, y: f64) -> Option<f64> {
        Some(BOTTOM - (BOTTOM - TOP) * self.y.scale.place(y)?)
    }

    fn frame(&self) -> String {
        let mut svg = String::from("<g class=\"axis x\">");
        for value in self.x.scale.ticks(self.x.ticks) {
            let Some(x) = self.across(value) else { continue };
            let _ = write!(
                svg,
                "<g class=\"tick\" data-value=\"{value}\"><path d=\"M{x:.1} {TOP}V{BOTTOM}\"/>\
                 <text x=\"{x:.1}\" y=\"{}\">{}</text></g>",
                BOTTOM + 15.0,
                self.x.unit.text(value),
            );
        }
        let _ = write!(
            svg,
            "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text></g>\n<g class=\"axis y\">",
            (LEFT + RIGHT) / 2.0,
            HEIGHT - 10.0,
            Escaped(&self.x.label),
        );
        for value in self.y.scale.ticks(self.y.ticks) {
            let Some(y) = self.down(value) else { continue };
            let _ = write!(
                svg,
                "<g class=\"tick\" data-value=\"{value}\"><path d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\
                 <text x=\"{}\" y=\"{:.1}\">{}</text></g>",
                LEFT - 6.0,
                y + 3.5,
                self.y.unit.text(value),
            );
        }
        let _ = writeln!(
            svg,
            "<text class=\"label\" x=\"0\" y=\"12\">{}</text></g>",
            Escaped(&self.y.label)
        );
        if let Some(y) = self.level.and_then(|level| self.down(level)) {
            let _ = writeln!(svg, "<path class=\"level\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>");
        }
        svg
    }

    fn series(&self, svg: &mut String, series: &Series<'_>, looks: &Looks) {
        let look = looks.look(series.peer);
        let _ = write!(
            svg,
            "<g class=\"series {}\" data-peer=\"{}\">",
            look.class(),
            Escaped(series.peer)
        );
        let corners = || series.points.iter().map(|point| (point.x, point.y));
        let line = match series.line.as_slice() {
            [] => path(corners().filter_map(|(x, y)| self.at(x, y))),
            line => path(line.iter().filter_map(|(x, y)| self.at(*x, *y))),
        };
        let _ = write!(svg, "<path class=\"line\" d=\"{line}\"/>");
        for point in &series.points {
            let Some((x, y)) = self.at(point.x, point.y) else { continue };
            let ends =
                point.quartiles.and_then(|(low, high)| Some((self.down(low)?, self.down(high)?)));
            if let Some((low, high)) = ends {
                let _ = write!(svg, "<path class=\"whisker\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            }
            let _ = write!(
                svg,
                "<path class=\"mark\" d=\"{}\"><title>{}</title></path>",
                look.mark(x, y),
                Escaped(&point.note),
            );
        }
        svg.push_str("</g>\n");
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

/// A line through these places. Corners that nobody could see are left out.
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
