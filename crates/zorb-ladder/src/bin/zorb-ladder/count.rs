//! All engines with all types, between marks at which callgrind writes its counts.

use std::hint::black_box;

use clap::Args;
use serde::Serialize;
use zorb_ladder::{Engine, Form, Heap, Result, Workload, encode_dynamically};

use crate::text;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Octets of a sequence
    #[arg(long, default_value = "65536")]
    buffer: usize,
    /// Octets of all sequences of a type
    #[arg(long, default_value = "1048576")]
    total: usize,
}

/// What was done, in the order of the marks.
#[derive(Debug, Serialize)]
pub(crate) struct Counted {
    /// Whether the engines were compiled with optimizations.
    optimized: bool,
    phases: Vec<Phase>,
}

/// The work between two marks.
#[derive(Clone, Copy, Debug, Serialize)]
struct Phase {
    engine: &'static str,
    elements_of: &'static str,
    side: &'static str,
    /// Of a message.
    elements: usize,
    messages: usize,
    /// Whether it is one message, before which other code has filled the instruction cache.
    cold: bool,
}

/// Where callgrind writes its counts: it knows this name.
#[inline(never)]
fn mark_ladder(phase: &str) {
    black_box(phase);
}

pub(crate) fn run(arguments: &Arguments) -> Result<Counted, String> {
    let messages = (arguments.total / arguments.buffer.max(1)).max(1);
    let mut run = Run { messages, phases: Vec::new() };
    // Of nothing: what marks themselves cost.
    between_marks(1, &mut || Ok(())).map_err(text)?;
    for engine in Engine::ALL {
        for workload in Workload::ALL {
            let elements = (arguments.buffer / workload.size()).max(1);
            run.count(engine, workload, elements).map_err(text)?;
        }
    }
    Ok(Counted { optimized: !cfg!(debug_assertions), phases: run.phases })
}

struct Run {
    messages: usize,
    phases: Vec<Phase>,
}

impl Run {
    fn count(&mut self, engine: Engine, workload: Workload, elements: usize) -> Result<()> {
        let (mut heap, form) = (Heap::default(), Form::default());
        let memory = workload.value(elements, &mut heap)?;
        let (of, mut octets) = (workload.sequence()?, Vec::new());
        let messages = self.messages;
        let phase = |side| Phase {
            engine: engine.name(),
            elements_of: workload.name(),
            side,
            elements,
            messages,
            cold: false,
        };
        let [sender, receiver, dynamic] = ["sender", "receiver", "dynamic sender"].map(phase);
        self.measure(sender, &mut || {
            octets.clear();
            engine.encode(&of, black_box(&memory), &heap, form, &mut octets)
        })?;
        let message = octets.clone();
        self.measure(receiver, &mut || {
            let upcall = &mut |memory: &[u8], _: &mut Heap| {
                black_box(memory);
            };
            engine.serve(&of, black_box(&message), form, &mut heap, upcall)
        })?;
        if engine == Engine::Interp4 {
            // Where it can be seen that same-order messages do without what this needs.
            let form = Form { swap: true, ..form };
            let [sender, receiver] = ["swapping sender", "swapping receiver"].map(phase);
            let mut swapped = Vec::new();
            self.measure(sender, &mut || {
                swapped.clear();
                engine.encode(&of, black_box(&memory), &heap, form, &mut swapped)
            })?;
            self.measure(receiver, &mut || {
                engine.serve(&of, black_box(&swapped), form, &mut heap, &mut |memory, _| {
                    black_box(memory);
                })
            })?;
        }
        if engine == Engine::Interp0 {
            self.measure(dynamic, &mut || {
                octets.clear();
                encode_dynamically(&of, black_box(&memory), &mut heap, form, &mut octets)
            })?;
        }
        Ok(())
    }

    /// Messages one after the other, then one after other code.
    fn measure(&mut self, phase: Phase, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        // Until buffers have their sizes.
        work()?;
        between_marks(phase.messages, work)?;
        evict_code();
        between_marks(1, work)?;
        self.phases.extend([phase, Phase { messages: 1, cold: true, ..phase }]);
        Ok(())
    }
}

/// Does something so many times between two marks.
fn between_marks(times: usize, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    mark_ladder("begin");
    for _ in 0..times {
        work()?;
    }
    mark_ladder("end");
    Ok(())
}

macro_rules! eight_times {
    ($($code:tt)*) => {
        $($code)* $($code)* $($code)* $($code)* $($code)* $($code)* $($code)* $($code)*
    };
}

/// More instructions than a cache of 16 KiB has room for.
#[inline(never)]
fn evict_code() {
    let mut x = black_box(1_u64);
    eight_times! { eight_times! { eight_times! { eight_times! {
        x = black_box(x.rotate_left(7) ^ 0x5555);
    } } } }
    black_box(x);
}
