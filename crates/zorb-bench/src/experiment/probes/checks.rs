//! Claims about the steps of a call.

use zorb_os::probe::Step;

use super::measured::Measured;
use super::steps::{Call, Side, mean_of, median_of};
use crate::report::Claim;
use crate::statistics::median;

/// Maximum difference of the steps' sum from the round trip, as a share.
const SUM: f64 = 0.03;
/// Maximum cost of passing a probe, in nanoseconds.
const COST_NS: f64 = 25.0;
/// Maximum time to find the servant and its operation, in nanoseconds.
const DEMULTIPLEX_NS: f64 = 300.0;
/// Maximum difference of the ORB's time between transports, as a share.
const ORB_DIFFERS: f64 = 0.10;
/// Maximum slope of the ORB's time by octets, relative to the system's.
const SLOPE: f64 = 0.20;

/// All claims. `threshold`: the copy threshold in octets.
pub(super) fn checks(all: &[Measured], threshold: Option<usize>) -> Vec<Claim> {
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
    checks.extend(voids.iter().filter_map(|one| slopes(&one.transport, all, threshold)));
    checks
}

fn sums(all: &[Measured]) -> Claim {
    let off = |one: &Measured| mean_of(&one.client, Call::whole) / one.mean_ns().max(1.0) - 1.0;
    let worst = all.iter().map(off).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default();
    Claim::new(
        "sum of the client's steps relative to the measured round trip",
        format!("within {:.0} %", SUM * 100.0),
        format!("{:+.1} % at most", worst * 100.0),
        !all.is_empty() && worst.abs() <= SUM,
    )
}

fn cost(all: &[Measured]) -> Claim {
    let cost = median(all.iter().flat_map(|one| one.costs.iter().copied()));
    Claim::new(
        "cost of a probe",
        format!("at most {COST_NS:.0} ns"),
        format!("{cost:.1} ns"),
        cost > 0.0 && cost <= COST_NS,
    )
}

fn waiting(one: &Measured) -> Claim {
    let share = |side: Side| {
        let io = mean_of(one.side(side), |call| call.of(&[Step::Send, Step::Receive]));
        io / mean_of(one.side(side), Call::whole).max(1.0)
    };
    let (client, server) = (share(Side::Client), share(Side::Server));
    Claim::new(
        format!(
            "{}: share of the system and of waiting in the time of client and server",
            one.transport
        ),
        "more than half",
        format!("{:.0} % and {:.0} %", client * 100.0, server * 100.0),
        client > 0.5 && server > 0.5,
    )
}

fn demultiplexing(one: &Measured) -> Claim {
    const STEPS: [Step; 4] = [Step::ParseKey, Step::Adapter, Step::Servant, Step::Operation];
    let took = median_of(&one.server, |call| call.of(&STEPS));
    Claim::new(
        format!("{}: time to find POA, servant and operation", one.transport),
        format!("at most {DEMULTIPLEX_NS:.0} ns"),
        format!("{took:.0} ns"),
        took > 0.0 && took <= DEMULTIPLEX_NS,
    )
}

fn same_orb(one: &Measured, other: &Measured) -> Claim {
    let differs = other.orb_ns() / one.orb_ns().max(1.0) - 1.0;
    Claim::new(
        format!("time of the ORB over {} relative to {}", other.transport, one.transport),
        format!("equal within {:.0} %", ORB_DIFFERS * 100.0),
        format!("{:+.1} %", differs * 100.0),
        one.orb_ns() > 0.0 && differs.abs() <= ORB_DIFFERS,
    )
}

fn cheaper_system(one: &Measured, other: &Measured) -> Claim {
    Claim::new(
        format!(
            "time of the system and I/O over {} relative to {}",
            other.transport, one.transport
        ),
        "less",
        format!("{:+.1} %", (other.system_ns() / one.system_ns().max(1.0) - 1.0) * 100.0),
        other.system_ns() < one.system_ns(),
    )
}

fn slopes(transport: &str, all: &[Measured], threshold: Option<usize>) -> Option<Claim> {
    let octets = || all.iter().filter(|one| one.transport == transport && !one.is_void());
    let at = threshold.map_or(f64::INFINITY, |threshold| threshold as f64);
    let orb = slope(octets().map(|one| (one.payload as f64, one.orb_ns())), at)?;
    let system = slope(octets().map(|one| (one.payload as f64, one.system_ns())), at)?;
    Some(Claim::new(
        format!("{transport}: time of the ORB per additional octet, relative to the system"),
        format!("at most {:.0} %", SLOPE * 100.0),
        format!("{orb:.3} ns of {system:.3} ns"),
        orb <= SLOPE * system,
    ))
}

