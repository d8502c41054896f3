//! Suggestions for misspelled names.

/// Longer names are not compared.
const LONGEST: usize = 64;
/// The maximum number of candidates compared.
const MAX_SEARCHED: usize = 2_000;

/// The candidate most similar to `name`, if one is similar enough.
pub(crate) fn closest<'c>(
    name: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    if name.len() > LONGEST {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .take(MAX_SEARCHED)
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, substitutions and transpositions that turn `a` into `b`,
/// ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let a: Vec<u8> = a.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX);
            let change = at(&row, j) + usize::from(from != to);
            let mut best = change.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{closest, distance};

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Item", "item"), 0);
        assert_eq!(distance("Itme", "Item"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["Account", "Counter", "Item"];
        assert_eq!(closest("Acount", names.into_iter()), Some("Account"));
        assert_eq!(closest("Itm", names.into_iter()), Some("Item"));
        assert_eq!(closest("Unrelated", names.into_iter()), None);
        assert_eq!(closest(&"x".repeat(1000), names.into_iter()), None);
    }
}
