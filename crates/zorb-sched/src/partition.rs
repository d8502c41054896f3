//! Placement of operations on processors.

use std::cmp::{Ordering, Reverse};

use crate::Anomaly;
use crate::analysis::utilization::Utilization;
use crate::analysis::{Budget, Load};
use crate::model::expand::Task;
use crate::model::info::Handle;
use crate::model::set::TaskSet;
use crate::strategy::Rank;
use crate::system::System;

/// Operations with tasks, and their loads.
struct Unit {
    operation: Handle,
    loads: Vec<Load>,
    permille: u64,
    pin: Option<u32>,
}

/// The processor of each operation, by index: the one it is bound to, or else the first on which it
/// and the operations already there meet their deadlines; the largest operation first.
///
/// # Errors
/// Processors that do not exist. Operations that do not fit are only reported in the list.
pub(crate) fn place(
    set: &TaskSet,
    tasks: &[Task],
    ranks: &[Rank],
    system: &System,
) -> Result<(Vec<u32>, Vec<Anomaly>), Anomaly> {
    let mut anomalies = Vec::new();
    for (handle, info) in set.iter() {
        let Some(processor) = info.processor else { continue };
        let (operation, processors) = (info.entry_point.clone(), system.processors);
        if processor >= processors {
            return Err(Anomaly::UnknownProcessor { operation, processor, processors });
        }
        if !ranks[handle.index()].dispatched {
            anomalies.push(Anomaly::ProcessorIgnored { operation });
        }
    }
    let mut processors = vec![0; set.len()];
    if system.processors <= 1 {
        return Ok((processors, anomalies));
    }
    let mut units = units(set, tasks, ranks);
    units.sort_by_key(|unit| (unit.pin.is_none(), Reverse(unit.permille), unit.operation));
    let mut there: Vec<Vec<Load>> = vec![Vec::new(); system.processors as usize];
    // This budget is not taken from the final analysis, which decides.
    let mut budget = system.budget;
    for unit in units {
        let chosen = unit.pin.map(|pin| pin as usize).or_else(|| {
            (0..there.len()).find(|&number| fits(&there[number], &unit.loads, system, &mut budget))
        });
        let chosen = chosen.unwrap_or_else(|| {
            let operation = set.name(unit.operation).to_owned();
            anomalies.push(Anomaly::NoProcessorFits { operation });
            let load = |number: &usize| Utilization::of(there[*number].iter()).permille();
            (0..there.len()).min_by_key(load).unwrap_or_default()
        });
        there[chosen].extend(unit.loads);
        processors[unit.operation.index()] = u32::try_from(chosen).unwrap_or_default();
    }
    Ok((processors, anomalies))
}

fn units(set: &TaskSet, tasks: &[Task], ranks: &[Rank]) -> Vec<Unit> {
    let unit = |(handle, info): (Handle, &crate::RtInfo)| {
        let rank = ranks[handle.index()];
        let own = tasks.iter().filter(|task| task.operation == handle);
        let loads: Vec<Load> = own.map(|task| task.load(rank.queue)).collect();
        let permille = Utilization::of(loads.iter()).permille();
        rank.dispatched.then_some(Unit { operation: handle, loads, permille, pin: info.processor })
    };
    set.iter().filter_map(unit).collect()
}

/// Whether `more` fits together with `there`. If the budget is exhausted, anything below full
/// utilization is assumed to fit.
fn fits(there: &[Load], more: &[Load], system: &System, budget: &mut Budget) -> bool {
    let all: Vec<Load> = there.iter().chain(more).copied().collect();
    if Utilization::of(all.iter()).against_one() == Ordering::Greater {
        return false;
    }
    system.meets_all(&all, budget).unwrap_or(true)
}
