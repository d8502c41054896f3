//! The metrics of an ORB.

use zorb::OrbMetrics;

use crate::metrics::{MetricKind, Metrics};

/// Adds the metrics of an ORB. Those of lanes have the labels `pool` and `lane`.
pub(crate) fn add(orb: &OrbMetrics, metrics: &mut Metrics) {
    for (name, help, value) in [
        ("zorb_held_requests", "Requests that wait for a manager or an activator.", orb.held),
        ("zorb_deferred_requests", "Requests that wait for deferred replies.", orb.deferred),
        ("zorb_client_connections", "Connections to servers.", orb.client_connections),
        ("zorb_threads", "Threads that work for the ORB.", orb.threads),
        ("zorb_buffered_bytes", "Size of messages in memory.", orb.buffered_octets),
        ("zorb_buffered_limit_bytes", "The limit of this size.", orb.max_buffered_octets),
        ("zorb_adapters", "Object adapters.", orb.adapters),
        ("zorb_active_objects", "Active objects.", orb.active_objects),
    ] {
        metrics.gauge(name, help, value as f64);
    }
    for (name, help, value) in [
        ("zorb_held_refused_total", "Requests refused because too many waited.", orb.held_refused),
        ("zorb_held_expired_total", "Requests that waited for too long.", orb.held_expired),
        ("zorb_client_connects_total", "Attempts to connect to servers.", orb.client_connects),
    ] {
        metrics.counter(name, help, value as f64);
    }
    let labels: Vec<[(&str, &str); 2]> =
        orb.lanes.iter().map(|lane| [("pool", &*lane.pool), ("lane", &*lane.lane)]).collect();
    let mut add = |kind, name, help, value: fn(&zorb::rt::LaneCounts) -> f64| {
        let samples = labels.iter().zip(&orb.lanes);
        let samples: Vec<_> =
            samples.map(|(labels, lane)| (&labels[..], value(&lane.counts))).collect();
        metrics.family(kind, name, help, &samples);
    };
    let (gauge, counter) = (MetricKind::Gauge, MetricKind::Counter);
    add(gauge, "zorb_lane_connections", "Connections of clients.", |it| it.connections as f64);
    add(gauge, "zorb_lane_threads", "Threads of the lane.", |it| it.threads as f64);
    add(gauge, "zorb_lane_queued_requests", "Requests in queues.", |it| it.queued as f64);
    add(counter, "zorb_lane_accepted_total", "Connections accepted.", |it| it.accepted as f64);
    add(counter, "zorb_lane_evicted_total", "Connections evicted.", |it| it.evicted as f64);
    add(counter, "zorb_lane_rejected_total", "Connections rejected.", |it| it.rejected as f64);
    add(counter, "zorb_lane_messages_total", "Messages received.", |it| it.messages as f64);
}
