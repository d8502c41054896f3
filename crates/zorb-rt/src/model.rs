//! The interceptors that apply the policy [`PriorityModel`] to calls and upcalls.

use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::setting::{Settings, ThreadPriority, not_mapped, thread_priority};
use super::{InvocationPriority, Priority, PriorityModel, context};

/// Adds the interceptors to `orb`.
pub(crate) fn add_interceptors(orb: &Orb, settings: &Arc<Settings>) {
    let name = "RTCORBA::PriorityModelPolicy";
    orb.policy_manager().register_policy::<PriorityModel>();
    let of_client = Arc::clone(settings);
    orb.add_client_request_interceptor(name, move |policies| {
        let model: &PriorityModel = policies.value()?;
        // The ORB itself handles priorities that servers declare.
        let default = model.is_client_propagated().then_some(model.server_priority())?;
        Some(Arc::new(Propagation { settings: Arc::clone(&of_client), default }))
    });
    let of_server = Arc::clone(settings);
    orb.add_server_request_interceptor(name, move |policies| {
        let model = *policies.value()?;
        Some(Arc::new(UpcallPriority { model, settings: Arc::clone(&of_server) }))
    });
}

/// Sets the priority of the thread for upcalls.
#[derive(Debug)]
struct UpcallPriority {
    model: PriorityModel,
    settings: Arc<Settings>,
}

impl UpcallPriority {
    /// The priority at which the upcall runs.
    #[inline(always)] // 2 % of the instructions of a request in a lane
    fn priority(&self, info: &ServerRequestInfo<'_>) -> Result<Priority, Unusable> {
        if !self.model.is_client_propagated() {
            return Ok(self.model.server_priority());
        }
        let received = match info.request_service_context(ServiceId::RT_CORBA_PRIORITY) {
            Some(data) => context::decode(data).ok_or(Unusable::OutOfRange)?,
            // The lane implies the priority if the protocol has no service contexts.
            None => match info.lane_priority().and_then(|lane| Priority::new(lane).ok()) {
                Some(lane) => lane,
                None => return Ok(self.model.server_priority()),
            },
        };
        let received = received.min(self.settings.max_client_priority);
        match &self.settings.transform {
            None => Ok(received),
            Some(transform) => {
                transform.inbound(received, info.object_id()).ok_or(Unusable::NotMapped)
            }
        }
    }
}

/// The reason why the priority of a request cannot be used.
#[derive(Clone, Copy, Debug)]
enum Unusable {
    OutOfRange,
    NotMapped,
}

impl From<Unusable> for SystemException {
    #[cold]
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::OutOfRange => {
                Self::bad_param(minor::bad_param::PRIORITY_OUT_OF_RANGE, CompletionStatus::No)
            }
            Unusable::NotMapped => not_mapped(),
        }
    }
}

impl ServerRequestInterceptor for UpcallPriority {
    /// A request with an invalid priority is queued without one; its upcall fails.
    fn queue_priority(&self, info: &ServerRequestInfo<'_>) -> Option<i16> {
        self.priority(info).ok().map(Priority::value)
    }

    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let priority = self.priority(info)?;
        let restore = Restore { settings: &self.settings, before: thread_priority() };
        if !restore.before.is_at(priority) {
            self.settings.set_priority(priority)?;
        }
        info.proceed()
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }
}

/// Restores the priority of the thread when dropped, also after a panic.
struct Restore<'s> {
    settings: &'s Settings,
    before: ThreadPriority,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.settings.restore_priority(self.before);
    }
}

/// Sends the priority of the calling thread with requests.
#[derive(Debug)]
struct Propagation {
    settings: Arc<Settings>,
    /// The priority of calls from threads without one.
    default: Priority,
}

impl Propagation {
    /// The priority that a request of the calling thread carries; `None` if the thread has none.
    fn outbound(&self, info: &ClientRequestInfo<'_>) -> Result<Option<Priority>, SystemException> {
        let own = InvocationPriority::of(info).or_else(|| thread_priority().priority());
        let Some(own) = own else { return Ok(None) };
        match &self.settings.transform {
            Some(transform) => transform.outbound(own).ok_or_else(not_mapped).map(Some),
            None => Ok(Some(own)),
        }
    }
}

impl ClientRequestInterceptor for Propagation {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let sent = self.outbound(info)?;
        if let Some(priority) = sent {
            // An endpoint of a lane with this priority implies it.
            info.require_contexts(Some(priority.value()));
            let data = context::encode(priority, ByteOrder::NATIVE);
            info.add_request_service_context(ServiceId::RT_CORBA_PRIORITY, &data, false)?;
        }
        let priority = sent.unwrap_or(self.default).value();
        info.set_priority(priority);
        info.restrict_endpoints(priority..=priority);
        Ok(())
    }

    fn select_endpoint(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.send_request(info)
    }

    fn intercepts_collocated_calls(&self) -> bool {
        false
    }
}
