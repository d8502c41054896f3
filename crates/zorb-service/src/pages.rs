//! The pages that operators and their tools read: metrics, readiness, liveness.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use zorb::{Health, WeakOrb};
use zorb_store::Store;

use crate::http::{Request, Response};
use crate::metrics::Metrics;
use crate::orb_metrics;

/// Adds the metrics of a service.
pub(crate) type Source = dyn Fn(&mut Metrics) + Send + Sync;

/// What the pages show.
pub(crate) struct Pages {
    orb: WeakOrb,
    health: Health,
    started: SystemTime,
    // Held for a moment.
    sources: Mutex<Vec<Arc<Source>>>,
    store: Mutex<Option<Weak<dyn Store>>>,
}

impl Pages {
    pub(crate) fn new(orb: WeakOrb, health: Health) -> Self {
        let started = SystemTime::now();
        Self { orb, health, started, sources: Mutex::default(), store: Mutex::default() }
    }

    /// Adds metrics.
    pub(crate) fn add(&self, source: Arc<Source>) {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push(source);
    }

    pub(crate) fn set_store(&self, store: &Arc<dyn Store>) {
        let mut known = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Arc::downgrade(store));
    }

    /// The response to a request.
    pub(crate) fn answer(&self, request: &Request) -> Response {
        match request.path.as_str() {
            "/metrics" => {
                Response::page("text/plain; version=0.0.4; charset=utf-8", self.metrics())
            }
            "/ready" => state(self.health.ready()),
            "/live" => state(self.health.live()),
            "/" => {
                Response::page("text/plain; charset=utf-8", "/metrics /ready /live\n".to_owned())
            }
            _ => Response::not_found(),
        }
    }

    fn metrics(&self) -> String {
        let mut metrics = Metrics::default();
        let is = |state: zorb::Result<(bool, String)>| {
            f64::from(u8::from(state.is_ok_and(|(good, _)| good)))
        };
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let version: [(&str, &str); 1] = [("version", env!("CARGO_PKG_VERSION"))];
        let build = [(&version[..], 1.0)];
        metrics.family(crate::MetricKind::Gauge, "zorb_build_info", "The version.", &build);
        metrics.gauge("zorb_start_time_seconds", "Start, since 1970.", started.as_secs_f64());
        metrics.gauge("zorb_ready", "Whether the server is ready.", is(self.health.ready()));
        metrics.gauge("zorb_live", "Whether no lane is stuck.", is(self.health.live()));
        if let Some(orb) = self.orb.upgrade() {
            orb_metrics::add(&orb.metrics(), &mut metrics);
        }
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(store) = store.and_then(|store| store.upgrade()) {
            add_store(&*store, &mut metrics);
        }
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sources.iter().for_each(|source| source(&mut metrics));
        metrics.text().to_owned()
    }
}

fn state(state: zorb::Result<(bool, String)>) -> Response {
    match state {
        Ok((true, _)) => Response::page("text/plain; charset=utf-8", "yes\n".to_owned()),
        Ok((false, why_not)) => Response::error(503, &why_not),
        Err(error) => Response::error(503, &error.to_string()),
    }
}

fn add_store(store: &dyn Store, metrics: &mut Metrics) {
    let numbers = store.statistics();
    let is_healthy = f64::from(u8::from(store.health().is_ok()));
    metrics.gauge("zorb_store_healthy", "Whether the store accepts changes.", is_healthy);
    metrics.gauge("zorb_store_size_bytes", "Size of the store.", numbers.octets as f64);
    for (name, help, count) in [
        ("zorb_store_batches_total", "Changes committed.", numbers.batches),
        ("zorb_store_transactions_total", "Transactions of the file.", numbers.transactions),
        ("zorb_store_syncs_total", "Synchronizations with the disk.", numbers.syncs),
        ("zorb_store_dumps_total", "Dumps written.", numbers.dumps),
        ("zorb_store_failed_dumps_total", "Dumps that failed.", numbers.failed_dumps),
    ] {
        metrics.counter(name, help, count as f64);
    }
    let help = "Time of all synchronizations with the disk.";
    metrics.counter("zorb_store_sync_seconds_total", help, numbers.sync_time.as_secs_f64());
    let help = "Time of the longest synchronization.";
    metrics.gauge("zorb_store_longest_sync_seconds", help, numbers.longest_sync.as_secs_f64());
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("health", &self.health).finish_non_exhaustive()
    }
}
