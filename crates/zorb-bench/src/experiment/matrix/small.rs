//! Compares the small ORB with bare sockets.

use crate::driver::Done;
use crate::harness::Blocks;
use crate::report::Claim;
use crate::statistics::Interval;

/// The peer.
const SMALL: &str = "nano";
/// The peer that it is compared with.
const RAW: &str = "raw";
/// Maximum time of a void call, in that of an exchange over bare sockets.
const MOST: f64 = 1.02;

/// The claim about the median time of a void call, by adjacent blocks of the peers; `None` if one of both has none.
pub(super) fn claim(peers: &[(&str, &Blocks)], quick: bool) -> Option<Claim> {
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
