//! The time limits of a server's connection.
//!
//! A peer that sends a message octet by octet, or nothing, must not keep its connection. Threads that read need no clock:
//! they say which message they [wait for](Incomplete), and whoever has a clock gives that to a [`ConnectionTimer`].

use core::time::Duration;

use crate::Inbound;

/// An incomplete message that a connection waits for, as one word: a tag and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incomplete(u64);

impl Incomplete {
    /// No part of the next message has arrived.
    pub const NONE: Self = Self(0);
    /// Nothing has ever arrived.
    pub const FIRST: Self = Self(1 << 32);
    const PART: u64 = 2 << 32;
    const FRAGMENTED: u64 = 3 << 32;

    /// Part of a message has arrived after `messages` whole ones.
    pub fn part(messages: u32) -> Self {
        Self(Self::PART | u64::from(messages))
    }

    /// A fragmented message, which began with this one, is incomplete.
    pub fn fragmented(ordinal: u32) -> Self {
        Self(Self::FRAGMENTED | u64::from(ordinal))
    }

    /// What a connection still waits for after a whole message.
    pub fn beside_message(inbound: &Inbound) -> Self {
        let fragmented = inbound.oldest_fragmented();
        fragmented.map_or(Self::NONE, Self::fragmented)
    }

    /// What `inbound` waits for after `messages` whole messages.
    pub fn of(inbound: &Inbound, messages: u32) -> Self {
        match Self::beside_message(inbound) {
            Self::NONE if inbound.has_buffered() => Self::part(messages),
            Self::NONE if messages == 0 => Self::FIRST,
            fragmented_or_none => fragmented_or_none,
        }
    }

    /// The word, for an atomic variable.
    pub const fn to_word(self) -> u64 {
        self.0
    }

    /// The value that [`to_word`](Self::to_word) has converted.
    pub const fn from_word(word: u64) -> Self {
        Self(word)
    }
}

/// The time limits of a server's connection; `None` for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLimits {
    /// For a message, from its first octet on.
    pub message: Option<Duration>,
    /// For the first octet of a connection.
    pub first: Option<Duration>,
    /// For the next message while no request is in progress.
    pub idle: Option<Duration>,
}

impl TimeLimits {
    /// The limit for a connection that waits for this, and what it means to exceed it.
    fn limit(&self, incomplete: Incomplete) -> Option<(Duration, Exceeded)> {
        let idle = self.idle.map(|limit| (limit, Exceeded::Idle));
        let message = |limit| (limit, Exceeded::Message);
        match incomplete {
            Incomplete::NONE => idle,
            Incomplete::FIRST => self.first.map(message).into_iter().chain(idle).min(),
            _ => self.message.map(message),
        }
    }
}

/// The limit that a connection has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exceeded {
    /// A message took too long to arrive: the connection is [lost](crate::ConnectionEnd::Lost).
    Message,
    /// The client has sent no request for too long: the connection ends
    /// [as an idle one](crate::ConnectionEnd::of_idle).
    Idle,
}

/// What a connection is doing when its timer is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// What it waits for.
    pub incomplete: Incomplete,
    /// The number of whole messages received, modulo 2³².
    pub messages: u32,
    /// Whether a request is in progress, so that the connection is not idle.
    pub is_busy: bool,
}

/// Measures how long a connection has waited for the same.
///
/// Times are since any moment in the past. The timer knows what happened between two checks only from the
/// [activity](Activity) that they see, so a limit is exceeded at most the time between two checks late.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimer {
    seen: Activity,
    since: Duration,
}

impl ConnectionTimer {
    /// The timer of a connection that is accepted `now`.
    pub const fn new(now: Duration) -> Self {
        let seen = Activity { incomplete: Incomplete::FIRST, messages: 0, is_busy: false };
        Self { seen, since: now }
    }

    /// What the connection was waiting for at the last check.
    pub const fn incomplete(&self) -> Incomplete {
        self.seen.incomplete
    }

