//! Recording what is logged.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A subscriber of `tracing` that records all events. Clones have the same lines.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<LogLine>>>);

/// A recorded event.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// Its level.
    pub level: Level,
    /// Its message.
    pub message: String,
    fields: Vec<(&'static str, String)>,
}

impl Log {
    /// Executes `work`, during which the calling thread logs here.
    pub fn of<T>(&self, work: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(self.clone(), work)
    }

    /// The lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        self.0.lock().unwrap().clone()
    }
}

impl LogLine {
    /// The value of a field, as `Debug` shows it: text has quotation marks unless it is logged with `%`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        match field.name() {
            "message" => self.message = value,
            name => self.fields.push((name, value)),
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let level = *event.metadata().level();
        let mut line = LogLine { level, message: String::new(), fields: Vec::new() };
        event.record(&mut line);
        self.0.lock().unwrap().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
