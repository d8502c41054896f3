//! One-way calls.

use super::{Plan, Work};
use crate::driver::{Command, Flood};
use crate::operation::Operation;
use crate::report::Figure;

/// What is sent, in the order of the table.
const OPERATIONS: [Operation; 7] = [
    Operation::SendShorts,
    Operation::SendChars,
    Operation::SendLongs,
    Operation::SendOctets,
    Operation::SendDoubles,
    Operation::SendStructs,
    Operation::SendPadded,
];

/// Seven types, 1 to 128 KiB by powers of two, so many calls that each block sends as much.
pub(super) fn ttcp(plan: &Plan) -> Vec<Work> {
    let powers = if plan.quick { 0..=2 } else { 0..=7 };
    let own: Vec<usize> = powers.map(|power| 1024 << power).collect();
    let mut works = Vec::new();
    for operation in OPERATIONS {
        for payload in plan.payloads_of(operation, &own) {
            let calls = plan.calls.unwrap_or_else(|| {
                let calls = plan.total.div_ceil(payload.max(1) as u64);
                u32::try_from(calls).unwrap_or(u32::MAX).max(1)
            });
            let flood = Flood { operation, payload, calls };
            works.push(Work {
                command: Command::Flood(flood),
                label: operation.to_string(),
                payload,
                figure: Figure::Throughput,
            });
        }
    }
    works
}
