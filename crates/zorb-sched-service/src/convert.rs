//! Conversion between the IDL types and those of the analysis.

use zorb::{CompletionStatus, MinorCode, SystemException};
use zorb_sched::{Anomaly, Call, Criticality, Discipline, Importance, Severity, Time};

use crate::rtec_base::DependencyTypeT;
use crate::rtec_scheduler as wire;

/// `BAD_PARAM`, not completed.
pub(crate) fn bad_param() -> SystemException {
    SystemException::bad_param(MinorCode::default(), CompletionStatus::No)
}

/// Converts a number that cannot be negative.
pub(crate) fn natural(number: i32) -> Result<u32, SystemException> {
    u32::try_from(number).map_err(|_| bad_param())
}

/// Converts a number to a `long`.
pub(crate) fn long(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// Defines conversions between enumerations with the same values.
macro_rules! conversion {
    ($to:ident, $from:ident: $wire:ty, $own:ty, { $($there:ident = $here:ident),* $(,)? }) => {
        pub(crate) fn $from(value: $wire) -> $own {
            match value {
                $(<$wire>::$there => <$own>::$here,)*
            }
        }

        pub(crate) fn $to(value: $own) -> $wire {
            match value {
                $(<$own>::$here => <$wire>::$there,)*
            }
        }
    };
}

conversion!(criticality_to_wire, criticality: wire::CriticalityT, Criticality, {
    VeryLowCriticality = VeryLow,
    LowCriticality = Low,
    MediumCriticality = Medium,
    HighCriticality = High,
    VeryHighCriticality = VeryHigh,
});

conversion!(importance_to_wire, importance: wire::ImportanceT, Importance, {
    VeryLowImportance = VeryLow,
    LowImportance = Low,
    MediumImportance = Medium,
    HighImportance = High,
    VeryHighImportance = VeryHigh,
});

conversion!(info_type_to_wire, info_type: wire::InfoTypeT, zorb_sched::InfoType, {
    Operation = Operation,
    Conjunction = Conjunction,
    Disjunction = Disjunction,
    RemoteDependant = RemoteDependant,
});

conversion!(call_kind_to_wire, call_kind: DependencyTypeT, zorb_sched::CallKind, {
    OneWayCall = OneWay,
    TwoWayCall = TwoWay,
});

pub(crate) fn dispatching(discipline: Discipline) -> wire::DispatchingTypeT {
    match discipline {
        Discipline::Static => wire::DispatchingTypeT::StaticDispatching,
        Discipline::Deadline => wire::DispatchingTypeT::DeadlineDispatching,
        Discipline::Laxity => wire::DispatchingTypeT::LaxityDispatching,
    }
}

pub(crate) fn anomaly(anomaly: &Anomaly) -> wire::SchedulingAnomaly {
    wire::SchedulingAnomaly {
        description: format!("{}: {anomaly}", anomaly.name()),
        severity: match anomaly.severity() {
            Severity::Warning => wire::AnomalySeverity::AnomalyWarning,
            Severity::Error => wire::AnomalySeverity::AnomalyError,
            Severity::Fatal => wire::AnomalySeverity::AnomalyFatal,
        },
    }
}

/// A period as a `long`, in units of 100 ns.
pub(crate) fn period(period: Time) -> i32 {
    long(period.as_time_t())
}

/// The parameters that `set` changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    pub(crate) criticality: wire::CriticalityT,
    pub(crate) worst: u64,
    pub(crate) typical: u64,
    pub(crate) cached: u64,
    pub(crate) period: i32,
    pub(crate) importance: wire::ImportanceT,
    pub(crate) quantum: u64,
    pub(crate) threads: i32,
    pub(crate) info_type: wire::InfoTypeT,
}

impl From<&wire::RtInfo> for Parameters {
    fn from(info: &wire::RtInfo) -> Self {
        Self {
            criticality: info.criticality,
            worst: info.worst_case_execution_time,
            typical: info.typical_execution_time,
            cached: info.cached_execution_time,
            period: info.period,
            importance: info.importance,
            quantum: info.quantum,
            threads: info.threads,
            info_type: info.info_type,
        }
    }
}

impl Parameters {
    /// Applies them; properties without a parameter in the interface are unchanged.
    pub(crate) fn put(&self, info: &mut zorb_sched::RtInfo) -> Result<(), SystemException> {
        info.criticality = criticality(self.criticality);
        info.worst = Time::from_time_t(self.worst);
        info.typical = Time::from_time_t(self.typical);
        info.cached = Time::from_time_t(self.cached);
        info.period = Time::from_time_t(natural(self.period)?.into());
        info.importance = importance(self.importance);
        info.quantum = Time::from_time_t(self.quantum);
        info.threads = natural(self.threads)?;
        info.info_type = info_type(self.info_type);
        Ok(())
    }
}

/// A dependency from the parameters of a request.
pub(crate) fn call(
    operation: zorb_sched::Handle,
    times: i32,
    kind: DependencyTypeT,
) -> Result<Call, SystemException> {
    Ok(Call { operation, times: natural(times)?, kind: call_kind(kind) })
}
