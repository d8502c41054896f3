//! What follows an attempt that has not completed its call: another reference, or another attempt.

use std::sync::Arc;

use zorb_base::policy::Rebind;
use zorb_types::{
    CompletionStatus, ErrorContext, Phase, SystemException, SystemExceptionKind, minor,
};

use super::call::Call;
use super::failing::forwarded_to_nil;
use super::outcome::{Unfinished, not_addressed};
use crate::object::Binding;

/// The maximum number of times that a call is sent again over a new connection after its server closed one.
pub(super) const MAX_RESENDS: u32 = 3;

/// The forwards and further attempts of a call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Redirections {
    hops: u32,
    resends: u32,
    /// Whether the original reference has been tried after a forward.
    fell_back: bool,
}

/// The target of the next attempt.
pub(super) enum Next {
    Again,
    Original,
    Forwarded(Arc<Binding>),
}

impl Redirections {
    /// Those of a call that begins with the original reference, or with one that its server has forwarded to.
    #[inline]
    pub(super) const fn new(is_forwarded: bool) -> Self {
        Self { hops: 0, resends: 0, fell_back: !is_forwarded }
    }

    /// Whether the original reference is to be tried if this one fails.
    #[inline]
    pub(super) const fn may_fall_back(&self) -> bool {
        !self.fell_back
    }

    /// What follows an `unfinished` attempt at `target`.
    ///
    /// # Errors
    /// The exception of the call.
    #[cold]
    pub(super) fn next(
        &mut self,
        call: &Call<'_>,
        target: &Binding,
        unfinished: Unfinished,
    ) -> Result<Next, SystemException> {
        let object = call.object;
        let core = object.core();
        match unfinished {
            Unfinished::Forward(_)
                if call.parameters.rebind != Rebind::Transparent && object.is_bound() =>
            {
                Err(call.no_rebind(minor::rebind::FORWARDED))
            }
            Unfinished::Forward(ior) => {
                self.hops += 1;
                if self.hops > call.parameters.max_hops {
                    return Err(too_many_forwards(self.hops));
                }
                if ior.is_nil() {
                    return Err(forwarded_to_nil());
                }
                Ok(Next::Forwarded(object.forward_to(ior)))
            }
            Unfinished::Resend(_)
                if call.parameters.rebind == Rebind::NoReconnect && object.is_bound() =>
            {
                Err(call.no_rebind(minor::rebind::CONNECTION_CLOSED))
            }
            Unfinished::Resend(exception) => {
                self.resends += 1;
                if self.resends > MAX_RESENDS { Err(exception) } else { Ok(Next::Again) }
            }
            Unfinished::Readdress(wanted) => {
                self.resends += 1;
                let changed = target.routes(core)?.readdress(target.ior(), wanted)?;
                if self.resends > MAX_RESENDS || !changed {
                    return Err(not_addressed());
                }
                Ok(Next::Again)
            }
            // The target of an earlier forward may be gone while the original reference works.
            Unfinished::Failed(exception) if !self.fell_back && is_stale_forward(&exception) => {
                if call.parameters.rebind != Rebind::Transparent && object.is_bound() {
                    return Err(call.no_rebind(minor::rebind::FORWARDED));
                }
                self.fell_back = true;
                object.forget_forward();
                Ok(Next::Original)
            }
            Unfinished::Failed(exception) => Err(exception),
        }
    }
}

fn too_many_forwards(hops: u32) -> SystemException {
    let code = minor::imp_limit::TOO_MANY_FORWARDS;
    let context = ErrorContext::new(Phase::Resolve)
        .with_source(format!("the call was forwarded {hops} times"))
        .with_hint("do the servers forward to each other in a circle?");
    SystemException::imp_limit(code, CompletionStatus::No).with_context(context)
}

fn is_stale_forward(exception: &SystemException) -> bool {
    use SystemExceptionKind::{CommFailure, ObjectNotExist, Transient};
    exception.completed == CompletionStatus::No
        && matches!(exception.kind, CommFailure | ObjectNotExist | Transient)
}
