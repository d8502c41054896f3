//! What the steps of a call are expected to show.

use zorb_os::probe::Step;

use super::Measured;
use super::steps::{Call, Side, mean_of, median_of};
use crate::report::Check;
use crate::statistics::median;

/// Share of the round trip by which the steps' sum may differ from it.
const SUM: f64 = 0.03;
/// What passing a probe may take, in nanoseconds.
const COST_NS: f64 = 25.0;
/// What finding the servant and its operation may take, in nanoseconds.
const DEMULTIPLEX_NS: f64 = 300.0;
/// Share by which the ORB's part may differ between transports.
const ORB_DIFFERS: f64 = 0.10;
/// The slope of the ORB's time over octets, of that of the system's.
const SLOPE: f64 = 0.20;

/// What was expected, and what was found.
///
/// `threshold`: from how many octets on they are sent from where they lie.
pub(super) fn checks(all: &[Measured], threshold: Option<usize>) -> Vec<Check> {
    let mut checks = vec![sums(all), cost(all)];
    let voids: Vec<&Measured> = all.iter().filter(|one| one.is_void()).collect();
    for one in &voids {
        checks.push(waiting(one));
        checks.push(demultiplexing(one));
    }
    if let [one, other] = voids.as_slice() {
        checks.push(same_orb(one, other));
        checks.push(cheaper_system(one, other));
    }
    checks.extend(voids.iter().filter_map(|one| slopes(&one.transport, all)));
    if let Some(threshold) = threshold {
        checks.extend(voids.iter().filter_map(|one| step(&one.transport, all, threshold)));
    }
    checks
}

fn sums(all: &[Measured]) -> Check {
    let off = |one: &Measured| mean_of(&one.client, Call::whole) / one.mean_ns().max(1.0) - 1.0;
    let worst = all.iter().map(off).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default();
    Check {
        what: "the client's steps add up to the measured round trip".to_owned(),
        expected: format!("within {:.0} %", SUM * 100.0),
        found: format!("{:+.1} % at most", worst * 100.0),
        holds: worst.abs() <= SUM,
    }
}

fn cost(all: &[Measured]) -> Check {
    let cost = median(all.iter().flat_map(|one| one.costs.iter().copied()));
    Check {
        what: "passing a probe takes".to_owned(),
        expected: format!("at most {COST_NS:.0} ns"),
        found: format!("{cost:.1} ns"),
        holds: cost <= COST_NS,
    }
}

fn waiting(one: &Measured) -> Check {
    let share = |side: Side| {
        let io = mean_of(one.side(side), |call| call.of(&[Step::Send, Step::Receive]));
        io / mean_of(one.side(side), Call::whole).max(1.0)
    };
    let (client, server) = (share(Side::Client), share(Side::Server));
    Check {
        what: format!("{}: of the time of both sides, the system and waiting are", one.transport),
        expected: "more than half".to_owned(),
        found: format!("{:.0} % and {:.0} %", client * 100.0, server * 100.0),
        holds: client > 0.5 && server > 0.5,
    }
}

fn demultiplexing(one: &Measured) -> Check {
    const STEPS: [Step; 4] = [Step::ParseKey, Step::Adapter, Step::Servant, Step::Operation];
    let took = median_of(&one.server, |call| call.of(&STEPS));
    Check {
        what: format!("{}: object key, POA, servant and operation take", one.transport),
        expected: format!("at most {DEMULTIPLEX_NS:.0} ns"),
        found: format!("{took:.0} ns"),
        holds: took <= DEMULTIPLEX_NS,
    }
}

fn same_orb(one: &Measured, other: &Measured) -> Check {
    let differs = other.orb_ns() / one.orb_ns().max(1.0) - 1.0;
    Check {
        what: format!("over {} the ORB takes, of {}", other.transport, one.transport),
        expected: format!("as much, within {:.0} %", ORB_DIFFERS * 100.0),
        found: format!("{:+.1} %", differs * 100.0),
        holds: differs.abs() <= ORB_DIFFERS,
    }
}

