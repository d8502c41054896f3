//! The counts of an ORB.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::sampling::RATE;

/// The maximum number of operations that an ORB counts. Further ones are left out, which the file mentions.
pub const MAX_OPERATIONS: usize = 4_096;

/// The maximum length of a repository id and of an operation's name. All operations thus fit into the largest file that
/// the IDL compiler reads, 4 MiB.
const MAX_NAME: usize = 480;

/// Which side of a request the ORB is on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    Client,
    Server,
}

/// The counted calls and requests of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    calls: u64,
    requests: u64,
}

/// How often operations were called and served, by interface and operation.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    interfaces: BTreeMap<String, BTreeMap<String, Count>>,
    operations: usize,
    is_full: bool,
}

impl Counts {
    /// Counts an operation. `interface` is empty if it is not known.
    pub(crate) fn add(&mut self, side: Side, interface: &str, operation: &str) {
        let interface = if interface.is_empty() { "-" } else { interface };
        if !is_plain(interface) || !is_plain(operation) || is_of_every_object(operation) {
            return;
        }
        let known = self.interfaces.get_mut(interface).and_then(|known| known.get_mut(operation));
        let count = match known {
            Some(count) => count,
            None if self.operations >= MAX_OPERATIONS => {
                self.is_full = true;
                return;
            }
            None => {
                self.operations += 1;
                let operations = self.interfaces.entry(interface.to_owned()).or_default();
                operations.entry(operation.to_owned()).or_default()
            }
        };
        match side {
            Side::Client => count.calls += 1,
            Side::Server => count.requests += 1,
        }
    }

    /// The contents of the file.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "zorb-usage 1\n# One of {RATE} calls and requests is counted.\n# calls requests interface operation\n"
        );
        for (interface, operations) in &self.interfaces {
            for (operation, Count { calls, requests }) in operations {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{calls} {requests} {interface} {operation}");
            }
        }
        if self.is_full {
            let _ = writeln!(text, "# There are more than {MAX_OPERATIONS} operations.");
        }
        text
    }
}

/// Whether the name can be a word of the file. What DSI servants answer to may be anything.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(|octet| octet.is_ascii_graphic())
}

/// Whether it is an operation such as `_is_a`, for which there is no generated code.
fn is_of_every_object(operation: &str) -> bool {
    operation.starts_with('_') && !operation.starts_with("_get_") && !operation.starts_with("_set_")
}

#[cfg(test)]
mod tests {
    use super::{Counts, MAX_NAME, MAX_OPERATIONS, Side};

    fn lines(counts: &Counts) -> Vec<String> {
        counts.text().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    #[test]
    fn operations_are_counted_by_side_interface_and_name() {
        let mut counts = Counts::default();
        counts.add(Side::Client, "IDL:B:1.0", "sell");
        counts.add(Side::Client, "IDL:B:1.0", "sell");
        counts.add(Side::Server, "IDL:B:1.0", "sell");
        counts.add(Side::Server, "IDL:A:1.0", "_get_name");
        counts.add(Side::Client, "", "sell");
        let expected =
            ["zorb-usage 1", "1 0 - sell", "0 1 IDL:A:1.0 _get_name", "2 1 IDL:B:1.0 sell"];
        assert_eq!(lines(&counts), expected);
    }

    #[test]
    fn names_that_break_the_format_are_left_out() {
        let mut counts = Counts::default();
        let long = "x".repeat(MAX_NAME + 1);
        for name in ["", "a b", "a\nb", "caf\u{e9}", long.as_str(), "_is_a", "_non_existent"] {
            counts.add(Side::Server, "IDL:A:1.0", name);
        }
        counts.add(Side::Server, "IDL:A B:1.0", "sell");
        assert_eq!(lines(&counts), ["zorb-usage 1"]);
    }

    #[test]
    fn so_many_operations_are_counted() {
        let mut counts = Counts::default();
        // The longest there are.
        let interface = format!("IDL:{}", "x".repeat(MAX_NAME - 4));
        for number in 0..=MAX_OPERATIONS {
            counts.add(Side::Server, &interface, &format!("{number:0MAX_NAME$}"));
        }
        counts.add(Side::Client, &interface, &format!("{:0MAX_NAME$}", 0));
        assert_eq!(lines(&counts).len(), 1 + MAX_OPERATIONS);
        assert!(lines(&counts)[1].starts_with("1 1 "), "known ones are still counted");
        let text = counts.text();
        assert!(text.ends_with("# There are more than 4096 operations.\n"));
        assert!(text.len() < 4 << 20, "{}", text.len());
    }
}
