//! The step in the ORB's time at the copy threshold, from which on both sides send octets from the
//! caller's memory instead of copying them into the message.
//!
//! It is measured with two thresholds in the same run, so that other costs of large messages, such as
//! those of the allocator, affect both.

use super::measured::Measured;
use crate::report::Claim;

/// The name of the option.
const NAME: &str = "CopyThreshold";

/// The copy threshold in octets, by the options of Zorb.
pub(super) fn in_force(orb: &[String]) -> Option<usize> {
    let set = orb.windows(2).rev().find_map(|words| match words {
        [name, value] if name.strip_prefix("-ORB") == Some(NAME) => Some(value.as_str()),
        _ => None,
    });
    match set {
        Some(value) => value.parse().ok(),
        None => Some(zorb::options::OrbOptions::default().copy_threshold),
    }
}

/// The arguments that set it.
pub(super) fn option(threshold: usize) -> [String; 2] {
    [format!("-ORB{NAME}"), threshold.to_string()]
}

/// Chooses two payloads, but not the smallest: the first that is at least the threshold in force, or a
/// medium one, and another some sizes away.
pub(super) fn to_compare(payloads: &[usize], in_force: Option<usize>) -> Option<[usize; 2]> {
    let last = payloads.len().checked_sub(1).filter(|last| *last >= 2)?;
    let own = in_force.and_then(|own| payloads.iter().position(|payload| *payload >= own));
    let one = own.filter(|count| *count > 0).unwrap_or(payloads.len() * 6 / 10);
    let other = if one + 2 <= last { one + 2 } else { one.saturating_sub(2).max(1) };
    let other = if other == one { last } else { other };
    let (low, high) = (one.min(other), one.max(other));
    Some([*payloads.get(low)?, *payloads.get(high)?]).filter(|[low, high]| low < high)
}

/// For each transport, claims that the highest step of the ORB's time is at the threshold.
pub(super) fn checks(all: &[Measured]) -> Vec<Claim> {
    let mut transports: Vec<&str> = all.iter().map(|one| one.transport.as_str()).collect();
    transports.sort_unstable();
    transports.dedup();
    transports.into_iter().map(|transport| check(transport, all)).collect()
}

fn check(transport: &str, all: &[Measured]) -> Claim {
    let of_transport = || all.iter().filter(|one| one.transport == transport);
    let mut thresholds: Vec<usize> = of_transport().filter_map(|one| one.threshold).collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    let steps = thresholds.iter().filter_map(|&threshold| {
        let by_it = of_transport().filter(|one| one.threshold == Some(threshold));
        highest_step(by_it.map(|one| (one.payload, one.orb_ns())).collect())
    });
    let (found, heights): (Vec<usize>, Vec<f64>) = steps.unzip();
    let names: Vec<String> = thresholds.iter().map(usize::to_string).collect();
    let steps: Vec<String> = std::iter::zip(&found, heights)
        .map(|(payload, height)| format!("{payload} ({height:+.0} ns)"))
        .collect();
    Claim::new(
        format!("{transport}: payloads at which the ORB's time rises most, by copy threshold"),
        format!("{} octets", names.join(" and ")),
        steps.join(" and "),
        !found.is_empty() && found == thresholds,
    )
}

/// The payload at which the time rises most, and the rise.
fn highest_step(mut points: Vec<(usize, f64)>) -> Option<(usize, f64)> {
    points.sort_by_key(|(payload, _)| *payload);
    let steps = points.windows(2).filter_map(|pair| match pair {
        [(_, before), (payload, after)] => Some((*payload, after - before)),
        _ => None,
    });
    steps.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

#[cfg(test)]
mod tests {
    use zorb_os::probe::Step;

    use super::super::steps::Call;
    use super::*;

    #[test]
    fn a_claim_fails_without_a_step_at_the_threshold() {
        let holds = |step: usize| {
            let measured = [16, 32, 64, 128].map(|payload| {
                let orb = if payload < step { 100.0 } else { 300.0 };
                let call = Call::taking(&[(Step::Reference, orb)]);
                Measured::new("iiop", Some(64), payload).of([call; 2], 1000, 1.0)
            });
            let claims = checks(&measured);
            assert_eq!(claims.len(), 1);
            claims[0].holds
        };
        assert!(holds(64));
        assert!(!holds(32));
        assert!(!holds(128));
        assert!(!check("iiop", &[]).holds);
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let points = vec![(4, 100.0), (1024, 300.0), (256, 110.0), (2048, 330.0)];
        assert_eq!(highest_step(points), Some((1024, 190.0)));
        assert_eq!(highest_step(vec![(4, 100.0)]), None);
    }

    #[test]
    fn two_thresholds_are_compared_if_there_are_enough_payloads() {
        let powers: Vec<usize> = (2..=11).map(|power| 1 << power).collect();
        assert_eq!(to_compare(&powers, Some(16384)), Some([256, 1024]));
        assert_eq!(to_compare(&powers, None), Some([256, 1024]));
        assert_eq!(to_compare(&powers, Some(30)), Some([32, 128]));
        assert_eq!(to_compare(&powers, Some(1024)), Some([256, 1024]));
        assert_eq!(to_compare(&powers, Some(1)), Some([256, 1024]));
        assert_eq!(to_compare(&[4, 8, 16], Some(16384)), Some([8, 16]));
        assert_eq!(to_compare(&[4, 8, 16], Some(16)), Some([8, 16]));
        assert_eq!(to_compare(&[4, 8], Some(8)), None);
    }

    #[test]
    fn the_last_option_is_in_force() {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let both = words(&["-ORBCopyThreshold", "7", "-ORBCopyThreshold", "9"]);
        assert_eq!(in_force(&both), Some(9));
        assert_eq!(in_force(&option(5)), Some(5));
        assert!(in_force(&[]).is_some());
    }
}
