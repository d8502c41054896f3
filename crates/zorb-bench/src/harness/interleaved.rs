//! Runs commands on peers, interleaved.

use super::{Pair, Watch};
use crate::driver::{Answer, Command, Done, Find, Flood, Run};
use crate::error::{Error, Result};

/// Peers whose programs are compiled at run time.
const COMPILED_LATE: [&str; 1] = ["jacorb"];
/// Warm-up blocks of these peers, for each workload.
const COMPILING_BLOCKS: usize = 10;

/// The blocks of one peer in the order of measurement; `None` if it does not support the command.
pub type Blocks = Option<Vec<Done>>;

/// The order of peers in one round: A B B A. A drift in one direction, for example of the processor's
/// clock, affects all peers equally.
pub fn order(peers: usize) -> impl Iterator<Item = usize> {
    alternating(peers, 2)
}

/// The order of blocks in several rounds: alternately forward and backward.
pub(crate) fn alternating(count: usize, rounds: usize) -> impl Iterator<Item = usize> {
    let block = move |round: usize, number| match round.is_multiple_of(2) {
        true => number,
        false => count - 1 - number,
    };
    (0..rounds).flat_map(move |round| (0..count).map(move |number| block(round, number)))
}

/// Runs a command on every pair, `rounds` times in the [`order`], and returns the answers.
///
/// # Errors
/// A peer fails or gives a wrong answer, or the measurement was stopped.
pub fn interleaved(
    pairs: &mut [Pair],
    command: &Command,
    rounds: usize,
    watch: &mut dyn Watch,
) -> Result<Vec<Blocks>> {
    interleaved_after(pairs, command, rounds, watch, &mut |_| {})
}

/// Like [`interleaved`], and calls `before` with the pair's index before each block.
///
/// # Errors
/// As [`interleaved`].
pub(crate) fn interleaved_after(
    pairs: &mut [Pair],
    command: &Command,
    rounds: usize,
    watch: &mut dyn Watch,
    before: &mut dyn FnMut(usize),
) -> Result<Vec<Blocks>> {
    let what = describe(command);
    let mut blocks: Vec<Blocks> = Vec::new();
    for pair in &mut *pairs {
        stop_if_asked(watch)?;
        match warm_up(pair, command)? {
            Ok(()) => blocks.push(Some(Vec::new())),
            Err(reason) => {
                watch.note(&format!("{} skips {what}: {reason}", pair.name));
                blocks.push(None);
            }
        }
    }
    for _ in 0..rounds {
        for index in order(pairs.len()) {
            let (Some(pair), Some(blocks)) = (pairs.get_mut(index), blocks.get_mut(index)) else {
                continue;
            };
            if let Some(blocks) = blocks {
                stop_if_asked(watch)?;
                before(index);
                let answer = ask(pair, command)?;
                blocks.push(answer.map_err(|reason| Error::new(reason).during(&pair.name))?);
            }
            watch.block(&what);
        }
    }
    Ok(blocks)
}

/// The answer; an inner error if the peer does not support the command.
fn ask(pair: &mut Pair, command: &Command) -> Result<Result<Done, String>> {
    let answer = pair.ask(command).and_then(|answer| match answer {
        Answer::Done(done) => Ok(Ok(done)),
        Answer::Unsupported(reason) => Ok(Err(reason)),
        Answer::Failed(reason) => Err(Error::new(reason)),
    });
    answer.map_err(|error| error.during(describe(command)).during(&pair.name))
}

fn stop_if_asked(watch: &mut dyn Watch) -> Result<()> {
    if watch.wants_to_stop() { Err(Error::Stopped) } else { Ok(()) }
}

fn describe(command: &Command) -> String {
    match command {
        Command::Find(Find { layer, objects, operations, .. }) => {
            format!("{layer} {objects} {operations}")
        }
        Command::Run(Run { operation, payload, .. })
        | Command::Flood(Flood { operation, payload, .. }) => match payload {
            0 => operation.to_string(),
            payload => format!("{operation} {payload}"),
        },
    }
}

/// Runs blocks that are not measured.
fn warm_up(pair: &mut Pair, command: &Command) -> Result<Result<(), String>> {
    let command = match *command {
        Command::Run(_) | Command::Find(_) => *command,
        Command::Flood(flood) => Command::Flood(Flood { calls: (flood.calls / 8).max(1), ..flood }),
    };
    let blocks = if COMPILED_LATE.contains(&pair.name.as_str()) { COMPILING_BLOCKS } else { 1 };
    for _ in 0..blocks {
        if let Err(reason) = ask(pair, &command)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_a_b_b_a() {
        assert_eq!(order(2).collect::<Vec<_>>(), [0, 1, 1, 0]);
        assert_eq!(order(3).collect::<Vec<_>>(), [0, 1, 2, 2, 1, 0]);
    }
}
