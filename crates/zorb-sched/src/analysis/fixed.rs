//! Response times with fixed priorities.

use std::cmp::Ordering;

use super::utilization::Utilization;
use super::{Budget, Exhausted, HORIZON, Load, fixed_point};
use crate::Time;

/// The worst-case response time of load `index`; `None` if it is unbounded.
///
/// Loads of lower levels preempt it; those of its own level run before it, in any order. Every
/// instance in the longest busy period is examined, so deadlines may be longer than periods
/// (Tindell, Burns and Wellings, 1994).
///
/// # Errors
/// [`Exhausted`] if the budget is exhausted.
pub fn response_time(
    loads: &[Load],
    index: usize,
    budget: &mut Budget,
) -> Result<Option<Time>, Exhausted> {
    let Some(own) = loads.get(index) else { return Ok(None) };
    let others: Vec<Load> = loads
        .iter()
        .enumerate()
        .filter(|(at, load)| *at != index && load.level <= own.level)
        .map(|(_, load)| *load)
        .collect();
    let all = || others.iter().chain([own]);
    let late = own.blocking > Time::ZERO || all().any(|load| load.jitter > Time::ZERO);
    match Utilization::of(all()).against_one() {
        Ordering::Greater => return Ok(None),
        // With full utilization, a delay is never made up.
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
