//! Suggestions for misspelled names: they differ by few insertions, deletions, substitutions and transpositions.

use strsim::osa_distance;

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
    let name_in_lower_case = name.to_ascii_lowercase();
    let distance = |other: &str| osa_distance(&name_in_lower_case, &other.to_ascii_lowercase());
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .take(MAX_SEARCHED)
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["Account", "Counter", "Item"];
        assert_eq!(closest("Acount", names.into_iter()), Some("Account"));
        assert_eq!(closest("Itme", names.into_iter()), Some("Item"));
        assert_eq!(closest("Itm", names.into_iter()), Some("Item"));
        assert_eq!(closest("Unrelated", names.into_iter()), None);
        assert_eq!(closest(&"x".repeat(1000), names.into_iter()), None);
    }
}
