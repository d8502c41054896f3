//! Request demultiplexing: finding object and operation with several algorithms.
//!
//! Each algorithm runs in a process of its own, like a peer, and executes the harness's commands. Zorb's
//! algorithm is the code of the ORB: a POA creates the object keys, the code that serves requests finds
//! them, and the perfect hash of generated skeletons finds operations.

mod measure;
pub(crate) mod search;
mod tables;

use std::io::BufRead;

use crate::driver::{Answer, Command};
use crate::error::{Error, Result};
use crate::peer::process::print_line;

pub use search::{Layer, Search};

/// Answers commands on standard input until it closes.
///
/// # Errors
/// The harness has ended.
pub fn answer_commands(search: Search) -> Result<u8> {
    print_line("ready")?;
    for line in std::io::stdin().lock().lines() {
        let answer = match line?.parse() {
            Ok(Command::Find(find)) => tables::find(search, &find),
            Ok(_) => Err(Error::new("this process only executes find")),
            Err(reason) => Err(Error::new(reason)),
        };
        let answer = answer.map_or_else(|error| Answer::Failed(error.to_string()), Answer::Done);
        print_line(&answer.to_string())?;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Find;

    #[test]
    fn every_algorithm_finds_objects_and_operations() {
        for search in Search::ALL {
            for (objects, operations) in [(1, 1), (3, 50), (200, 500)] {
                for layer in Layer::ALL {
                    let find = Find { layer, objects, operations, calls: 130, batch: 65 };
                    match (search.has(layer), tables::find(search, &find)) {
                        (true, Ok(done)) => {
                            assert_eq!((done.calls, done.histogram.total()), (130, 2));
                        }
                        (true, Err(error)) => panic!("{search:?} {find:?}: {error}"),
                        (false, outcome) => assert!(outcome.is_err(), "{search:?} {find:?}"),
                    }
                }
            }
        }
    }
}
