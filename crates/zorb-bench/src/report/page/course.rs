//! How long calls took as time went by: the longest and the median of each so many, for each peer.

use super::figure::Figure;
use super::looks::Looks;
use super::plot::{Axis, HEIGHT, Plot, Series, Unit};
use super::scale::{Scale, Spacing};
use super::text::Quantity;
use crate::course::Course;

/// The lines of the peers at one work.
pub(super) fn figure(work: &str, peers: &[(&str, &Course)], looks: &Looks) -> Figure {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    let line = |course: &Course, of: fn(&(u64, u64)) -> u64| -> Vec<(f64, f64)> {
        let places = (1..).map(|step: usize| (step * course.calls) as f64);
        places.zip(&course.steps).map(|(x, step)| (x, micros(of(step)))).collect()
    };
    let series: Vec<Series<'_>> = peers
        .iter()
        .flat_map(|(peer, course)| {
            let lines = [line(course, |step| step.1), line(course, |step| step.0)];
            lines.map(|line| Series { peer, line, points: Vec::new() })
        })
        .collect();
    let corners = || series.iter().flat_map(|series| &series.line);
    let plot = Plot {
        x: Axis {
            scale: Scale::over(Spacing::Linear, corners().map(|(x, _)| *x)),
            unit: Unit::Of(Quantity::Count),
            label: "calls so far".to_owned(),
            ticks: 5,
        },
        y: Axis {
            scale: Scale::over(Spacing::Decades, corners().map(|(_, y)| *y)),
            unit: Unit::Of(Quantity::Micros),
            label: "time of a call".to_owned(),
            ticks: 6,
        },
        level: None,
    };
    let words = peers.iter().map(|(peer, course)| {
        let longest = course.steps.iter().map(|step| step.1).max().unwrap_or_default();
        format!("{peer}: the longest {}", Quantity::Micros.text(micros(longest)))
    });
    Figure {
        kind: "course",
        title: format!("Jitter: {work}"),
        caption: work.to_owned(),
        description: format!(
            "The longest and the median time of each so many calls, in their order. {}.",
            words.collect::<Vec<_>>().join(". ")
        ),
        legend: peers.iter().map(|(peer, _)| (*peer).to_owned()).collect(),
        height: HEIGHT,
        picture: plot.picture(&series, looks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_has_the_longest_and_the_median() {
        let course = Course { calls: 10, steps: vec![(20_000, 90_000), (21_000, 400_000)] };
        let figure = figure("E13 call", &[("idle", &course)], &Looks::of(["idle"]));
        assert_eq!(figure.picture.matches("class=\"line\"").count(), 2, "{}", figure.picture);
        assert!(figure.description.contains("idle: the longest 400"), "{}", figure.description);
    }
}
