//! Processor demand analysis: whether EDF meets all deadlines.

use std::cmp::Ordering;

use super::utilization::Utilization;
use super::{Budget, Exhausted, Load, fixed_point};
use crate::Time;

/// More work is due than there was time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The time since the simultaneous arrival of all loads.
    pub at: Time,
    /// The work due by then.
    pub demand: Time,
}

/// The result of [`deadline_demand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Every deadline is met.
    Met,
    /// Some deadlines are missed.
    Exceeded(Excess),
    /// The utilization is above 1, or exactly 1 with jitter or blocking.
    Overload,
}

/// Whether all loads, ignoring their levels, meet their deadlines under EDF.
///
/// Exact for loads without blocking. The preemptive case is processor demand analysis in its quick
/// form (Zhang and Burns, 2009); the non-preemptive case examines every deadline in the longest
/// busy period (Jeffay, Stanat and Martel, 1991).
///
/// # Errors
/// [`Exhausted`] if the budget is exhausted.
pub fn deadline_demand(
    loads: &[Load],
    preemptive: bool,
    budget: &mut Budget,
) -> Result<Demand, Exhausted> {
    let blocking = loads.iter().map(|load| load.blocking).max().unwrap_or_default();
    let late = blocking > Time::ZERO || loads.iter().any(|load| load.jitter > Time::ZERO);
    match Utilization::of(loads.iter()).against_one() {
        Ordering::Greater => return Ok(Demand::Overload),
        Ordering::Equal if late => return Ok(Demand::Overload),
        _ => {}
    }
    let busy = fixed_point(blocking, loads.len(), budget, |length| {
        blocking + loads.iter().map(|load| load.worst.times(load.releases_before(length))).sum()
    })?;
    let Some(busy) = busy else { return Ok(Demand::Overload) };
    if preemptive {
        return quick(loads, busy, budget);
    }
    // After the latest first deadline, non-preemptive blocking is not possible any more.
    let deadlines = loads.iter().map(|load| load.deadline).max().unwrap_or_default();
    every(loads, busy.max(deadlines), budget)
}

/// The work due by `at`.
fn due(loads: &[Load], at: Time) -> Time {
    let work = |load: &Load| {
        let late = at + load.jitter;
        if late < load.deadline {
            return Time::ZERO;
        }
        load.worst.times((late - load.deadline).whole(load.period).saturating_add(1))
    };
    loads.iter().map(work).sum()
}

/// The last deadline before `at`.
fn last_deadline_before(loads: &[Load], at: Time) -> Option<Time> {
    let last = |load: &Load| {
        let late = at + load.jitter;
        if late <= load.deadline {
            return None;
        }
        let periods = (late - load.deadline - Time::from_nanos(1)).whole(load.period);
        Some(load.deadline + load.period.times(periods) - load.jitter)
    };
    loads.iter().filter_map(last).max()
}

/// Iterates backwards from the end of the busy period, from each time to the demand at it.
fn quick(loads: &[Load], busy: Time, budget: &mut Budget) -> Result<Demand, Exhausted> {
    let blocked = |at: Time| {
        let waits = loads.iter().filter(|load| load.deadline <= at + load.jitter);
        waits.map(|load| load.blocking).max().unwrap_or_default()
    };
    let mut at = last_deadline_before(loads, busy + Time::from_nanos(1));
    while let Some(now) = at {
        budget.charge(3 * loads.len() + 1)?;
        let demand = due(loads, now) + blocked(now);
        at = match demand.cmp(&now) {
            Ordering::Greater => return Ok(Demand::Exceeded(Excess { at: now, demand })),
            Ordering::Less if !demand.is_zero() => Some(demand),
            Ordering::Less => None,
            Ordering::Equal => last_deadline_before(loads, now).filter(|before| *before < now),
        };
    }
    Ok(Demand::Met)
}

/// Iterates over every deadline, from the first on.
fn every(loads: &[Load], busy: Time, budget: &mut Budget) -> Result<Demand, Exhausted> {
    let mut next: Vec<Time> = loads.iter().map(|load| load.deadline - load.jitter).collect();
    while let Some(&at) = next.iter().min().filter(|at| **at <= busy) {
        budget.charge(3 * loads.len() + 1)?;
        let later = loads.iter().filter(|load| load.deadline > at);
        let begun = later.map(|load| load.worst - Time::from_nanos(1)).max().unwrap_or_default();
        let waits = loads.iter().filter(|load| load.deadline <= at + load.jitter);
        let demand = due(loads, at) + begun + waits.map(|l| l.blocking).max().unwrap_or_default();
        if demand > at {
            return Ok(Demand::Exceeded(Excess { at, demand }));
        }
        for (next, load) in next.iter_mut().zip(loads) {
            if *next == at {
                *next = at + load.period.max(Time::from_nanos(1));
            }
        }
    }
    Ok(Demand::Met)
}
