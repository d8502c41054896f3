//! Charts as the template shows them, and how peers look in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;

/// The width of all charts: that of a phone, so that their text has the same size everywhere.
pub(super) const WIDTH: f64 = 360.0;

/// Styles that the style sheet has: `.s0` to `.s15`.
const STYLES: usize = 16;
/// Peers with a fixed style, the same on every page.
const KNOWN: [&str; 5] = ["raw", "zorb", "ace", "omniorb", "jacorb"];

/// A chart.
#[derive(Debug, Default, Template)]
#[template(path = "chart.html")]
pub(super) struct Chart {
    /// Its identity in the page, set by the section.
    pub(super) id: String,
    /// A class of the style sheet.
    pub(super) kind: &'static str,
    pub(super) title: String,
    /// Shown above the picture, if it is not empty.
    pub(super) caption: String,
    /// The contents in words.
    pub(super) description: String,
    /// Peers to explain, unless their names are in the picture.
    pub(super) legend: Vec<LegendItem>,
    pub(super) height: f64,
    /// What is in the picture, in SVG.
    pub(super) picture: String,
}

/// A peer in a legend.
#[derive(Debug)]
pub(super) struct LegendItem {
    class: String,
    mark: String,
    peer: String,
}

/// A coordinate with the precision that is visible.
pub(super) fn px(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

/// How a peer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style(usize);

/// The styles of all peers of a page.
#[derive(Debug)]
pub(super) struct Styles(BTreeMap<String, Style>);

impl Styles {
    /// Assigns every peer a style; if there are more peers than styles, some share one.
    pub(super) fn of<'a>(peers: impl IntoIterator<Item = &'a str>) -> Self {
        let mut others = (KNOWN.len()..STYLES).cycle();
        let mut styles = BTreeMap::new();
        // In the order of the page: peers of one chart follow each other, and so differ.
        for peer in peers {
            if !styles.contains_key(peer) {
                let style = match KNOWN.iter().position(|known| *known == peer) {
                    Some(own) => Style(own),
                    None => Style(others.next().unwrap_or_default()),
                };
                styles.insert(peer.to_owned(), style);
            }
        }
        Self(styles)
    }

    pub(super) fn style(&self, peer: &str) -> Style {
        self.0.get(peer).copied().unwrap_or(Style(STYLES - 1))
    }

    /// The legend of these peers.
    pub(super) fn legend<'a>(&self, peers: impl Iterator<Item = &'a str>) -> Vec<LegendItem> {
        let item = |peer: &str| LegendItem {
            class: self.style(peer).class(),
            mark: self.style(peer).mark(11.0, 6.0),
            peer: peer.to_owned(),
        };
        peers.map(item).collect()
    }
}

impl Style {
    /// The class of the style sheet that has the color.
    pub(super) fn class(self) -> String {
        format!("s{}", self.0)
    }

    /// The outline of the mark around a point, for the `d` of a path.
    pub(super) fn mark(self, x: f64, y: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let mut path = String::new();
            for (index, (right, down)) in corners.iter().enumerate() {
                let letter = if index == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{:.1} {:.1}", x + right, y + down);
            }
            path + "Z"
        };
        // From the ninth style on, the marks repeat in other colors and with dashed lines.
        match self.0 % 8 {
            // A circle.
            1 => format!("M{:.1} {y:.1}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", x - 3.5),
            2 => polygon(&[(0.0, -3.5), (4.0, 3.5), (-4.0, 3.5)]),
            3 => polygon(&[(0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0)]),
            4 => polygon(&[(0.0, 3.5), (4.0, -3.5), (-4.0, -3.5)]),
            // A diagonal bar.
            5 => polygon(&[(-4.0, -4.0), (-2.0, -4.0), (4.0, 4.0), (2.0, 4.0)]),
            // A vertical bar, a horizontal one.
            6 => polygon(&[(-1.5, -4.5), (1.5, -4.5), (1.5, 4.5), (-1.5, 4.5)]),
            7 => polygon(&[(-4.5, -1.5), (4.5, -1.5), (4.5, 1.5), (-4.5, 1.5)]),
            // A square.
            _ => polygon(&[(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn known_peers_look_alike_on_every_page_and_others_differ() {
        let one = Styles::of(["zorb", "raw"]);
        let other = Styles::of(["another", "omniorb", "raw", "stranger", "zorb"]);
        for peer in ["raw", "zorb"] {
            assert_eq!(one.style(peer), other.style(peer));
        }
        let all = ["another", "omniorb", "raw", "stranger", "zorb"].map(|peer| other.style(peer).0);
        assert_eq!(BTreeSet::from(all).len(), 5);
    }

    #[test]
    fn any_number_of_peers_has_styles() {
        let names: Vec<String> = (0..20).map(|index| format!("peer{index}")).collect();
        let styles = Styles::of(names.iter().map(String::as_str));
        assert!(names.iter().all(|name| styles.style(name).0 < STYLES));
    }
}
