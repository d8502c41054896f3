//! Response times at fixed priorities.

use std::cmp::Ordering;

use super::utilization::Utilization;
use super::{Budget, Exhausted, HORIZON, Load, fixed_point};
use crate::Time;

/// The longest that load `index` takes from an arrival to its end; `None` where there is no bound.
///
/// Loads of lower levels interrupt it; those of its own level go before it, in whatever order the
/// queue has them. Every instance in the longest busy period is looked at, so that deadlines may be
/// longer than periods (Tindell, Burns and Wellings, 1994).
///
/// # Errors
/// [`Exhausted`] when the budget is.
pub fn response_time(
    loads: &[Load],
    index: usize,
    budget: &mut Budget,
) -> Result<Option<Time>, Exhausted> {
    let Some(own) = loads.get(index) else { return Ok(None) };
    let others: Vec<Load> = loads
        .iter()
        .enumerate()
        .filter(|(place, load)| *place != index && load.level <= own.level)
        .map(|(_, load)| *load)
        .collect();
    let all = || others.iter().chain([own]);
    let late = own.blocking > Time::ZERO || all().any(|load| load.jitter > Time::ZERO);
    match Utilization::of(all()).against_one() {
        Ordering::Greater => return Ok(None),
        // What was once late is never caught up with.
        Ordering::Equal if late => return Ok(None),
        _ => {}
    }
    let mut worst = Time::ZERO;
    let mut end = Time::ZERO;
    for instance in 0_u64.. {
        let mine = own.blocking + own.worst.times(instance + 1);
        let found = fixed_point(mine.max(end), others.len(), budget, |length| {
            mine + others.iter().map(|load| load.worst.times(load.releases_before(length))).sum()
        })?;
        let Some(found) = found.filter(|found| *found <= HORIZON) else { return Ok(None) };
        end = found;
        worst = worst.max(end + own.jitter - own.period.times(instance));
        if end + own.jitter <= own.period.times(instance + 1) {
            break;
        }
    }
    Ok(Some(worst))
}
