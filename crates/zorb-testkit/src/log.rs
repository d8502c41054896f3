//! Recording what is logged.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// A subscriber of `tracing` that records all events. Clones have the same lines.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    lines: Vec<LogLine>,
    /// With the id 1 and so on.
    spans: Vec<LogSpan>,
}

thread_local! {
    /// The ids of the spans that the thread has entered, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// A recorded event.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// Its level.
    pub level: Level,
    /// Its message.
    pub message: String,
    fields: Fields,
    spans: Vec<LogSpan>,
}

/// A span with its fields.
#[derive(Clone, Debug)]
struct LogSpan {
    name: &'static str,
    fields: Fields,
}

#[derive(Clone, Debug, Default)]
struct Fields(Vec<(&'static str, String)>);

impl Log {
    /// Records what all threads log from now on. For a process of the test's [own](crate::in_own_process).
    ///
    /// # Panics
    /// If another log has been installed.
    #[must_use]
    pub fn of_process() -> Self {
        let log = Self::default();
        tracing::subscriber::set_global_default(log.clone()).expect("the only log");
        log
    }

    /// Executes `work`, during which the calling thread logs here.
    pub fn of<T>(&self, work: impl FnOnce() -> T) -> T {
        // If this log were the only subscriber, `tracing` would ask the thread that reaches a line of code first
        // whether to log it at all. Other tests have threads without a log.
        let _ = tracing::subscriber::set_global_default(Unrecorded);
        tracing::subscriber::with_default(self.clone(), work)
    }

    /// The lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        self.0.lock().unwrap().lines.clone()
    }
}

/// The subscriber of threads without a log. It records nothing and keeps all lines of code enabled for other threads.
#[derive(Debug)]
struct Unrecorded;

impl Subscriber for Unrecorded {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl LogLine {
    /// The value of a field, as `Debug` shows it: text has quotation marks unless it is logged with `%`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name)
    }

    /// The value of a field of the innermost span with this name around the line, as `Debug` shows it.
    #[must_use]
    pub fn field_of_span(&self, span: &str, name: &str) -> Option<&str> {
        self.spans.iter().rev().find(|around| around.name == span)?.fields.get(name)
    }
}

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut span = LogSpan { name: attributes.metadata().name(), fields: Fields::default() };
        attributes.record(&mut span.fields);
        let spans = &mut self.0.lock().unwrap().spans;
        spans.push(span);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.get("message").unwrap_or_default().to_owned();
        let mut recorded = self.0.lock().unwrap();
        let span = |id: &u64| recorded.spans.get(usize::try_from(*id).ok()?.checked_sub(1)?);
        let spans =
            ENTERED.try_with(|entered| entered.borrow().iter().filter_map(span).cloned().collect());
        let level = *event.metadata().level();
        let spans = spans.unwrap_or_default();
        recorded.lines.push(LogLine { level, message, fields, spans });
    }

    fn enter(&self, span: &Id) {
        // A thread that ends logs outside of spans.
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        let _ = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            let left = entered.iter().rposition(|known| *known == span.into_u64());
            left.map(|left| entered.remove(left));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_code_that_another_thread_reaches_first_is_logged() {
        let say = || tracing::warn!("said");
        let log = Log::default();
        log.of(|| {
            std::thread::spawn(say).join().unwrap();
            say();
        });
        assert_eq!(log.lines().len(), 1);
    }
}
