//! The properties of an operation.

use serde::Deserialize;

use crate::Time;

/// The handle of an operation in its [`TaskSet`](crate::TaskSet) (`RtecScheduler::handle_t`), from
/// 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(crate) u32);

impl Handle {
    /// The number, from 1 on.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The index in a list of all operations.
    pub(crate) const fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }

    /// The handle for an index.
    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX - 1) + 1)
    }
}

/// Defines the enumerations with five levels.
macro_rules! levels {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(
            Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash,
        )]
        #[serde(rename_all = "snake_case")]
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
            /// All values, the lowest first.
            pub const ALL: [Self; 5] =
                [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];
        }
    };
}

levels! {
    /// The criticality of an operation (`Criticality_t`): under overload, maximum urgency first
    /// meets the deadlines of critical operations.
    Criticality
}

levels! {
    /// The importance of an operation, which orders equals (`Importance_t`).
    Importance
}

/// The cause of one-way called operations to run (`Info_Type_t`).
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
pub enum InfoType {
    /// Each call: a plain operation.
    #[default]
    Operation,
    /// Calls of all callers (a conjunction): it runs as often as the slowest caller calls.
    Conjunction,
    /// A call of any caller (a disjunction).
    Disjunction,
    /// Calls by unknown remote callers. Without a period it uses no time.
    RemoteDependant,
}

/// Whether the caller waits (`Dependency_Type_t`).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// One-way: the caller does not wait, and the callee runs at its own priority.
    #[serde(rename = "one")]
    OneWay,
    /// Two-way: the caller waits, and the execution time of the callee is part of the caller's.
    #[serde(rename = "two")]
    TwoWay,
}

/// A call from one operation to another (`Dependency_Info`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The callee.
    pub operation: Handle,
    /// The number of calls per execution of the caller.
    pub times: u32,
    /// Whether the caller waits.
    pub kind: CallKind,
}

impl Call {
    /// Two-way calls.
    #[must_use]
    pub const fn two_way(operation: Handle, times: u32) -> Self {
        Self { operation, times, kind: CallKind::TwoWay }
    }

    /// One-way calls.
    #[must_use]
    pub const fn one_way(operation: Handle, times: u32) -> Self {
        Self { operation, times, kind: CallKind::OneWay }
    }
}

/// The properties of an operation (`RtecScheduler::RT_Info`): execution times, period and calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtInfo {
    /// The operation's unique name (`entry_point`).
    pub entry_point: String,
    /// The worst-case execution time, without calls.
    pub worst: Time,
    /// The typical execution time. Not used by the analysis.
    pub typical: Time,
    /// The execution time with cached data. Not used by the analysis.
    pub cached: Time,
    /// The period: the minimum time between two arrivals. Zero for an operation that runs only when
    /// called.
    pub period: Time,
    /// The deadline relative to the arrival; zero stands for the period. For an operation called
    /// one-way, it is relative to the arrival of the periodic operation at the origin of the calls.
    pub deadline: Time,
    /// The criticality.
    pub criticality: Criticality,
    /// The importance.
    pub importance: Importance,
    /// The time slice among operations of the same priority. Not used by the analysis.
    pub quantum: Time,
    /// The number of threads that execute it concurrently, each with its execution time; zero
    /// counts as one, a thread of the caller.
    pub threads: u32,
    /// The cause to run if others call it.
    pub info_type: InfoType,
    /// The release jitter: the maximum delay between arrival and release.
    pub jitter: Time,
    /// The maximum blocking time by less urgent operations, for example through locks.
    pub blocking: Time,
    /// The processor it is bound to, if any.
    pub processor: Option<u32>,
    /// Its calls.
    pub calls: Vec<Call>,
}

impl RtInfo {
    /// An operation that runs when called, with this worst-case execution time.
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

    /// Sets the period.
    #[must_use]
    pub fn period(self, period: Time) -> Self {
        Self { period, ..self }
    }

    /// Sets the deadline.
    #[must_use]
    pub fn deadline(self, deadline: Time) -> Self {
        Self { deadline, ..self }
    }

    /// Sets the criticality.
    #[must_use]
    pub fn criticality(self, criticality: Criticality) -> Self {
        Self { criticality, ..self }
    }

    /// Sets the importance.
    #[must_use]
    pub fn importance(self, importance: Importance) -> Self {
        Self { importance, ..self }
    }

    /// Sets the release jitter.
    #[must_use]
    pub fn jitter(self, jitter: Time) -> Self {
        Self { jitter, ..self }
    }

    /// Sets the blocking time.
    #[must_use]
    pub fn blocking(self, blocking: Time) -> Self {
        Self { blocking, ..self }
    }

    /// Sets the processor.
    #[must_use]
    pub fn processor(self, processor: u32) -> Self {
        Self { processor: Some(processor), ..self }
    }

    /// Adds calls.
    #[must_use]
    pub fn calls(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }
}
