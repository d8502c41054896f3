//! Metrics in the text format of Prometheus.

use std::fmt::Write as _;

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A number that goes up and down.
    Gauge,
    /// A number that only grows while the process runs; its name ends in `_total`.
    Counter,
}

/// The labels of a sample: names and values.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

/// Metrics that services report, in the text format of Prometheus (version 0.0.4). Names begin with `zorb_`, and have the
/// base unit at their end, as in `zorb_store_size_bytes`.
///
/// ```
/// use zorb_service::{MetricKind, Metrics};
///
/// let mut metrics = Metrics::default();
/// metrics.gauge("zorb_naming_bindings", "Bindings of all contexts.", 7.0);
/// let states: [(&[(&str, &str)], f64); 1] = [(&[("server", "pump \"2\"")], 1.0)];
/// metrics.family(MetricKind::Gauge, "zorb_server_running", "Whether a server runs.", &states);
/// assert!(metrics.text().ends_with("zorb_server_running{server=\"pump \\\"2\\\"\"} 1\n"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    text: String,
}

impl Metrics {
    /// Adds a gauge without labels.
    pub fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(MetricKind::Gauge, name, help, &[(&[], value)]);
    }

    /// Adds a counter without labels.
    pub fn counter(&mut self, name: &str, help: &str, value: f64) {
        self.family(MetricKind::Counter, name, help, &[(&[], value)]);
    }

    /// Adds a metric with a sample for each set of labels. Add each metric once.
    pub fn family(
        &mut self,
        kind: MetricKind,
        name: &str,
        help: &str,
        samples: &[(Labels<'_>, f64)],
    ) {
        let kind = match kind {
            MetricKind::Gauge => "gauge",
            MetricKind::Counter => "counter",
        };
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "# HELP {name} {}", Escaped { text: help, quote: false });
        let _ = writeln!(self.text, "# TYPE {name} {kind}");
        for (labels, value) in samples {
            self.text.push_str(name);
            let mut before = '{';
            for (label, text) in *labels {
                let _ = write!(self.text, "{before}{label}=\"{}\"", Escaped { text, quote: true });
                before = ',';
            }
            if !labels.is_empty() {
                self.text.push('}');
            }
            let _ = writeln!(self.text, " {value}");
        }
    }

    /// All metrics.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Text of a line, or between quotes.
struct Escaped<'a> {
    text: &'a str,
    quote: bool,
}

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.text.chars().try_for_each(|char| match char {
            '\\' => f.write_str("\\\\"),
            '\n' => f.write_str("\\n"),
            '"' if self.quote => f.write_str("\\\""),
            char => f.write_char(char),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_numbers_are_plain() {
        let mut metrics = Metrics::default();
        metrics.counter("zorb_x_total", "Back\\slash,\nline and \"quote\".", 0.5);
        let labels: [(&str, &str); 2] = [("a", "x\"\\\n"), ("b", "ä")];
        metrics.family(MetricKind::Gauge, "zorb_y", "Y.", &[(&labels, 3e9), (&[("a", "")], -1.0)]);
        let expected = "# HELP zorb_x_total Back\\\\slash,\\nline and \"quote\".\n\
                        # TYPE zorb_x_total counter\n\
                        zorb_x_total 0.5\n\
                        # HELP zorb_y Y.\n\
                        # TYPE zorb_y gauge\n\
                        zorb_y{a=\"x\\\"\\\\\\n\",b=\"ä\"} 3000000000\n\
                        zorb_y{a=\"\"} -1\n";
        assert_eq!(metrics.text(), expected);
    }
}