/// The slope of the line that fits the points best, with a step at `at`. `None` if no two points with
/// different x are on one side of it.
fn slope(points: impl Iterator<Item = (f64, f64)>, at: f64) -> Option<f64> {
    let (below, beyond): (Vec<_>, Vec<_>) = points.partition(|(x, _)| *x < at);
    let (mut spread, mut common) = (0.0, 0.0);
    // Each side has a height of its own: only differences from its mean count.
    for side in [below, beyond] {
        let count = side.len().max(1) as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| side.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        spread += side.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
        common += side.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    }
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_line_is_found() {
        let line = [4.0, 8.0, 64.0, 2048.0].map(|octets| (octets, 100.0 + 0.25 * octets));
        let found = slope(line.into_iter(), f64::INFINITY).unwrap();
        assert!((found - 0.25).abs() < 1e-9, "{found}");
        assert_eq!(slope([(4.0, 1.0), (4.0, 2.0)].into_iter(), 9.0), None);
        assert_eq!(slope([(4.0, 1.0), (8.0, 2.0)].into_iter(), 8.0), None);
        assert_eq!(slope(std::iter::empty(), 0.0), None);
    }

    #[test]
    fn a_step_is_not_a_slope() {
        let line = [4.0, 8.0, 64.0, 1024.0, 2048.0];
        let stepped = |octets: f64| 100.0 + 0.25 * octets + if octets < 64.0 { 0.0 } else { 900.0 };
        let found = slope(line.map(|octets| (octets, stepped(octets))).into_iter(), 64.0).unwrap();
        assert!((found - 0.25).abs() < 1e-9, "{found}");
    }

    /// Nanoseconds of a void call over `shmiop`; over `iiop` the system takes ten times as long.
    struct Times {
        sum: f64,
        cost: f64,
        waiting: f64,
        demultiplexing: f64,
        orb: [f64; 2],
        system: [f64; 2],
        slope: f64,
    }

    const GOOD: Times = Times {
        sum: 1.0,
        cost: 20.0,
        waiting: 4000.0,
        demultiplexing: 200.0,
        orb: [300.0, 310.0],
        system: [20_000.0, 2000.0],
        slope: 0.01,
    };

    /// The claims of these times, by the first word of each that tells them apart.
    fn failures(times: &Times) -> Vec<usize> {
        let mut all = Vec::new();
        for (column, transport) in ["iiop", "shmiop"].into_iter().enumerate() {
            for payload in [0, 1000, 2000] {
                let octets = payload as f64;
                let system = times.system[column] + octets;
                let orb = times.orb[column] + octets * times.slope;
                let client = [(Step::Reference, orb), (Step::Receive, system + times.waiting)];
                let server = [
                    (Step::ParseKey, times.demultiplexing),
                    (Step::Receive, times.waiting + system / 2.0),
                ];
                let calls = [&client[..], &server[..]].map(Call::taking);
                let round_trip = (calls[0].whole() * times.sum).round() as u64;
                let one = Measured::new(transport, None, payload);
                all.push(one.of(calls, round_trip, times.cost));
            }
        }
        let checks = checks(&all, None);
        assert_eq!(checks.len(), 10);
        let indexes = checks.iter().enumerate().filter(|(_, claim)| !claim.holds);
        indexes.map(|(index, _)| index).collect()
    }

    #[test]
    fn each_claim_can_fail() {
        let table = [
            (GOOD, vec![]),
            (Times { sum: 1.05, ..GOOD }, vec![0]),
            (Times { cost: 26.0, ..GOOD }, vec![1]),
            (Times { waiting: -1950.0, ..GOOD }, vec![4]),
            (Times { demultiplexing: 301.0, ..GOOD }, vec![3, 5]),
            (Times { orb: [300.0, 400.0], ..GOOD }, vec![6]),
            (Times { system: [2000.0, 2100.0], ..GOOD }, vec![7]),
            (Times { slope: 0.3, ..GOOD }, vec![8, 9]),
        ];
        for (times, expected) in table {
            assert_eq!(failures(&times), expected);
        }
        assert!(checks(&[], None).iter().all(|claim| !claim.holds));
    }
}
