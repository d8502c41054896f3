//! What a running program has counted: which operations it calls and serves most.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use zorb_idl::Compilation;

/// How often a program called and served operations, from the usage file that it has written.
///
/// The first line of the file is `zorb-usage 1`. Each other line is an operation: the calls and the requests that were
/// counted, the repository id of the interface or `-` if it is not known, and the operation's name, separated by blanks.
/// Empty lines and those that begin with `#` are comments.
///
/// ```
/// let text = b"zorb-usage 1\n120 0 IDL:Shop/Account:1.0 deposit\n7 3 IDL:Shop/Account:1.0 close\n";
/// let usage = zorb_idl_rust::Usage::parse(text)?;
/// let hot = usage.hot();
/// assert_eq!(hot.len(), 1);
/// assert_eq!(hot[0].name, "deposit");
/// # Ok::<(), zorb_idl_rust::UsageError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The calls and requests of an operation, by repository id and name.
    counts: BTreeMap<(String, String), u64>,
}

/// An operation that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsedOperation<'u> {
    /// The repository id of the interface; `None` if the program did not know it.
    pub interface: Option<&'u str>,
    /// The name in messages, such as `sell` or `_get_total`.
    pub name: &'u str,
    /// The calls and requests that were counted.
    pub count: u64,
}

/// Why a usage file is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError {
    /// The number of the line, from 1.
    line: usize,
    reason: &'static str,
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for UsageError {}

/// The first line.
const HEADER: &str = "zorb-usage 1";

/// What stands for an interface that is not known.
const UNKNOWN: &str = "-";

impl Usage {
    /// The size of the largest file that is read, in octets.
    pub const MAX_OCTETS: usize = 4 << 20;

    /// The share of all calls, in percent, that the operations make together that are [hot](Self::hot).
    pub const HOT_PERCENT: u8 = 90;

