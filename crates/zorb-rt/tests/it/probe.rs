//! An object to call.

use zorb_core::{ObjectRef, Result, codegen};

/// `interface Probe { short answer(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Probe(pub(crate) ObjectRef);

codegen::interface!(Probe(ObjectRef), "IDL:zorb.test/Probe:1.0", "Probe", []);

impl Probe {
    pub(crate) fn answer(&self) -> Result<i16> {
        codegen::invoke!(self, answer, [], [i16])
    }
}

pub(crate) trait ProbeServant: Send + Sync + 'static {
    fn answer(&self) -> Result<i16>;
}

codegen::skeleton!(Probe, ProbeServant, {
    0 "answer" answer() [result: i16],
});

/// Logs its calls.
pub(crate) struct Fixed;

impl ProbeServant for Fixed {
    fn answer(&self) -> Result<i16> {
        tracing::warn!("called");
        Ok(42)
    }
}
