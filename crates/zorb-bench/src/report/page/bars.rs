//! Lying bars, grouped by the work, with quartiles.

use std::fmt::Write as _;

use super::figure::{Figure, WIDTH};
use super::looks::Looks;
use super::scale::{Scale, Spacing};
use super::text::{Escaped, Quantity, shortened};

/// Where bars begin when all names are short, at most, and what a character of a name adds.
const LEFT: f64 = 74.0;
const LEFT_MOST: f64 = 170.0;
const CHARACTER: f64 = 6.0;
const RIGHT: f64 = WIDTH - 54.0;
/// The height of a bar's line, and of a group's heading.
const LINE: f64 = 17.0;
const HEADING: f64 = 24.0;
const AXIS: f64 = 40.0;
/// Bars of one figure, if it has more than one group.
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

/// The bars of one work.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub(super) name: String,
    pub(super) bars: Vec<Bar<'a>>,
}

/// What all bars show.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) title: String,
    pub(super) axis: String,
    pub(super) quantity: Quantity,
    /// A value to compare with.
    pub(super) level: Option<f64>,
}

/// One figure or more, all with the same axis.
pub(super) fn figures(meaning: &Meaning, groups: &[Group<'_>], looks: &Looks) -> Vec<Figure> {
    let bars = || groups.iter().flat_map(|group| &group.bars);
    let ends = bars().flat_map(|bar| {
        let (low, high) = bar.quartiles.unwrap_or((bar.value, bar.value));
        [low, bar.value, high]
    });
    let scale = Scale::over(Spacing::Linear, ends.chain(meaning.level));
    let count = bars().count().div_ceil(MOST_BARS).max(1);
    let parts: Vec<&[Group<'_>]> = groups.chunks(groups.len().div_ceil(count).max(1)).collect();
    let figure = |(index, part): (usize, &&[Group<'_>])| {
        let (picture, height) = picture(meaning, part, &scale, looks);
        // The heading above says what they show; it is said again only where there are more.
        let caption = match parts.len() {
            1 => String::new(),
            parts => format!("{} of {parts}", index + 1),
        };
        Figure {
            kind: "bars",
            title: meaning.title.clone(),
            caption,
            description: in_words(meaning, part),
            legend: Vec::new(),
            height,
            picture,
        }
    };
    parts.iter().enumerate().map(figure).collect()
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

/// The elements, and how high they are together.
fn picture(meaning: &Meaning, groups: &[Group<'_>], scale: &Scale, looks: &Looks) -> (String, f64) {
    let lines: usize = groups.iter().map(|group| group.bars.len()).sum();
    let bottom = HEADING * groups.len() as f64 + LINE * lines as f64;
    let longest = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.peer.chars().count());
    let longest = longest.max().unwrap_or_default() as f64;
    let left = (longest * CHARACTER + 10.0).clamp(LEFT, LEFT_MOST);
    let across = |value: f64| left + (RIGHT - left) * scale.place(value).unwrap_or_default();
    let mut svg = String::from("<g class=\"axis x\">");
    let ticks = if left > LEFT + 40.0 { 4 } else { 6 };
    for value in scale.ticks(ticks) {
        let x = across(value);
        let _ = write!(
            svg,
            "<g class=\"tick\" data-value=\"{value}\"><path d=\"M{x:.1} 6V{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{}\">{}</text></g>",
            bottom + 14.0,
            meaning.quantity.text(value),
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"label\" x=\"{}\" y=\"{}\">{}</text></g>",
        (left + RIGHT) / 2.0,
        bottom + 31.0,
        Escaped(&meaning.axis),
    );
    let mut y = 0.0;
    for group in groups {
        let name = shortened(&group.name, LONGEST_GROUP);
        let _ = writeln!(
            svg,
            "<text class=\"group\" x=\"0\" y=\"{}\">{}</text>",
            y + 17.0,
            Escaped(&name)
        );
        y += HEADING;
        for bar in &group.bars {
            line(&mut svg, meaning, bar, (left, y), across, looks);
            y += LINE;
        }
    }
    if let Some(level) = meaning.level {
        let _ = writeln!(svg, "<path class=\"level\" d=\"M{:.1} 6V{bottom}\"/>", across(level));
    }
    (svg, bottom + AXIS)
}

/// A peer's name, its bar, and the value behind it.
fn line(
    svg: &mut String,
    meaning: &Meaning,
    bar: &Bar<'_>,
    (left, top): (f64, f64),
    across: impl Fn(f64) -> f64,
    looks: &Looks,
) {
    let (zero, end) = (across(0.0), across(bar.value));
    let middle = top + LINE / 2.0;
    let _ = write!(
        svg,
        "<g class=\"series {}\" data-peer=\"{}\"><title>{}</title>\
         <text class=\"peer\" x=\"{}\" y=\"{:.1}\">{}</text>\
         <rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\"/>",
        looks.look(bar.peer).class(),
        Escaped(bar.peer),
        Escaped(&bar_in_words(meaning, bar)),
        left - 6.0,
        middle + 3.5,
        Escaped(&shortened(bar.peer, LONGEST_PEER)),
        zero.min(end),
        top + 2.5,
        (end - zero).abs(),
        LINE - 5.0,
    );
    let mut right = zero.max(end);
    if let Some((low, high)) = bar.quartiles {
        let (low, high) = (across(low), across(high));
        right = right.max(high);
        let (up, down) = (middle - 3.5, middle + 3.5);
        let _ = write!(
            svg,
            "<path class=\"whisker\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {up:.1}V{down:.1}\
             M{high:.1} {up:.1}V{down:.1}\"/>",
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        right + 5.0,
        middle + 3.5,
        meaning.quantity.measured(bar.value),
    );
}
