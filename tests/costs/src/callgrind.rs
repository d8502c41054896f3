//! Parses callgrind profiles: instructions, cache misses and calls by function.

/// The counts of one phase.
#[derive(Debug)]
pub struct Profile<'a> {
    text: &'a str,
}

impl<'a> Profile<'a> {
    /// The profile in a file's text, which names functions and objects in full
    /// (`--compress-strings=no`, `--compress-pos=no`).
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// The count of `event` in functions of the objects whose paths end in `object`; `Ir` is instructions. Objects are
    /// the program and its libraries; an empty string selects all.
    ///
    /// # Errors
    /// The text is not a profile, or does not contain the event.
    pub fn sum(&self, event: &str, object: &str) -> Result<u64, String> {
        // A line that begins with a digit is a cost: a line of the source and a count for each event, zeros at the end
        // left out. It belongs to the object of the last `ob=` line, unless the line before is `calls=`: then it is the
        // cost of a called function, which is counted there.
        let events = self.text.lines().find_map(|line| line.strip_prefix("events: "));
        let column = events.and_then(|names| names.split(' ').position(|name| name == event));
        let column = column.ok_or_else(|| format!("the profile has no {event}"))? + 1;
        let (mut wanted, mut called, mut sum) = (object.is_empty(), false, 0_u64);
        for line in self.text.lines() {
            if let Some(path) = line.strip_prefix("ob=") {
                wanted = path.ends_with(object);
            } else if line.starts_with("calls=") {
                called = true;
            } else if line.starts_with(|c: char| c.is_ascii_digit()) {
                if wanted && !called {
                    let count = line.split_whitespace().nth(column).unwrap_or("0");
                    sum += count.parse::<u64>().map_err(|_| format!("not a cost: {line}"))?;
                }
                called = false;
            }
        }
        Ok(sum)
    }

    /// How often the functions of these names were called.
    #[must_use]
    pub fn calls(&self, names: &[&str]) -> u64 {
        let mut wanted = false;
        let mut calls = 0;
        for line in self.text.lines() {
            if let Some(name) = line.strip_prefix("cfn=") {
                wanted = names.contains(&name);
            } else if let Some(counts) = line.strip_prefix("calls=").filter(|_| wanted) {
                let count = counts.split_whitespace().next();
                calls += count.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
            }
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# callgrind format
positions: line
events: Ir D1mr

ob=/lib/libc.so.6
fn=malloc
7 100 3

ob=/target/release/program
fn=main
1 5
2 6 1
cob=/lib/libc.so.6
cfn=malloc
calls=4 7
2 100 3
";

    #[test]
    fn costs_are_counted_where_they_arise() {
        let profile = Profile::new(TEXT);
        assert_eq!(profile.sum("Ir", "program"), Ok(11));
        assert_eq!(profile.sum("Ir", ""), Ok(111));
        assert_eq!(profile.sum("D1mr", ""), Ok(4));
        assert!(profile.sum("Bc", "").is_err());
        assert_eq!((profile.calls(&["malloc"]), profile.calls(&["free"])), (4, 0));
    }
}
