//! Response times in queues ordered by deadline or laxity.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::utilization::Utilization;
use super::{Budget, Exhausted, Load, fixed_point};
use crate::{Discipline, Time};

/// A queue with a dynamic order.
#[derive(Clone, Debug)]
pub struct DynamicQueue {
    /// The loads of the queue.
    members: Vec<Member>,
    /// The loads that preempt them.
    urgent: Vec<Load>,
    /// Whether the queue is preemptive.
    preemptive: bool,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    load: Load,
    /// The offset from the arrival to the key of the order.
    key: i128,
}

/// A signed time.
fn signed(time: Time) -> i128 {
    i128::from(time.as_nanos())
}

impl DynamicQueue {
    /// The queue of this level among all loads of a processor. A `preemptive` queue (only with
    /// [`Discipline::Deadline`]) lets the first instance preempt the running one; other queues run
    /// instances to completion.
    #[must_use]
    pub fn new(loads: &[Load], level: u32, discipline: Discipline, preemptive: bool) -> Self {
        let key = |load: &Load| match discipline {
            Discipline::Laxity => signed(load.deadline) - signed(load.worst),
            Discipline::Static | Discipline::Deadline => signed(load.deadline),
        };
        let members = loads.iter().filter(|load| load.level == level);
        Self {
            members: members.map(|load| Member { load: *load, key: key(load) }).collect(),
            urgent: loads.iter().filter(|load| load.level < level).copied().collect(),
            preemptive: preemptive && discipline == Discipline::Deadline,
        }
    }

    /// The worst-case response time of member `index`; `None` if it is unbounded.
    ///
    /// For every candidate arrival it sums up the work ordered before it: Spuri, 1996, for
    /// preemptive queues; George, Rivierre and Spuri, 1996, for non-preemptive ones.
    ///
    /// # Errors
    /// [`Exhausted`] if the budget is exhausted.
    pub fn response_time(
        &self,
        index: usize,
        budget: &mut Budget,
    ) -> Result<Option<Time>, Exhausted> {
        let Some(own) = self.members.get(index) else { return Ok(None) };
        let Some(busy) = self.busy_period(budget)? else { return Ok(None) };
        let mut worst = own.load.jitter + own.load.worst;
        for arrival in self.arrivals(own, busy, budget)? {
            let end = if self.preemptive {
                self.end_interrupted(index, own, arrival, budget)?
            } else {
                self.end_uninterrupted(index, own, arrival, budget)?
            };
            let Some(end) = end else { return Ok(None) };
            let response = signed(end) - arrival;
            worst = worst.max(Time::from_nanos(u64::try_from(response).unwrap_or(0)));
        }
        Ok(Some(worst))
    }

    /// The longest busy period.
    fn busy_period(&self, budget: &mut Budget) -> Result<Option<Time>, Exhausted> {
        let all = || self.members.iter().map(|member| &member.load).chain(&self.urgent);
        let waits = self.members.iter().map(|member| member.load.blocking).max();
        let first = waits.unwrap_or_default();
        let late = first > Time::ZERO || all().any(|load| load.jitter > Time::ZERO);
        match Utilization::of(all()).against_one() {
            Ordering::Greater => return Ok(None),
            Ordering::Equal if late => return Ok(None),
            _ => {}
        }
        let looks = self.members.len() + self.urgent.len();
        fixed_point(first, looks, budget, |length| {
            first + all().map(|load| load.worst.times(load.releases_before(length))).sum()
        })
    }

    /// The candidates for the worst arrival of `own`: its first one, and those at which it is
    /// ordered just after an instance of another load.
    fn arrivals(
        &self,
        own: &Member,
        busy: Time,
        budget: &mut Budget,
    ) -> Result<BTreeSet<i128>, Exhausted> {
        let first = -signed(own.load.jitter);
        // Until then, an instance that is ordered later may just have started.
        let keys = self.members.iter().map(|member| member.key).max().unwrap_or_default();
        let last = signed(busy).max(keys - own.key);
        let mut arrivals = BTreeSet::from([first]);
        for member in &self.members {
            let period = signed(member.load.period).max(1);
            let mut at = member.key - signed(member.load.jitter) - own.key;
            if at < first {
                at += (first - at + period - 1) / period * period;
            }
            while at < last {
                budget.charge(1)?;
                arrivals.insert(at);
                at += period;
            }
        }
        Ok(arrivals)
    }

