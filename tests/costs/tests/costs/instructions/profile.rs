//! What callgrind writes.

/// The instructions in functions of the program, by themselves.
///
/// A line that begins with a digit is a cost: a position in the source and a count. It belongs to
/// the object of the last `ob=` line, unless the line before is `calls=`: then it tells what a
/// called function took, which is counted there.
pub(super) fn own_instructions(text: &str, program: &str) -> Result<u64, String> {
    let mut own = false;
    let mut called = false;
    let mut sum = 0_u64;
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            own = object.ends_with(program);
        } else if line.starts_with("calls=") {
            called = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            if own && !called {
                let count = line.split_whitespace().nth(1);
                let count = count.and_then(|count| count.parse::<u64>().ok());
                sum += count.ok_or_else(|| format!("not a cost: {line}"))?;
            }
            called = false;
        }
    }
    if sum == 0 { Err(format!("callgrind saw nothing of {program}")) } else { Ok(sum) }
}
