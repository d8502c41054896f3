//! Request demultiplexing: finding object and operation with several algorithms.
//!
//! Each algorithm runs in a process of its own, like a peer, and executes the harness's commands. Zorb's
//! algorithm is the code of the ORB: a POA creates the object keys, the code that serves requests finds
//! them, and the perfect hash of generated skeletons finds operations.

mod measure;
pub(crate) mod search;
mod tables;

use std::io::BufRead;

use crate::driver::{Answer, Command, Done, Find};
use crate::error::{Error, Result};
use crate::peer::process::say;

pub use search::{Layer, Search};
use tables::Tables;

/// Answers commands on standard input until it closes.
///
/// # Errors
/// The harness has ended.
pub fn answer_commands(search: Search) -> Result<u8> {
    say("ready")?;
    let mut tables_by_size = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let answer = match line?.parse() {
            Ok(Command::Find(find)) => answer(search, find, &mut tables_by_size),
            Ok(_) => Err(Error::new("this process only executes find")),
            Err(reason) => Err(Error::new(reason)),
        };
        let answer = answer.map_or_else(|error| Answer::Failed(error.to_string()), Answer::Done);
        say(&answer.to_string())?;
    }
    Ok(0)
}

/// Executes a command with the tables of that size, which are created once.
fn answer(search: Search, find: Find, tables_by_size: &mut Vec<(Find, Tables)>) -> Result<Done> {
    let fits = |known: &Find| (known.objects, known.operations) == (find.objects, find.operations);
    if let Some((_, tables)) = tables_by_size.iter().find(|(known, _)| fits(known)) {
        return tables.search(&find);
    }
    let tables = Tables::new(search, find.objects, find.operations)?;
    let done = tables.search(&find);
    tables_by_size.push((find, tables));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_finds_objects_and_operations() {
        for search in Search::ALL {
            for (objects, operations) in [(1, 1), (3, 50), (200, 500)] {
                let mut tables_by_size = Vec::new();
                for layer in Layer::ALL {
                    let find = Find { layer, objects, operations, calls: 130, batch: 65 };
                    match (search.has(layer), answer(search, find, &mut tables_by_size)) {
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