    /// The other members, each with the number of its instances ordered before the instance of
    /// `own` that arrived at `arrival`.
    fn before<'q>(
        &'q self,
        index: usize,
        own: &Member,
        arrival: i128,
    ) -> impl Iterator<Item = (&'q Load, u64)> + Clone {
        let key = arrival + own.key;
        self.members.iter().enumerate().filter(move |(at, _)| *at != index).filter_map(
            move |(_, member)| {
                let ahead = key - member.key + signed(member.load.jitter);
                let count = ahead.div_euclid(signed(member.load.period).max(1)) + 1;
                let count = u64::try_from(count.min(i128::from(u64::MAX))).ok()?;
                (count > 0).then_some((&member.load, count))
            },
        )
    }

    /// The number of instances of `own` that arrived before the one of `arrival`.
    fn earlier(own: &Member, arrival: i128) -> u64 {
        let since = arrival + signed(own.load.jitter);
        u64::try_from(since / signed(own.load.period).max(1)).unwrap_or(0)
    }

    fn urgent_before(&self, length: Time) -> Time {
        self.urgent.iter().map(|load| load.worst.times(load.releases_before(length))).sum()
    }

    fn urgent_until(&self, length: Time) -> Time {
        self.urgent.iter().map(|load| load.worst.times(load.releases_until(length))).sum()
    }

    fn end_interrupted(
        &self,
        index: usize,
        own: &Member,
        arrival: i128,
        budget: &mut Budget,
    ) -> Result<Option<Time>, Exhausted> {
        let before = self.before(index, own, arrival);
        // Jitter of an instance ordered before it may delay its release.
        let waited = before.clone().map(|(load, _)| load.blocking).max().unwrap_or_default();
        let mine = own.load.blocking.max(waited)
            + own.load.worst.times(Self::earlier(own, arrival).saturating_add(1));
        let looks = self.members.len() + self.urgent.len();
        fixed_point(mine, looks, budget, |length| {
            let others = before
                .clone()
                .map(|(load, most)| load.worst.times(load.releases_before(length).min(most)));
            mine + others.sum() + self.urgent_before(length)
        })
    }

    fn end_uninterrupted(
        &self,
        index: usize,
        own: &Member,
        arrival: i128,
        budget: &mut Budget,
    ) -> Result<Option<Time>, Exhausted> {
        let before = self.before(index, own, arrival);
        let key = arrival + own.key;
        let later =
            self.members.iter().enumerate().filter(|(at, member)| *at != index && member.key > key);
        // It started at least a nanosecond before.
        let begun = later.map(|(_, member)| member.load.worst - Time::from_nanos(1)).max();
        let waited = before.clone().map(|(load, _)| load.blocking).max().unwrap_or_default();
        let mine = own.load.blocking.max(waited)
            + begun.unwrap_or_default()
            + own.load.worst.times(Self::earlier(own, arrival));
        let looks = self.members.len() + self.urgent.len();
        budget.charge(looks + 1)?;
        let demand = |length: Time| {
            let others = before
                .clone()
                .map(|(load, most)| load.worst.times(load.releases_until(length).min(most)));
            mine + others.sum() + self.urgent_until(length)
        };
        // A release at the start of the interval counts, even if the interval is empty.
        let Some(begin) = fixed_point(demand(Time::ZERO), looks, budget, demand)? else {
            return Ok(None);
        };
        let done_by_then = self.urgent_until(begin);
        let whole = begin + own.load.worst;
        fixed_point(whole, looks, budget, |end| whole + (self.urgent_before(end) - done_by_then))
    }
}
