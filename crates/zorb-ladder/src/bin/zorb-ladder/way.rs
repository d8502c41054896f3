//! What fills messages: an engine, or bare sockets.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use zorb_ladder::{Engine, Workload};

/// An engine, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// The sender's memory as it is.
    Raw,
    By(Engine),
}

impl ValueEnum for Way {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Way; 1 + Engine::ALL.len()] = {
            let mut all = [Way::Raw; 1 + Engine::ALL.len()];
            let mut index = 0;
            while index < Engine::ALL.len() {
                all[index + 1] = Way::By(Engine::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Raw => "raw",
            Self::By(engine) => engine.name(),
        }))
    }
}

/// The type of a sequence's elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements(pub(crate) Workload);

impl ValueEnum for Elements {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Elements; Workload::ALL.len()] = {
            let mut all = [Elements(Workload::Short); Workload::ALL.len()];
            let mut index = 0;
            while index < Workload::ALL.len() {
                all[index] = Elements(Workload::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}
