//! Bar charts: horizontal bars with quartiles, grouped by workload.

use std::fmt::Write as _;

use askama::Template;

use super::chart::{Chart, Styles, WIDTH};
use super::scale::{Axis, Scale, Spacing};
use super::text::{Quantity, shortened};

/// The left end of bars: minimum, maximum, and the width per character of a name.
const LEFT: f64 = 74.0;
const LEFT_MOST: f64 = 170.0;
const CHARACTER: f64 = 6.0;
const RIGHT: f64 = WIDTH - 54.0;
/// The height of a bar's line, of a group's heading, and of the axis.
const LINE: f64 = 17.0;
const HEADING: f64 = 24.0;
const AXIS: f64 = 40.0;
/// Bars of one chart, if it has more than one group.
const MAX_BARS: usize = 18;
/// Names of groups and peers are cut.
const MAX_GROUP: usize = 52;
const MAX_PEER: usize = 26;

/// A bar.
#[derive(Clone, Debug)]
pub(super) struct Bar<'a> {
    pub(super) peer: &'a str,
    pub(super) value: f64,
    pub(super) quartiles: Option<(f64, f64)>,
}

impl Bar<'_> {
    fn label(&self) -> String {
        shortened(self.peer, MAX_PEER)
    }
}

/// The bars of one workload.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) name: String,
    pub(super) bars: Vec<Bar<'a>>,
}

impl Group<'_> {
    fn label(&self) -> String {
        shortened(&self.name, MAX_GROUP)
    }
}

/// The meaning of all bars.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) title: String,
    pub(super) axis: String,
    pub(super) quantity: Quantity,
    /// A value to compare with.
    pub(super) level: Option<f64>,
}

/// Charts of all groups, with the same axis.
pub(super) fn charts(meaning: &Meaning, groups: &[Group<'_>], styles: &Styles) -> Vec<Chart> {
    let bars = || groups.iter().flat_map(|group| &group.bars);
    let ends = bars().flat_map(|bar| {
        let (low, high) = bar.quartiles.unwrap_or((bar.value, bar.value));
        [low, bar.value, high]
    });
    let scale = Scale::over(Spacing::Linear, ends.chain(meaning.level));
    let count = bars().count().div_ceil(MAX_BARS).max(1);
    let parts: Vec<&[Group<'_>]> = groups.chunks(groups.len().div_ceil(count).max(1)).collect();
    let chart = |(index, part): (usize, &&[Group<'_>])| {
        // The heading above says what is shown; only several charts need captions.
        let caption = match parts.len() {
            1 => String::new(),
            parts => format!("{} of {parts}", index + 1),
        };
        let picture = Picture::of(meaning, part, scale.clone(), styles);
        Chart {
            kind: "bars",
            title: meaning.title.clone(),
            caption,
            description: picture.in_words(),
            height: picture.bottom + AXIS,
            picture: picture.to_string(),
            ..Chart::default()
        }
    };
    parts.iter().enumerate().map(chart).collect()
}

/// An axis with groups of bars above it.
#[derive(Template)]
#[template(path = "bars.html")]
struct Picture<'a> {
    axis: Axis,
    level: Option<f64>,
    styles: &'a Styles,
    /// Groups with their vertical positions.
    groups: Vec<(f64, &'a Group<'a>)>,
    /// The vertical position of the axis.
    bottom: f64,
}

impl<'a> Picture<'a> {
    fn of(meaning: &Meaning, groups: &'a [Group<'a>], scale: Scale, styles: &'a Styles) -> Self {
        let peers = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.peer);
        let longest = peers.map(|peer| peer.chars().count()).max().unwrap_or_default();
        let left = (longest as f64 * CHARACTER + 10.0).clamp(LEFT, LEFT_MOST);
        let axis = Axis {
            label: meaning.axis.clone(),
            quantity: meaning.quantity,
            scale,
            ends: (left, RIGHT),
            most: if left > LEFT + 40.0 { 4 } else { 6 },
        };
        let mut bottom = 0.0;
        let placed = |group: &'a Group<'a>| {
            let top = bottom;
            bottom += HEADING + LINE * group.bars.len() as f64;
            (top, group)
        };
        let groups = groups.iter().map(placed).collect();
        Self { level: meaning.level.and_then(|level| axis.at(level)), axis, styles, groups, bottom }
    }

    fn in_words(&self) -> String {
        let mut words = format!("{}. ", self.axis.label);
        for (_, group) in &self.groups {
            let bars = group.bars.iter().map(|bar| self.bar_in_words(bar));
            let _ = write!(words, "{}: {}. ", group.name, bars.collect::<Vec<_>>().join("; "));
        }
        words.trim_end().to_owned()
    }

    fn bar_in_words(&self, bar: &Bar<'_>) -> String {
        let text = |value| self.axis.quantity.measured(value);
        let quartiles = bar
            .quartiles
            .map(|(low, high)| format!(" (quartiles {} to {})", text(low), text(high)));
        format!("{} {}{}", bar.peer, text(bar.value), quartiles.unwrap_or_default())
    }

    fn value(&self, bar: &Bar<'_>) -> String {
        self.axis.quantity.measured(bar.value)
    }

    /// Where a bar begins and ends.
    fn ends(&self, bar: &Bar<'_>) -> (f64, f64) {
        let at = |value| self.axis.at(value).unwrap_or_default();
        (at(0.0), at(bar.value))
    }

    fn quartiles(&self, bar: &Bar<'_>) -> Option<(f64, f64)> {
        let (low, high) = bar.quartiles?;
        Some((self.axis.at(low)?, self.axis.at(high)?))
    }

    /// Where a bar and its quartiles end.
    fn right(&self, bar: &Bar<'_>) -> f64 {
        let (zero, end) = self.ends(bar);
        let high = self.quartiles(bar).map_or(end, |(_, high)| high);
        zero.max(end).max(high)
    }
}
