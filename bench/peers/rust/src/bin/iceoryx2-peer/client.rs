//! The client.

use std::hint::spin_loop;

use iceoryx2::port::client::Client;
use iceoryx2::prelude::*;
use rust_peers::{BinStruct, Refusal};

use crate::{Element, Sums};

/// The first length of requests; they grow.
const LENGTH: usize = 4096;

pub(crate) struct Iceoryx2 {
    client: Client<ipc::Service, [Element], (), i64, ()>,
}

impl Iceoryx2 {
    pub(crate) fn new(sums: &Sums) -> Result<Self, Refusal> {
        let client = sums
            .client_builder()
            .initial_max_slice_len(LENGTH)
            .allocation_strategy(AllocationStrategy::PowerOfTwo)
            .create()?;
        Ok(Self { client })
    }
}

impl rust_peers::Client for Iceoryx2 {
    fn ping(&mut self) -> Result<(), Refusal> {
        self.view_structs(&[]).map(drop)
    }

    fn ping_ahead(&mut self, _count: u32) -> Result<(), Refusal> {
        Err(Refusal::Unsupported("it waits for each response".to_owned()))
    }

    fn view_structs(&mut self, structs: &[BinStruct]) -> Result<i64, Refusal> {
        let request = self.client.loan_slice_uninit(structs.len())?;
        let mut left = structs.iter();
        let request = request.write_from_fn(|_| left.next().map_or(ZERO, Element::from));
        let pending = request.send()?;
        loop {
            match pending.receive()? {
                Some(sum) => return Ok(*sum),
                None => spin_loop(),
            }
        }
    }
}

const ZERO: Element = Element { s: 0, c: 0, l: 0, o: 0, d: 0.0 };
