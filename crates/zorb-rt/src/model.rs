//! At which priority upcalls run.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_core::poa::ObjectId;
use zorb_core::policy::{
    AroundUpcall, CallPriority, Levels, Policies, PolicyType, RequestContext, RestingPriorities,
    ShortContext, TypedPolicy,
};
use zorb_core::{ObjectRef, ServerCall};
use zorb_giop::ServiceId;
use zorb_os::lock::Lock;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::setting::{Settings, given, not_mapped};
use super::{InvocationPriority, Priority, context};

/// The policy of an object adapter that says at which priority its upcalls run
/// (`RTCORBA::PriorityModelPolicy`). It stands in the adapter's references.
///
/// Made by [`RtOrb::client_propagated`](super::RtOrb::client_propagated) and
/// [`RtOrb::server_declared`](super::RtOrb::server_declared).
#[derive(Clone, Debug)]
pub struct PriorityModel {
    client_propagated: bool,
    server_priority: Priority,
    /// `None` as long as it has only been read.
    settings: Option<Arc<Settings>>,
}

const CLIENT_PROPAGATED: u32 = 0;
const SERVER_DECLARED: u32 = 1;

impl PriorityModel {
    pub(crate) fn new(
        client_propagated: bool,
        server_priority: Priority,
        settings: &Arc<Settings>,
    ) -> Self {
        Self { client_propagated, server_priority, settings: Some(Arc::clone(settings)) }
    }

    /// Whether upcalls run at the calling client's priority (`CLIENT_PROPAGATED`), and not at the one
    /// that the server declares (`SERVER_DECLARED`).
    pub fn is_client_propagated(&self) -> bool {
        self.client_propagated
    }

    /// The priority that the server declares; where the client's is propagated, that of upcalls for
    /// clients that send none.
    pub fn server_priority(&self) -> Priority {
        self.server_priority
    }

    /// The same policy, working with `settings`.
    pub(crate) fn with_settings(mut self, settings: &Arc<Settings>) -> Self {
        self.settings = Some(Arc::clone(settings));
        self
    }
}

impl PartialEq for PriorityModel {
    fn eq(&self, other: &Self) -> bool {
        self.client_propagated == other.client_propagated
            && self.server_priority == other.server_priority
    }
}

impl TypedPolicy for PriorityModel {
    const POLICY_TYPE: PolicyType = PolicyType::PRIORITY_MODEL;
    const LEVELS: Levels = Levels::SERVER;
    const EXPOSED: bool = true;

    fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u32(if self.client_propagated { CLIENT_PROPAGATED } else { SERVER_DECLARED });
        writer.write_i16(self.server_priority.value());
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let client_propagated = match reader.read_u32()? {
            CLIENT_PROPAGATED => true,
            SERVER_DECLARED => false,
            _ => return Err(reader.error(CdrErrorKind::BadEnum, "PriorityModel")),
        };
        let server_priority = Priority::new(reader.read_i16()?)
            .map_err(|_| reader.error(CdrErrorKind::BoundExceeded, "Priority"))?;
        Ok(Self { client_propagated, server_priority, settings: None })
    }

    fn around_upcalls(&self) -> Option<Arc<dyn AroundUpcall>> {
        let settings = Arc::clone(self.settings.as_ref()?);
        Some(Arc::new(AtPriority { model: self.clone(), settings, promised: Lock::default() }))
    }

    fn request_context(&self) -> Option<Arc<dyn RequestContext>> {
        let settings = self.settings.as_ref().filter(|_| self.client_propagated)?;
        let settings = Arc::clone(settings);
        Some(Arc::new(Propagated { settings, otherwise: self.server_priority }))
    }

    fn call_priority(&self) -> Option<Arc<dyn CallPriority>> {
        let settings = self.settings.as_ref()?;
        if self.client_propagated {
            let settings = Arc::clone(settings);
            return Some(Arc::new(Propagated { settings, otherwise: self.server_priority }));
        }
        Some(Arc::new(Declared(self.server_priority)))
    }

    fn serves_in(&self, priority: i16) -> bool {
        self.client_propagated || priority == self.server_priority.value()
    }

    fn needs_lane(&self) -> Option<i16> {
        Some(self.server_priority.value())
    }
}

/// Has upcalls run at their priority.
#[derive(Debug)]
struct AtPriority {
    model: PriorityModel,
    settings: Arc<Settings>,
    /// The priorities that references say of objects which are to come.
    promised: Lock<HashMap<ObjectId, Priority>>,
}

impl AtPriority {
    /// The priority that the upcall of `call` is to run at.
    fn wanted(&self, call: &ServerCall<'_>) -> Result<Priority, SystemException> {
        if !self.model.client_propagated {
            return Ok(self.model.server_priority);
        }
        let arrived = match call.service_context(ServiceId::RT_CORBA_PRIORITY) {
            // By which lane a request goes says it as well, where its protocol has no service contexts.
            None => match call.lane().map(Priority::new) {
                Some(Ok(lane)) => lane,
                _ => return Ok(self.model.server_priority),
            },
            Some(data) => context::decode(data).ok_or_else(|| {
                SystemException::bad_param(
                    minor::bad_param::PRIORITY_OUT_OF_RANGE,
                    CompletionStatus::No,
                )
            })?,
        };
        match call.object_id() {
            Some(id) => self.inbound(arrived, id).ok_or_else(not_mapped),
            None => Ok(arrived.min(self.settings.most)),
        }
    }

