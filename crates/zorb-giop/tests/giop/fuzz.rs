//! Checks the properties that fuzzing checks over mutations of captured octets: a short, deterministic run.

use zorb_testkit::giop;

use crate::support::{hex, messages, references, streams};

/// A small pseudo-random generator (xorshift64*), so that all runs are the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() % bound.max(1)
    }

    fn mutate(&mut self, octets: &mut Vec<u8>) {
        const INTERESTING: [u8; 8] = [0, 1, 2, 3, 0x7f, 0x80, 0xfe, 0xff];
        for _ in 0..1 + self.below(4) {
            if octets.is_empty() {
                octets.push(self.next() as u8);
            }
            let at = self.below(octets.len());
            match self.below(7) {
                0 => octets[at] ^= 1 << self.below(8),
                1 => octets[at] = INTERESTING[self.below(8)],
                2 => octets[at] = self.next() as u8,
                3 => octets.truncate(at),
                4 => octets.insert(at, self.next() as u8),
                5 => {
                    octets.remove(at);
                }
                _ => {
                    // A huge length, at an offset where lengths usually are.
                    let at = at & !3;
                    let value = INTERESTING[self.below(8)];
                    octets.iter_mut().skip(at).take(4).for_each(|octet| *octet = value);
                }
            }
        }
    }
}

fn run(seed: u64, corpus: &[Vec<u8>], rounds: usize, target: impl Fn(&[u8])) {
    let mut random = Random(seed);
    corpus.iter().for_each(|octets| target(octets));
    for _ in 0..rounds {
        let mut octets = corpus[random.below(corpus.len())].clone();
        random.mutate(&mut octets);
        target(&octets);
    }
}

fn captured_messages() -> Vec<Vec<u8>> {
    messages().iter().map(|block| block.octets("octets")).collect()
}

#[test]
fn messages_survive_mutation() {
    run(1, &captured_messages(), 6000, giop::message);
}

#[test]
fn streams_survive_mutation() {
    let mut corpus: Vec<Vec<u8>> = streams()
        .iter()
        .map(|block| [vec![0], block.all("octets").flat_map(hex).collect()].concat())
        .collect();
    corpus.push([vec![1], captured_messages().concat()].concat());
    run(2, &corpus, 2500, giop::inbound);
}

#[test]
fn splitting_survives_mutation() {
    for max in [0, 40, 100] {
        run(3, &captured_messages(), 500, |octets| giop::split_and_join(octets, max));
    }
}

#[test]
fn references_survive_mutation() {
    let mut corpus = Vec::new();
    for block in references() {
        let ior = zorb_giop::Ior::from_stringified(block.text("text")).expect("a reference");
        corpus.extend(ior.profiles.iter().map(|profile| profile.data.clone()));
        corpus.extend(block.all("component").filter_map(|line| Some(hex(line.split_once(' ')?.1))));
        corpus.push(ior.to_encapsulation(block.order()).expect("writable"));
    }
    run(4, &corpus, 6000, giop::reference);
}

#[test]
fn urls_survive_mutation() {
    let corpus: Vec<Vec<u8>> = [
        "corbaloc:iiop:1.2@host:2809,ssliop:[::1]:1/Name%20Service",
        "corbaloc:rir:/NameService",
        "corbaloc:uiop:1.2@/tmp/x|key",
        "corbaname::host:1/K#a%20b/c.d",
        "corbaname:rir:#x",
        "file:///tmp/x%20y",
        "IOR:00000000000000010000000000000000",
        "[::1]:2809",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    run(5, &corpus, 20_000, |octets| giop::url(&String::from_utf8_lossy(octets)));
}
