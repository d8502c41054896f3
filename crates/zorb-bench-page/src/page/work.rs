//! Groups rows by workload, and workloads that differ in one number to curves.

use super::text::Quantity;
use crate::results::Measured;

/// Minimum number of payloads of one operation that form a curve.
const MIN_PAYLOADS: usize = 3;
const MIN_OTHERS: usize = 2;

/// The rows of all peers for the same operation and payload.
#[derive(Clone, Debug)]
pub(super) struct Workload<'a> {
    pub(super) operation: &'a str,
    pub(super) payload: u64,
    pub(super) rows: Vec<&'a Measured>,
}

/// Works along a number.
#[derive(Clone, Debug)]
pub(super) struct Sweep<'a> {
    /// The common part of their names.
    pub(super) name: String,
    /// The number's name: `payload`, or the word before the `=` in the operation.
    pub(super) parameter: String,
    /// The number and the workload, in rising order.
    pub(super) steps: Vec<(f64, Workload<'a>)>,
}

/// Groups rows by workload, in the order of their first rows.
pub(super) fn workloads<'a>(rows: &[&'a Measured]) -> Vec<Workload<'a>> {
    let mut workloads: Vec<Workload<'a>> = Vec::new();
    for row in rows {
        let same = |workload: &&mut Workload<'_>| {
            workload.operation == row.operation && workload.payload == row.payload
        };
        // Rows of a workload are adjacent: the search ends at the first.
        match workloads.iter_mut().rev().find(same) {
            Some(workload) => workload.rows.push(row),
            None => workloads.push(Workload {
                operation: &row.operation,
                payload: row.payload,
                rows: vec![row],
            }),
        }
    }
    workloads
}

/// Curves, and the workloads that are not part of one.
pub(super) fn sweeps<'a>(workloads: &[Workload<'a>]) -> (Vec<Sweep<'a>>, Vec<Workload<'a>>) {
    let mut sweeps: Vec<Sweep<'a>> = Vec::new();
    for workload in workloads {
        let (name, parameter, value) = workload.parameter();
        let same = |sweep: &&mut Sweep<'_>| sweep.name == name && sweep.parameter == parameter;
        match sweeps.iter_mut().find(same) {
            Some(sweep) => sweep.steps.push((value, workload.clone())),
            None => sweeps.push(Sweep { name, parameter, steps: vec![(value, workload.clone())] }),
        }
    }
    let mut single = Vec::new();
    sweeps.retain_mut(|sweep| {
        sweep.steps.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let least = if sweep.is_of_sizes() { MIN_PAYLOADS } else { MIN_OTHERS };
        let long = sweep.steps.len() >= least;
        if !long {
            single.extend(sweep.steps.drain(..).map(|(_, workload)| workload));
        }
        long
    });
    (sweeps, single)
}

impl Workload<'_> {
    /// Its name.
    pub(super) fn name(&self) -> String {
        let size = Quantity::Octets.text(self.payload as f64);
        if self.payload > 0 { format!("{}, {size}", self.operation) } else { self.operation.into() }
    }

    /// The name without its number, the number's name, and the number.
    fn parameter(&self) -> (String, String, f64) {
        let mut found = None;
        let mut rest = Vec::new();
        for part in self.operation.split('/') {
            let number = part.split_once('=').and_then(|(name, value)| {
                let value = value.parse::<f64>().ok().filter(|value| value.is_finite())?;
                Some((name, value))
            });
            match number {
                Some(number) if found.is_none() => found = Some(number),
                _ => rest.push(part),
            }
        }
        match found {
            Some((name, value)) => {
                if self.payload > 0 {
                    return (
                        format!(
                            "{}, {}",
                            rest.join(", "),
                            Quantity::Octets.text(self.payload as f64)
                        ),
                        name.to_owned(),
                        value,
                    );
                }
                (rest.join(", "), name.to_owned(), value)
            }
            None => (self.operation.to_owned(), "payload".to_owned(), self.payload as f64),
        }
    }
}

impl Sweep<'_> {
    /// Whether the payload differs.
    pub(super) fn is_of_sizes(&self) -> bool {
        self.parameter == "payload"
    }

    /// The peers that have a row in it, in the order of the rows.
    pub(super) fn peers(&self) -> Vec<&str> {
        let mut peers: Vec<&str> = Vec::new();
        for row in self.steps.iter().flat_map(|(_, workload)| &workload.rows) {
            if !peers.contains(&row.peer.as_str()) {
                peers.push(&row.peer);
            }
        }
        peers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(workloads: &[(&str, u64)]) -> Vec<Measured> {
        let row = |(operation, payload): &(&str, u64)| Measured {
            operation: (*operation).to_owned(),
            payload: *payload,
            peer: "zorb".to_owned(),
            ..Measured::default()
        };
        workloads.iter().map(row).collect()
    }

    /// A curve's name, its parameter, and its steps.
    type Curve = (String, String, Vec<f64>);

    fn swept(all: &[(&str, u64)]) -> (Vec<Curve>, Vec<String>) {
        let rows = rows(all);
        let rows: Vec<&Measured> = rows.iter().collect();
        let (sweeps, single) = sweeps(&workloads(&rows));
        let steps = |sweep: &Sweep<'_>| sweep.steps.iter().map(|(value, _)| *value).collect();
        let sweeps =
            sweeps.iter().map(|sweep| (sweep.name.clone(), sweep.parameter.clone(), steps(sweep)));
        (sweeps.collect(), single.iter().map(Workload::name).collect())
    }

    #[test]
    fn sizes_are_a_curve_when_there_are_enough() {
        let (sweeps, single) = swept(&[
            ("ping", 0),
            ("echo", 4096),
            ("echo", 4),
            ("echo", 64),
            ("longs", 4),
            ("longs", 64),
        ]);
        assert_eq!(sweeps, [("echo".to_owned(), "payload".to_owned(), vec![4.0, 64.0, 4096.0])]);
        assert_eq!(single, ["ping", "longs, 4 B", "longs, 64 B"]);
    }

    #[test]
    fn numbers_in_names_are_curves() {
        let all = ["ping/threads=1/own", "ping/threads=2/own", "ping/threads=2/shared", "a=b/c"];
        let (sweeps, single) = swept(&all.map(|name| (name, 0)));
        assert_eq!(sweeps, [("ping, own".to_owned(), "threads".to_owned(), vec![1.0, 2.0])]);
        assert_eq!(single, ["ping/threads=2/shared", "a=b/c"]);
    }
}