    /// Reads the contents of a usage file.
    ///
    /// # Errors
    /// They exceed [`MAX_OCTETS`](Self::MAX_OCTETS), are not UTF-8, or not in this format or version.
    pub fn parse(octets: &[u8]) -> Result<Self, UsageError> {
        let invalid = |line, reason| Err(UsageError { line, reason });
        if octets.len() > Self::MAX_OCTETS {
            return invalid(1, "the file is larger than 4 MiB");
        }
        let Ok(text) = std::str::from_utf8(octets) else {
            return invalid(1, "the file is not UTF-8");
        };
        let mut lines = text.lines().map(str::trim_end).zip(1..);
        if lines.next().is_none_or(|(first, _)| first != HEADER) {
            return invalid(1, "the file does not begin with `zorb-usage 1`");
        }
        let mut usage = Self::default();
        for (line, number) in lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.split_ascii_whitespace();
            let [Some(calls), Some(requests), Some(interface), Some(name), None] =
                [(); 5].map(|()| words.next())
            else {
                return invalid(number, "expected calls, requests, interface and operation");
            };
            let (Ok(calls), Ok(requests)) = (calls.parse::<u64>(), requests.parse::<u64>()) else {
                return invalid(number, "calls and requests must be numbers");
            };
            usage.count(interface, name, calls.saturating_add(requests));
        }
        Ok(usage)
    }

    /// Adds what another program has counted.
    pub fn add(&mut self, other: &Self) {
        for ((interface, name), count) in &other.counts {
            self.count(interface, name, *count);
        }
    }

    /// Whether it contains calls of an interface in `compilation`, or of an interface that is not known.
    #[must_use]
    pub fn concerns(&self, compilation: &Compilation) -> bool {
        let model = &compilation.model;
        let interfaces = model.definitions().filter(|it| model.interface(it.id).is_some());
        let ids: HashSet<&str> = interfaces.map(|it| it.repository_id.as_str()).collect();
        self.operations().any(|used| used.interface.is_none_or(|id| ids.contains(id)))
    }

    fn count(&mut self, interface: &str, name: &str, count: u64) {
        let known = self.counts.entry((interface.to_owned(), name.to_owned())).or_default();
        *known = known.saturating_add(count);
    }

    /// The operations of most calls: as few as make [`HOT_PERCENT`](Self::HOT_PERCENT) of all, and those with as many
    /// calls as the last of them. The most used is first.
    #[must_use]
    pub fn hot(&self) -> Vec<UsedOperation<'_>> {
        let mut all: Vec<UsedOperation<'_>> = self.operations().collect();
        all.sort_by_key(|used| std::cmp::Reverse(used.count));
        let total: u128 = all.iter().map(|used| u128::from(used.count)).sum();
        let (mut covered, mut last) = (0_u128, u64::MAX);
        all.retain(|used| {
            let is_hot =
                covered * 100 < total * u128::from(Self::HOT_PERCENT) || used.count == last;
            if is_hot {
                covered += u128::from(used.count);
                last = used.count;
            }
            is_hot
        });
        all
    }

    /// All operations, by interface and name.
    pub fn operations(&self) -> impl Iterator<Item = UsedOperation<'_>> {
        self.counts.iter().map(|((interface, name), &count)| UsedOperation {
            interface: (interface != UNKNOWN).then_some(interface.as_str()),
            name,
            count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Usage, UsageError};

    fn parse(lines: &str) -> Result<Usage, UsageError> {
        Usage::parse(format!("zorb-usage 1\n{lines}").as_bytes())
    }

    fn hot(lines: &str) -> Vec<String> {
        let usage = parse(lines).unwrap();
        usage.hot().iter().map(|used| format!("{} {}", used.name, used.count)).collect()
    }

    #[test]
    fn the_fewest_operations_with_most_calls_are_hot() {
        assert_eq!(hot("1 0 a x\n0 2 a y\n40 50 a z\n7 0 b z\n"), ["z 90"]);
        assert_eq!(hot("1 0 a x\n0 2 a y\n40 49 a z\n8 0 b w\n"), ["z 89", "w 8"]);
        assert_eq!(hot("0 0 a x\n"), Vec::<String>::new());
        assert_eq!(hot(""), Vec::<String>::new());
    }

    #[test]
    fn as_many_calls_are_as_hot() {
        let lines: String = (0..20).map(|number| format!("5 0 a op{number}\n")).collect();
        assert_eq!(hot(&lines).len(), 20);
    }

    #[test]
    fn counts_of_one_operation_are_added() {
        let mut usage = parse("# sampled\n\n1 2 a x\n3 4 a x\n5 0 - x\n").unwrap();
        usage.add(&parse("18446744073709551615 1 a x\n").unwrap());
        let all: Vec<_> = usage.operations().map(|used| (used.interface, used.count)).collect();
        assert_eq!(all, [(None, 5), (Some("a"), u64::MAX)]);
        // Nothing overflows.
        usage.add(&parse("18446744073709551615 18446744073709551615 b x\n").unwrap());
        assert_eq!(usage.hot().len(), 2);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, fault) in [
            ("", "line 1: the file does not begin with `zorb-usage 1`"),
            ("zorb-usage 2\n", "line 1: the file does not begin with `zorb-usage 1`"),
            (
                "zorb-usage 1\n\n1 2 a\n",
                "line 3: expected calls, requests, interface and operation",
            ),
            (
                "zorb-usage 1\n1 2 a x y\n",
                "line 2: expected calls, requests, interface and operation",
            ),
            ("zorb-usage 1\n1 -2 a x\n", "line 2: calls and requests must be numbers"),
        ] {
            assert_eq!(Usage::parse(text.as_bytes()).unwrap_err().to_string(), fault);
        }
        let fault = Usage::parse(b"zorb-usage 1\n\xff").unwrap_err();
        assert_eq!(fault.to_string(), "line 1: the file is not UTF-8");
        let fault = Usage::parse(&vec![b'\n'; Usage::MAX_OCTETS + 1]).unwrap_err();
        assert_eq!(fault.to_string(), "line 1: the file is larger than 4 MiB");
    }
}
