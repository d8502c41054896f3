//! How peers look: the same colour and mark in all charts of a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Looks that the style sheet has: `.s0` to `.s15`.
const LOOKS: usize = 16;
/// Peers with a look of their own, the same on every page.
const KNOWN: [&str; 5] = ["raw", "zorb", "ace", "omniorb", "jacorb"];

/// How one peer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look(usize);

/// The looks of all peers of a page.
#[derive(Debug)]
pub(super) struct Looks(BTreeMap<String, Look>);

impl Looks {
    /// Gives every peer its look; more strangers than there are looks share some.
    pub(super) fn of<'a>(peers: impl IntoIterator<Item = &'a str>) -> Self {
        let mut strangers = (KNOWN.len()..LOOKS).cycle();
        let mut looks = BTreeMap::new();
        // In the order of the page: those of one chart follow each other, and so differ.
        for peer in peers {
            if !looks.contains_key(peer) {
                let look = match KNOWN.iter().position(|known| *known == peer) {
                    Some(own) => Look(own),
                    None => Look(strangers.next().unwrap_or_default()),
                };
                looks.insert(peer.to_owned(), look);
            }
        }
        Self(looks)
    }

    pub(super) fn look(&self, peer: &str) -> Look {
        self.0.get(peer).copied().unwrap_or(Look(LOOKS - 1))
    }
}

impl Look {
    /// The class of the style sheet that has the colour.
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
        // The looks after the eighth have the marks of those before, in other colours and dashed.
        match self.0 % 8 {
            // A circle.
            1 => format!("M{:.1} {y:.1}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", x - 3.5),
            2 => polygon(&[(0.0, -3.5), (4.0, 3.5), (-4.0, 3.5)]),
            3 => polygon(&[(0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0)]),
            4 => polygon(&[(0.0, 3.5), (4.0, -3.5), (-4.0, -3.5)]),
            // A plus, a standing bar, a lying one.
            5 => polygon(&[
                (-1.3, -4.0),
                (1.3, -4.0),
                (1.3, -1.3),
                (4.0, -1.3),
                (4.0, 1.3),
                (1.3, 1.3),
                (1.3, 4.0),
                (-1.3, 4.0),
                (-1.3, 1.3),
                (-4.0, 1.3),
                (-4.0, -1.3),
                (-1.3, -1.3),
            ]),
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
    fn known_peers_look_alike_on_every_page_and_strangers_differ() {
        let one = Looks::of(["zorb", "raw"]);
        let other = Looks::of(["another", "omniorb", "raw", "stranger", "zorb"]);
        for peer in ["raw", "zorb"] {
            assert_eq!(one.look(peer), other.look(peer));
        }
        let all = ["another", "omniorb", "raw", "stranger", "zorb"].map(|peer| other.look(peer).0);
        assert_eq!(BTreeSet::from(all).len(), 5);
    }

    #[test]
    fn any_number_of_strangers_has_looks() {
        let names: Vec<String> = (0..20).map(|index| format!("peer{index}")).collect();
        let looks = Looks::of(names.iter().map(String::as_str));
        assert!(names.iter().all(|name| looks.look(name).0 < LOOKS));
    }
}