    /// The priority that an upcall runs at for one that arrived.
    fn inbound(&self, arrived: Priority, id: &ObjectId) -> Option<Priority> {
        let arrived = arrived.min(self.settings.most);
        match &self.settings.transform {
            Some(transform) => transform.inbound(arrived, id),
            None => Some(arrived),
        }
    }
}

impl AroundUpcall for AtPriority {
    fn upcall(
        &self,
        call: &mut ServerCall<'_>,
        run: &mut dyn FnMut(&mut ServerCall<'_>) -> zorb_core::Served,
    ) -> zorb_core::Served {
        let wanted = self.wanted(call)?;
        if let Some(high) = call.told_band() {
            self.settings.rest(high);
        }
        let back = Back { settings: &self.settings, before: given() };
        if !back.before.is_at(wanted) {
            self.settings.give(wanted)?;
        }
        let served = run(call);
        drop(back);
        served
    }

    /// An object has the priority that its reference was made with, for as long as its adapter is there.
    fn own_policies(
        &self,
        id: &ObjectId,
        given: &Policies,
        for_reference: bool,
    ) -> Result<Option<Policies>, SystemException> {
        let said = given.value::<PriorityModel>().map(PriorityModel::server_priority);
        let mut promised = self.promised.lock();
        match (promised.get(id).copied(), said) {
            (Some(promised), Some(said)) if promised != said => Err(other_priority()),
            (Some(promised), None) => {
                let model = PriorityModel::new(false, promised, &self.settings);
                Ok(Some(Policies::new().with(model)))
            }
            (None, Some(said)) if for_reference => {
                promised.insert(id.clone(), said);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// That of a request whose priority means nothing is unknown: its upcall is not made.
    fn urgency(&self, id: &ObjectId, told: Option<i16>) -> Option<i16> {
        let wanted = match told {
            Some(told) if self.model.client_propagated => {
                self.inbound(Priority::new(told).ok()?, id)?
            }
            _ => self.model.server_priority,
        };
        Some(wanted.value())
    }
}

/// The exception for an object of which a reference says otherwise.
#[cold]
fn other_priority() -> SystemException {
    SystemException::bad_inv_order(minor::bad_inv_order::OTHER_PRIORITY, CompletionStatus::No)
}

/// Gives the thread its priority back, also when the servant panics.
struct Back<'s> {
    settings: &'s Settings,
    before: super::setting::Given,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.settings.give_back(self.before);
    }
}

/// Sends the calling thread's priority with requests.
#[derive(Debug)]
struct Propagated {
    settings: Arc<Settings>,
    /// The priority of clients that send none.
    otherwise: Priority,
}

impl Propagated {
    /// The priority that requests of the calling thread to `object` say; `None` when they say none.
    fn sent(&self, object: &ObjectRef) -> Result<Option<Priority>, SystemException> {
        let own = InvocationPriority::of(object).or_else(|| given().priority);
        let Some(own) = own else { return Ok(None) };
        match &self.settings.transform {
            Some(transform) => transform.outbound(own).ok_or_else(not_mapped).map(Some),
            None => Ok(Some(own)),
        }
    }
}

impl RequestContext for Propagated {
    fn context(&self) -> Result<Option<ShortContext>, SystemException> {
        Ok(None)
    }

    fn context_to(&self, object: &ObjectRef) -> Result<Option<ShortContext>, SystemException> {
        // A thread without a priority sends none: the server has one for it.
        let Some(sent) = self.sent(object)? else { return Ok(None) };
        let data = context::encode(sent, ByteOrder::NATIVE);
        Ok(ShortContext::new(ServiceId::RT_CORBA_PRIORITY, &data))
    }

    /// The lane tells it as well.
    fn must_arrive(&self, object: &ObjectRef, lane: Option<i16>) -> bool {
        match self.sent(object) {
            Ok(sent) => sent.is_some_and(|sent| lane != Some(sent.value())),
            // What is wrong shows when the context is made.
            Err(_) => true,
        }
    }

    fn lanes(&self, object: &ObjectRef) -> Result<Option<RangeInclusive<i16>>, SystemException> {
        let wanted = self.sent(object)?.unwrap_or(self.otherwise).value();
        Ok(Some(wanted..=wanted))
    }
}

impl CallPriority for Propagated {
    fn priority(&self, object: &ObjectRef) -> Result<i16, SystemException> {
        Ok(self.sent(object)?.unwrap_or(self.otherwise).value())
    }
}

/// All calls have the priority that the server declares.
#[derive(Debug)]
struct Declared(Priority);

impl CallPriority for Declared {
    fn priority(&self, _: &ObjectRef) -> Result<i16, SystemException> {
        Ok(self.0.value())
    }
}
