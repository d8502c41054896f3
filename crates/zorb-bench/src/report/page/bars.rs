//! Bar charts: horizontal bars with quartiles, grouped by workload.

use std::fmt::Write as _;

use super::chart::{self, Axis, Chart, Series, Styles, Tick, WIDTH, px};
use super::scale::{Scale, Spacing};
use super::text::{Quantity, shortened};

/// Where bars begin: at least, at most, and what each character of a name adds.
const LEFT: f64 = 74.0;
const LEFT_MOST: f64 = 170.0;
const CHARACTER: f64 = 6.0;
const RIGHT: f64 = WIDTH - 54.0;
/// The height of a bar's line, and of a group's heading.
const LINE: f64 = 17.0;
const HEADING: f64 = 24.0;
const AXIS: f64 = 40.0;
/// Bars of one chart, if it has more than one group.
const MOST_BARS: usize = 18;
/// Names of groups and peers are cut.
const LONGEST_GROUP: usize = 52;
const LONGEST_PEER: usize = 26;

/// A bar.
#[derive(Clone, Debug)]
pub(super) struct Bar<'a> {
    pub(super) peer: &'a str,
    pub(super) value: f64,
    pub(super) quartiles: Option<(f64, f64)>,
}

/// The bars of one workload.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) name: String,
    pub(super) bars: Vec<Bar<'a>>,
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
    let count = bars().count().div_ceil(MOST_BARS).max(1);
    let parts: Vec<&[Group<'_>]> = groups.chunks(groups.len().div_ceil(count).max(1)).collect();
    let chart = |(index, part): (usize, &&[Group<'_>])| {
        // The heading above says what is shown; only several charts need captions.
        let caption = match parts.len() {
            1 => String::new(),
            parts => format!("{} of {parts}", index + 1),
        };
        Chart {
            kind: "bars",
            title: meaning.title.clone(),
            caption,
            description: in_words(meaning, part),
            ..picture(meaning, part, &scale, styles)
        }
    };
    parts.iter().enumerate().map(chart).collect()
}

fn in_words(meaning: &Meaning, groups: &[Group<'_>]) -> String {
    let mut words = format!("{}. ", meaning.axis);
    for group in groups {
        let bars = group.bars.iter().map(|bar| bar_in_words(meaning, bar));
        let _ = write!(words, "{}: {}. ", group.name, bars.collect::<Vec<_>>().join("; "));
    }
    words.trim_end().to_owned()
}

fn bar_in_words(meaning: &Meaning, bar: &Bar<'_>) -> String {
    let text = |value| meaning.quantity.measured(value);
    let quartiles =
        bar.quartiles.map(|(low, high)| format!(" (quartiles {} to {})", text(low), text(high)));
    format!("{} {}{}", bar.peer, text(bar.value), quartiles.unwrap_or_default())
}

/// Axis, groups and bars, without title and description.
fn picture(meaning: &Meaning, groups: &[Group<'_>], scale: &Scale, styles: &Styles) -> Chart {
    let lines: usize = groups.iter().map(|group| group.bars.len()).sum();
    let bottom = HEADING * groups.len() as f64 + LINE * lines as f64;
    let longest = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.peer.chars().count());
    let longest = longest.max().unwrap_or_default() as f64;
    let left = (longest * CHARACTER + 10.0).clamp(LEFT, LEFT_MOST);
    let across = |value: f64| left + (RIGHT - left) * scale.place(value).unwrap_or_default();
    let tick = |value| Tick {
        value,
        line: format!("M{:.1} 6V{bottom}", across(value)),
        x: px(across(value)),
        y: bottom + 14.0,
        text: meaning.quantity.text(value),
    };
    let ticks = if left > LEFT + 40.0 { 4 } else { 6 };
    let axis = Axis {
        class: "x",
        label: meaning.axis.clone(),
        x: (left + RIGHT) / 2.0,
        y: bottom + 31.0,
        ticks: scale.ticks(ticks).into_iter().map(tick).collect(),
    };
    let mut chart = Chart {
        width: WIDTH,
        height: bottom + AXIS,
        axes: vec![axis],
        level: meaning.level.map(|level| format!("M{:.1} 6V{bottom}", across(level))),
        ..Chart::default()
    };
    let mut y = 0.0;
    for group in groups {
        let name = shortened(&group.name, LONGEST_GROUP);
        chart.groups.push(chart::Group { y: y + 17.0, name });
        y += HEADING;
        for bar in &group.bars {
            let drawn = drawn(meaning, bar, y, Ends { left, across: &across });
            chart.series.push(Series {
                class: styles.style(bar.peer).class(),
                peer: bar.peer.to_owned(),
                bar: Some(drawn),
                line: None,
                points: Vec::new(),
            });
            y += LINE;
        }
    }
    chart
}

/// Where bars begin, and the place of a value.
struct Ends<'a> {
    left: f64,
    across: &'a dyn Fn(f64) -> f64,
}

fn drawn(meaning: &Meaning, bar: &Bar<'_>, top: f64, ends: Ends<'_>) -> chart::Bar {
    let across = ends.across;
    let (zero, end) = (across(0.0), across(bar.value));
    let middle = top + LINE / 2.0;
    let quartiles = bar.quartiles.map(|(low, high)| (across(low), across(high)));
    let right = quartiles.map_or(zero.max(end), |(_, high)| zero.max(end).max(high));
    let whisker = |(low, high): (f64, f64)| {
        let (up, down) = (middle - 3.5, middle + 3.5);
        format!(
            "M{low:.1} {middle:.1}H{high:.1}M{low:.1} {up:.1}V{down:.1}M{high:.1} {up:.1}V{down:.1}"
        )
    };
    chart::Bar {
        note: bar_in_words(meaning, bar),
        name: shortened(bar.peer, LONGEST_PEER),
        name_x: px(ends.left - 6.0),
        text_y: px(middle + 3.5),
        x: px(zero.min(end)),
        y: px(top + 2.5),
        width: px((end - zero).abs()),
        height: LINE - 5.0,
        whisker: quartiles.map(whisker),
        value_x: px(right + 5.0),
        value: meaning.quantity.measured(bar.value),
    }
}
