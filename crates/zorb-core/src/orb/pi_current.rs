//! The initial reference `PICurrent`.

use std::sync::Arc;

use zorb_base::error::Error;
use zorb_base::interceptor::{
    InvalidSlot, ServerRequestInfo, ServerRequestInterceptor, SlotId, invalid_call, serve_with,
    thread_slots,
};
use zorb_base::orb_core::OrbCore;
use zorb_types::{Any, SystemException};

use super::handle::Orb;

/// The slots of the calling thread: `PortableInterceptor::Current` (CORBA 3.3 part 1, 16.4.4), the initial reference
/// `PICurrent`. With them, interceptors, servants and callers pass values to each other.
///
/// Outside of upcalls the slots belong to the thread. An upcall has the slots of its request: those that interceptors
/// of the server [set](crate::interceptor::ServerRequestInfo::set_slot); they are empty at first, and gone with the
/// request. Interceptors of a client [see](crate::interceptor::ClientRequestInfo::slot) the slots of the calling thread.
#[derive(Clone, Debug)]
#[doc(alias = "PICurrent")]
pub struct PiCurrent {
    orb: Arc<OrbCore>,
}

impl PiCurrent {
    /// The value of a slot (`get_slot`); `None` if it has not been set.
    ///
    /// # Errors
    /// [`InvalidSlot`]: the ORB has not [allocated](Orb::allocate_slot) it.
    #[doc(alias = "get_slot")]
    pub fn slot(&self, slot: SlotId) -> Result<Option<Any>, InvalidSlot> {
        self.check(slot).map(|()| thread_slots().value(slot))
    }

    /// Sets the value of a slot (`set_slot`); `None` empties it.
    ///
    /// # Errors
    /// [`InvalidSlot`]: the ORB has not [allocated](Orb::allocate_slot) it.
    pub fn set_slot(&self, slot: SlotId, value: Option<Any>) -> Result<(), InvalidSlot> {
        self.check(slot).map(|()| thread_slots().set(slot, value))
    }

    fn check(&self, slot: SlotId) -> Result<(), InvalidSlot> {
        let is_known = self.orb.extensions().slots.contains(&slot);
        is_known.then_some(()).ok_or(InvalidSlot)
    }
}

/// Gives upcalls the slots of their requests.
#[derive(Debug)]
struct RequestSlots;

impl ServerRequestInterceptor for RequestSlots {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        match info.slots() {
            Some(slots) => serve_with(slots, || info.proceed()),
            None => info.proceed(),
        }
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }
}

impl Orb {
    /// The slots of the calling thread for this ORB (the initial reference `PICurrent`).
    pub fn pi_current(&self) -> PiCurrent {
        PiCurrent { orb: Arc::clone(&self.inner.core) }
    }

    /// Allocates a slot of [`PiCurrent`] (`ORBInitInfo::allocate_slot_id`), before the root adapter is created. From the
    /// first one on, all requests to the ORB's objects have slots, for which they are intercepted; an ORB without slots
    /// does not pay for them.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 14) if the root adapter exists.
    #[doc(alias = "allocate_slot_id")]
    pub fn allocate_slot(&self) -> Result<SlotId, Error> {
        if self.inner.root.get().is_some() {
            return Err(invalid_call().into());
        }
        let slot = SlotId::unique();
        self.core().extend(|known| known.slots.push(slot));
        self.add_server_request_interceptor("zorb::PICurrent", |_| Some(Arc::new(RequestSlots)));
        Ok(slot)
    }
}
