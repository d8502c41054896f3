//! Servers, clients and bridges that get no memory for one block of a size that their peer determines, or for none from one on:
//! each block in turn. A block that code asks for without a check ends the process, and the test with it.

#![allow(clippy::unwrap_used)]

mod bridges;
mod clients;
mod datagrams;
mod exchanges;
mod layouts;
mod parts;
mod requests;
mod servers;

use zorb_os::alloc::Refusal;

/// Larger than what messages with short names and values need, and smaller than [`LONG`].
const LARGE: usize = 10_000;
/// The octets of long names and values.
const LONG: usize = 25_000;
/// The number of elements of long lists.
const MANY: usize = 10_000;
/// More large blocks than any message needs.
const MOST: u64 = 500;

/// Runs `exchange` without the first large block, then without the second, until there are no more; then without the
/// first and all others, and so on. Each has what `prepare` returns, which gets all blocks. Returns the number of runs.
fn without_each_block<T>(
    name: &str,
    mut prepare: impl FnMut() -> T,
    mut exchange: impl FnMut(T, &str),
) -> u64 {
    let mut runs = 0;
    for count in [1, u64::MAX] {
        for after in 0.. {
            let text = format!("{name}, {count} blocks after {after}");
            let prepared = prepare();
            Refusal { above: LARGE, after, count }.begin();
            exchange(prepared, &text);
            if Refusal::end() <= after {
                break;
            }
            assert!(after < MOST, "{text}");
            runs += 1;
        }
    }
    runs
}
