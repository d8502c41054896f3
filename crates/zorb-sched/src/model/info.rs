//! What is known of one operation.

use std::fmt;

use crate::Time;

/// The number of an operation in its [`TaskSet`](crate::TaskSet) (`RtecScheduler::handle_t`). As
/// there, the first is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(crate) u32);

impl Handle {
    /// Its number, from 1 on.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Its place in a list of all operations.
    pub(crate) const fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }

    /// The handle of that place.
    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX - 1) + 1)
    }
}

/// Makes the enumerations of five levels.
macro_rules! levels {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            /// The lowest.
            VeryLow,
            /// Below the middle.
            Low,
            /// In the middle: the default.
            #[default]
            Medium,
            /// Above the middle.
            High,
            /// The highest.
            VeryHigh,
        }

        impl $name {
            /// All, the lowest first.
            pub const ALL: [Self; 5] =
                [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];

            /// Its name in files: `very_low`, `low`, `medium`, `high` or `very_high`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Self::VeryLow => "very_low",
                    Self::Low => "low",
                    Self::Medium => "medium",
                    Self::High => "high",
                    Self::VeryHigh => "very_high",
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

levels! {
    /// How much depends on an operation (`Criticality_t`): under overload, maximum urgency first
    /// keeps the deadlines of the critical ones.
    Criticality
}

levels! {
    /// What comes first among equals (`Importance_t`).
    Importance
}

/// What makes an operation run that others call one-way (`Info_Type_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InfoType {
    /// Each call: a plain operation.
    #[default]
    Operation,
    /// A call of every caller: it runs as often as the slowest of them calls.
    Conjunction,
    /// A call of any caller.
    Disjunction,
    /// Calls from elsewhere that nothing is known about here. Without a period it needs no time.
    RemoteDependant,
}

impl InfoType {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Operation, Self::Conjunction, Self::Disjunction, Self::RemoteDependant];

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "operation",
            Self::Conjunction => "conjunction",
            Self::Disjunction => "disjunction",
            Self::RemoteDependant => "remote_dependant",
        }
    }
}

/// Whether the caller waits (`Dependency_Type_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// It does not: what is called runs when its own priority lets it.
    OneWay,
    /// It does: the time of what is called is part of the caller's.
    TwoWay,
}

/// That an operation calls another (`Dependency_Info`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// What is called.
    pub operation: Handle,
    /// How often, each time that the caller runs.
    pub times: u32,
    /// Whether the caller waits.
    pub kind: CallKind,
}

impl Call {
    /// Calls that the caller waits for.
    #[must_use]
    pub const fn two_way(operation: Handle, times: u32) -> Self {
        Self { operation, times, kind: CallKind::TwoWay }
    }

    /// Calls that the caller does not wait for.
    #[must_use]
    pub const fn one_way(operation: Handle, times: u32) -> Self {
        Self { operation, times, kind: CallKind::OneWay }
    }
}

/// What is known of an operation (`RtecScheduler::RT_Info`): its needs, how often it runs, and
/// what it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtInfo {
    /// The operation's name (`entry_point`), which no other has.
    pub entry_point: String,
    /// The longest that it runs, without what it calls.
    pub worst: Time,
    /// How long it usually runs. No analysis uses it.
    pub typical: Time,
    /// How long it runs when what it needs is cached. No analysis uses it.
    pub cached: Time,
    /// The shortest time between two of its beginnings. Zero for one that runs only when called.
    pub period: Time,
    /// How long after its arrival it has to be done; zero stands for its period. For one that is
    /// called one-way, it counts from the arrival of the periodic operation that calls came from.
    pub deadline: Time,
    /// How much depends on it.
    pub criticality: Criticality,
    /// What comes first among equals.
    pub importance: Importance,
    /// Its turn among others of the same priority, where those take turns. No analysis uses it.
    pub quantum: Time,
    /// How many threads do this at the same time, each of them for as long; zero counts as one,
    /// which somebody else's thread does.
    pub threads: u32,
    /// What makes it run when others call it.
    pub info_type: InfoType,
    /// How late after its arrival it may be released (release jitter).
    pub jitter: Time,
    /// The longest that it waits for less urgent ones, as for a lock that they hold.
    pub blocking: Time,
    /// The processor that it has to run on; any, if there is none.
    pub processor: Option<u32>,
    /// What it calls.
    pub calls: Vec<Call>,
}

impl RtInfo {
    /// An operation that runs when called, and for at most so long.
    #[must_use]
    pub fn new(entry_point: impl Into<String>, worst: Time) -> Self {
        Self {
            entry_point: entry_point.into(),
            worst,
            typical: Time::ZERO,
            cached: Time::ZERO,
            period: Time::ZERO,
            deadline: Time::ZERO,
            criticality: Criticality::default(),
            importance: Importance::default(),
            quantum: Time::ZERO,
            threads: 0,
            info_type: InfoType::default(),
            jitter: Time::ZERO,
            blocking: Time::ZERO,
            processor: None,
            calls: Vec::new(),
        }
    }

    /// With this period.
    #[must_use]
    pub fn period(self, period: Time) -> Self {
        Self { period, ..self }
    }

    /// With this deadline.
    #[must_use]
    pub fn deadline(self, deadline: Time) -> Self {
        Self { deadline, ..self }
    }

    /// With this criticality.
    #[must_use]
    pub fn criticality(self, criticality: Criticality) -> Self {
        Self { criticality, ..self }
    }

    /// With this importance.
    #[must_use]
    pub fn importance(self, importance: Importance) -> Self {
        Self { importance, ..self }
    }

    /// Released up to so late.
    #[must_use]
    pub fn jitter(self, jitter: Time) -> Self {
        Self { jitter, ..self }
    }

    /// Waiting up to so long for less urgent ones.
    #[must_use]
    pub fn blocking(self, blocking: Time) -> Self {
        Self { blocking, ..self }
    }

    /// On this processor.
    #[must_use]
    pub fn processor(self, processor: u32) -> Self {
        Self { processor: Some(processor), ..self }
    }

    /// With these calls as well.
    #[must_use]
    pub fn calls(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }
}