    /// Records what the connection does `now`. Returns the limit that it has exceeded, if it has.
    pub fn check(
        &mut self,
        activity: Activity,
        now: Duration,
        limits: &TimeLimits,
    ) -> Option<Exceeded> {
        let is_same = activity.incomplete == self.seen.incomplete
            // Other messages may arrive between the fragments of one.
            && (activity.incomplete != Incomplete::NONE
                || (activity.messages == self.seen.messages && !activity.is_busy));
        self.seen = activity;
        if !is_same {
            self.since = now;
            return None;
        }
        let (limit, exceeded) = limits.limit(activity.incomplete)?;
        (now.saturating_sub(self.since) >= limit).then_some(exceeded)
    }

    /// When a limit is exceeded if nothing changes; `None` for never.
    pub fn poll_timeout(&self, limits: &TimeLimits) -> Option<Duration> {
        let (limit, _) = limits.limit(self.seen.incomplete)?;
        self.since.checked_add(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TimeLimits = TimeLimits {
        message: Some(Duration::from_secs(60)),
        first: Some(Duration::from_secs(30)),
        idle: Some(Duration::from_secs(300)),
    };

    /// The result of the last one of these checks, each at a time in seconds.
    fn last(checks: &[(u64, Incomplete, u32, bool)]) -> Option<Exceeded> {
        let mut timer = ConnectionTimer::new(Duration::ZERO);
        let (last, before) = checks.split_last().unwrap();
        let mut check = |&(at, incomplete, messages, is_busy): &(u64, Incomplete, u32, bool)| {
            let activity = Activity { incomplete, messages, is_busy };
            timer.check(activity, Duration::from_secs(at), &LIMITS)
        };
        before.iter().for_each(|earlier| assert_eq!(check(earlier), None, "{earlier:?}"));
        check(last)
    }

    #[test]
    fn each_wait_has_its_own_limit() {
        use Incomplete as I;
        assert_eq!(last(&[(29, I::FIRST, 0, false)]), None);
        assert_eq!(last(&[(30, I::FIRST, 0, false)]), Some(Exceeded::Message));
        let part = [(29, I::part(0), 0, false), (88, I::part(0), 0, false)];
        assert_eq!(last(&part), None);
        let part = [(29, I::part(0), 0, false), (89, I::part(0), 0, false)];
        assert_eq!(last(&part), Some(Exceeded::Message));
        // The next message has a limit of its own.
        let parts = [(1, I::part(0), 0, false), (59, I::part(1), 1, false)];
        assert_eq!(last(&[parts[0], parts[1], (118, I::part(1), 1, false)]), None);
        let idle = (1, I::NONE, 1, false);
        assert_eq!(last(&[idle, (300, I::NONE, 1, false)]), None);
        assert_eq!(last(&[idle, (301, I::NONE, 1, false)]), Some(Exceeded::Idle));
    }

    #[test]
    fn a_busy_connection_is_not_idle() {
        let (idle, busy) = ((1, Incomplete::NONE, 1, false), (301, Incomplete::NONE, 1, true));
        assert_eq!(last(&[idle, busy]), None);
        assert_eq!(last(&[idle, busy, (600, Incomplete::NONE, 1, false)]), None);
        let after = (601, Incomplete::NONE, 1, false);
        assert_eq!(last(&[idle, busy, after]), Some(Exceeded::Idle));
        // A message has arrived meanwhile.
        assert_eq!(last(&[idle, (301, Incomplete::NONE, 2, false)]), None);
    }

    #[test]
    fn messages_between_fragments_do_not_extend_the_limit() {
        let part = Incomplete::fragmented(7);
        let checks = [(1, part, 7, false), (31, part, 8, true), (61, part, 9, true)];
        assert_eq!(last(&checks), Some(Exceeded::Message));
    }

    #[test]
    fn the_shorter_limit_applies_to_the_first_octet() {
        let limits = TimeLimits { idle: Some(Duration::from_secs(10)), ..LIMITS };
        let mut timer = ConnectionTimer::new(Duration::from_secs(5));
        assert_eq!(timer.poll_timeout(&limits), Some(Duration::from_secs(15)));
        let activity = Activity { incomplete: Incomplete::FIRST, messages: 0, is_busy: false };
        let exceeded = timer.check(activity, Duration::from_secs(15), &limits);
        assert_eq!(exceeded, Some(Exceeded::Idle));
        let unlimited = TimeLimits::default();
        assert_eq!(timer.poll_timeout(&unlimited), None);
        assert_eq!(timer.check(activity, Duration::MAX, &unlimited), None);
    }
}
