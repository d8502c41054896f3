//! Compares the small ORB with bare sockets.

use crate::driver::{Command, Done};
use crate::error::Result;
use crate::experiment::runner::Work;
use crate::harness::{Blocks, Pair, Watch, interleaved};
use crate::report::Claim;
use crate::statistics::Interval;

/// The peer.
const SMALL: &str = "nano";
/// The peer that it is compared with.
const RAW: &str = "raw";
/// Maximum time of a void call, in that of an exchange over bare sockets.
const MOST: f64 = 1.02;
/// How often each of both is measured, forward and backward. The processors' wake-ups take most of a call, and how long they
/// take differs from block to block by more than the limit: only many short blocks decide.
const ROUNDS: usize = 150;
/// Into how many of these blocks the calls of a usual one are divided.
const DIVISOR: u32 = 8;

/// Measures void calls of both alone, in many short blocks that follow each other. `None` if one of both does not take part.
pub(super) fn measure(
    pairs: &mut Vec<Pair>,
    work: &Work,
    quick: bool,
    watch: &mut dyn Watch,
) -> Result<Option<Claim>> {
    let both = [RAW, SMALL].map(|name| pairs.iter().position(|pair| pair.name == name));
    let ([Some(_), Some(_)], Command::Run(command)) = (both, work.command) else {
        return Ok(None);
    };
    let of_both = |pair: &Pair| [RAW, SMALL].contains(&pair.name.as_str());
    let (mut both, others): (Vec<_>, Vec<_>) = pairs.drain(..).partition(of_both);
    *pairs = others;
    let mut command = command;
    command.calls = (command.calls / DIVISOR).max(1);
    let rounds = if quick { 1 } else { ROUNDS };
    watch.begin(both.len() * rounds * 2);
    let blocks = interleaved(&mut both, &Command::Run(command), rounds, watch);
    let names: Vec<String> = both.iter().map(|pair| pair.name.clone()).collect();
    pairs.append(&mut both);
    let blocks = blocks?;
    let peers: Vec<_> = names.iter().map(String::as_str).zip(&blocks).collect();
    Ok(claim(&peers, quick))
}

/// The claim about the median time of a void call, by adjacent blocks of the peers; `None` if one of both has none.
fn claim(peers: &[(&str, &Blocks)], quick: bool) -> Option<Claim> {
    let of = |name: &str| {
        let (_, blocks) = peers.iter().find(|(peer, _)| *peer == name)?;
        blocks.as_deref().filter(|blocks| !blocks.is_empty())
    };
    let p50 = |block: &Done| block.histogram.quantile(0.5).max(1.0);
    let ratios = std::iter::zip(of(SMALL)?, of(RAW)?).map(|(small, raw)| p50(small) / p50(raw));
    let what = "median void call over the small ORB, in exchanges over bare sockets";
    Some(Claim::at_most(what, MOST, Interval::of(ratios)).unclear_if(quick))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;

    fn blocks(micros: u64) -> Blocks {
        let mut histogram = Histogram::default();
        histogram.record(micros * 1000);
        Some(vec![Done { calls: 1, histogram, ..Done::default() }; 20])
    }

    #[test]
    fn a_void_call_takes_hardly_longer_than_an_exchange() {
        let (raw, same, longer) = (blocks(100), blocks(101), blocks(110));
        let found =
            |small, quick| claim(&[("raw", &raw), ("zorb", &longer), ("nano", small)], quick);
        assert!(found(&same, false).unwrap().holds);
        let fails = |quick| found(&longer, quick).unwrap().fails();
        assert_eq!([fails(false), fails(true)], [true, false]);
        assert_eq!(claim(&[("raw", &raw), ("zorb", &longer)], false), None);
        assert_eq!(found(&None, false), None, "it does not support the operation");
    }
}
