//! Timelines: median and maximum of successive calls, for each peer.

use super::chart::{Chart, Styles};
use super::plot::{ACROSS, DOWN, Plot, Series};
use super::scale::{Axis, Scale, Spacing};
use super::text::Quantity;
use zorb_bench::timeline::Timeline;

/// The timelines of the peers for one workload.
pub(super) fn chart(workload: &str, peers: &[(&str, &Timeline)], styles: &Styles) -> Chart {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    let line = |timeline: &Timeline, of: fn(&(u64, u64)) -> u64| -> Vec<(f64, f64)> {
        let xs = (1..).map(|step: usize| (step * timeline.calls) as f64);
        xs.zip(&timeline.steps).map(|(x, step)| (x, micros(of(step)))).collect()
    };
    let series: Vec<Series<'_>> = peers
        .iter()
        .flat_map(|(peer, timeline)| {
            let lines = [line(timeline, |step| step.1), line(timeline, |step| step.0)];
            lines.map(|line| Series { peer, line, points: Vec::new() })
        })
        .collect();
    let corners = || series.iter().flat_map(|series| &series.line);
    let plot = Plot {
        x: Axis {
            scale: Scale::over(Spacing::Linear, corners().map(|(x, _)| *x)),
            quantity: Quantity::Count,
            label: "calls so far".to_owned(),
            ends: ACROSS,
            most: 5,
        },
        y: Axis {
            scale: Scale::over(Spacing::Decades, corners().map(|(_, y)| *y)),
            quantity: Quantity::Micros,
            label: "time of a call".to_owned(),
            ends: DOWN,
            most: 6,
        },
        level: None,
        series: &series,
        styles,
    };
    let words = peers.iter().map(|(peer, timeline)| {
        let longest = timeline.steps.iter().map(|step| step.1).max().unwrap_or_default();
        format!("{peer}: maximum {}", Quantity::Micros.text(micros(longest)))
    });
    Chart {
        kind: "timeline",
        title: format!("Jitter: {workload}"),
        caption: workload.to_owned(),
        description: format!(
            "Maximum and median of successive calls, in their order. {}.",
            words.collect::<Vec<_>>().join(". ")
        ),
        ..plot.chart()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_has_maximum_and_median() {
        let timeline = Timeline { calls: 10, steps: vec![(20_000, 90_000), (21_000, 400_000)] };
        let chart = chart("E13 call", &[("idle", &timeline)], &Styles::of(["idle"]));
        assert_eq!((chart.picture.matches("class=\"series").count(), chart.legend.len()), (2, 1));
        assert!(chart.description.contains("idle: maximum 400"), "{}", chart.description);
    }
}
