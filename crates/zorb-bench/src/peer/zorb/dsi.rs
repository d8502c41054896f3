//! The servant whose calls have no skeleton: it gets requests by the dynamic skeleton interface.

use std::borrow::Cow;
use std::collections::HashMap;

use zorb::dynamic::{Dynamic as DynamicObject, DynamicServant, Mode, NamedValue, ServerRequest};
use zorb::poa::{ObjectId, Poa, PoaError};
use zorb::{Any, Interface, ObjectRef, SystemException, TypeCode};

use super::dynamic::Dynamic;
use super::tallies::Tallies;
use crate::error::Result;
use crate::peer::client::Tally;
use crate::stubs::bench::{BinStruct, Suite};

/// Answers `ping`, `sync`, and the echoes of sequences.
#[derive(Debug)]
struct Echo {
    tallies: Tallies,
    /// The types of the sequences, by the names of the operations.
    sequences: HashMap<&'static str, TypeCode>,
}

impl Echo {
    fn new() -> Result<Self> {
        let of = |element: Result<TypeCode>| {
            Ok::<_, crate::error::Error>(TypeCode::sequence(&element?, 0)?)
        };
        let sequences = HashMap::from([
            ("echo_octets", of(u8::dynamic_type_code())?),
            ("echo_longs", of(i32::dynamic_type_code())?),
            ("echo_doubles", of(f64::dynamic_type_code())?),
            ("echo_structs", of(BinStruct::dynamic_type_code())?),
        ]);
        Ok(Self { tallies: Tallies::default(), sequences })
    }
}

impl DynamicServant for Echo {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        Suite::REPOSITORY_ID.into()
    }

    fn invoke(
        &self,
        request: &mut ServerRequest<'_, '_>,
    ) -> std::result::Result<(), SystemException> {
        let operation = request.operation();
        if let Some(sequence) = self.sequences.get(operation) {
            let list = vec![NamedValue::typed("data", Mode::In, sequence.clone())];
            let taken = request.arguments(list)?.first_mut().and_then(|data| data.value.take());
            return taken.map_or(Ok(()), |value| request.set_result(value));
        }
        let is_sync = operation == "sync";
        if !is_sync && operation != "ping" {
            return Err(ServerRequest::unknown_operation());
        }
        request.arguments(Vec::new())?;
        if is_sync {
            let Tally { calls, elements, sum, cpu_ns } = self.tallies.take();
            let tally = crate::stubs::bench::Tally { calls, elements, sum, cpu_ns };
            request.set_result(Any::new::<crate::stubs::bench::Tally>(&tally)?)?;
        }
        Ok(())
    }
}

/// Activates the servant.
pub(super) fn activate(poa: &Poa) -> Result<ObjectRef> {
    let servant = Echo::new()?;
    let activated: std::result::Result<ObjectRef, PoaError> = poa.activate(DynamicObject(servant));
    Ok(activated?)
}