fn cheaper_system(one: &Measured, other: &Measured) -> Check {
    Check {
        what: format!("over {} the system and I/O take, of {}", other.transport, one.transport),
        expected: "less".to_owned(),
        found: format!("{:+.1} %", (other.system_ns() / one.system_ns().max(1.0) - 1.0) * 100.0),
        holds: other.system_ns() < one.system_ns(),
    }
}

fn slopes(transport: &str, all: &[Measured]) -> Option<Check> {
    let octets = || all.iter().filter(|one| one.transport == transport && !one.is_void());
    let orb = slope(octets().map(|one| (one.payload as f64, one.orb_ns())))?;
    let system = slope(octets().map(|one| (one.payload as f64, one.system_ns())))?;
    Some(Check {
        what: format!("{transport}: an octet more costs the ORB, of what it costs the system"),
        expected: format!("at most {:.0} %", SLOPE * 100.0),
        found: format!("{orb:.3} ns of {system:.3} ns"),
        holds: orb <= SLOPE * system,
    })
}

/// The step where octets are no longer copied into the message but sent from where they lie, on both
/// sides. It is looked for where there are payloads before it and behind.
fn step(transport: &str, all: &[Measured], threshold: usize) -> Option<Check> {
    let octets = all.iter().filter(|one| one.transport == transport && !one.is_void());
    let points: Vec<(usize, f64)> = octets.map(|one| (one.payload, one.orb_ns())).collect();
    let expected = first_beyond(&points, threshold)?;
    let (found, height) = highest_step(&points)?;
    Some(Check {
        what: format!(
            "{transport}: the highest step of the ORB's time, from one payload to the next"
        ),
        expected: format!("the one to {expected} octets, the copy threshold being {threshold}"),
        found: format!("the one to {found} octets, {height:+.0} ns"),
        holds: found == expected,
    })
}

/// The first payload from the threshold on, if there is one below.
fn first_beyond(points: &[(usize, f64)], threshold: usize) -> Option<usize> {
    let (below, beyond): (Vec<usize>, Vec<usize>) =
        points.iter().map(|(payload, _)| *payload).partition(|payload| *payload < threshold);
    beyond.into_iter().min().filter(|_| !below.is_empty())
}

/// Where the time rises most, and by how much.
fn highest_step(points: &[(usize, f64)]) -> Option<(usize, f64)> {
    let mut points = points.to_vec();
    points.sort_by_key(|(payload, _)| *payload);
    let steps = points.windows(2).filter_map(|pair| match pair {
        [(_, before), (payload, after)] => Some((*payload, after - before)),
        _ => None,
    });
    steps.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// The slope of the line that comes nearest to the points; `None` of less than two places.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let points: Vec<(f64, f64)> = points.collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_where_it_is() {
        let points = [(4, 100.0), (1024, 300.0), (256, 110.0), (2048, 330.0)];
        assert_eq!(highest_step(&points), Some((1024, 190.0)));
        assert_eq!(first_beyond(&points, 300), Some(1024));
        assert_eq!(first_beyond(&points, 1024), Some(1024));
        assert_eq!(first_beyond(&points, 4), None);
        assert_eq!(first_beyond(&points, 4096), None);
        assert_eq!(highest_step(&points[..1]), None);
    }

    #[test]
    fn the_slope_of_a_line_is_found() {
        let line = [4.0, 8.0, 64.0, 2048.0].map(|octets| (octets, 100.0 + 0.25 * octets));
        let found = slope(line.into_iter()).unwrap();
        assert!((found - 0.25).abs() < 1e-9, "{found}");
        assert_eq!(slope([(4.0, 1.0), (4.0, 2.0)].into_iter()), None);
        assert_eq!(slope(std::iter::empty()), None);
    }
}
