//! Whether changes of the tree are possible.

use super::super::context_id::ContextId;
use super::super::leases::Leases;
use super::super::path::Path;
use super::{
    Bound, CONTEXT_CHARGE, Change, Entry, Found, LeaseChange, Operation, Refusal, Tree, missing,
};
use crate::cos_naming::naming_context::NotFoundReason;

impl Tree {
    /// Whether a change is possible, from the context `start` on.
    pub(crate) fn plan(
        &self,
        start: ContextId,
        name: &Path,
        operation: Operation<'_>,
    ) -> Result<Change, Refusal> {
        let (context, entries) = self.walk(start, name)?;
        let (key, at) = (name.last(), name.len() - 1);
        let existing = entries.get(key).map(Entry::is_context);
        let (operation, until) = match operation {
            Operation::BindUntil(bound, end) => (Operation::Bind(bound), Some(end)),
            Operation::RebindUntil(bound, end) => (Operation::Rebind(bound), Some(end)),
            operation => (operation, None),
        };
        let lease = self.lease_change(context, key, until);
        let (bound, created) = match (operation, existing) {
            (Operation::Unbind, None) => return Err(missing(at)),
            (Operation::Unbind, Some(_)) => {
                return Ok(Change::Remove { context, key: key.into(), lease });
            }
            (Operation::Bind(_) | Operation::BindNew(_), Some(_)) => {
                return Err(Refusal::AlreadyBound);
            }
            (Operation::Rebind(bound), Some(was_context)) if bound.is_context() != was_context => {
                let why = match bound.is_context() {
                    true => NotFoundReason::NotContext,
                    false => NotFoundReason::NotObject,
                };
                return Err(Refusal::NotFound(why, at));
            }
            (Operation::BindNew(id), None) => (Bound::Context(id), Some(id)),
            (
                Operation::Bind(bound)
                | Operation::Rebind(bound)
                | Operation::BindUntil(bound, _)
                | Operation::RebindUntil(bound, _),
                _,
            ) => (bound, None),
        };
        let value = bound.to_octets();
        let is_new = existing.is_none();
        if is_new && entries.len() >= self.limits.naming_context_bindings {
            return Err(Refusal::Full);
        }
        let lease_octets = until.map_or(0, |_| Leases::charge(key));
        let octets = Entry::most(key, &value) + created.map_or(0, |_| CONTEXT_CHARGE);
        if self.check_room(octets + lease_octets).is_err() {
            let replaced = entries.get(key).map_or(0, |old| self.replaced(context, old, &value));
            self.check_growth((octets + lease_octets).saturating_sub(replaced))?;
        }
        if until.is_some()
            && self.leases.len() >= self.limits.naming_leases
            && self.leases.end_of(context, key).is_none()
        {
            return Err(Refusal::Full);
        }
        Ok(Change::Put { context, key: key.into(), value: value.into(), created, lease })
    }

    /// What becomes of a binding's lease if it has one `until` then.
    fn lease_change(&self, context: ContextId, key: &[u8], until: Option<u64>) -> LeaseChange {
        match until {
            Some(end) => LeaseChange::Until(end),
            None if self.leases.end_of(context, key).is_some() => LeaseChange::Over,
            None => LeaseChange::None,
        }
    }

    /// Whether a binding is to be removed since its lease has ended.
    pub(crate) fn plan_end(
        &self,
        context: ContextId,
        key: &[u8],
        now: u64,
    ) -> Result<Change, Refusal> {
        match self.leases.end_of(context, key) {
            Some(end) if end <= now => {
                Ok(Change::Remove { context, key: key.into(), lease: LeaseChange::Over })
            }
            _ => Err(missing(0)),
        }
    }

    /// What a binding, and its lease, count for that another one with this value replaces.
    #[cold]
    fn replaced(&self, context: ContextId, old: &Entry, value: &[u8]) -> usize {
        let lease = self.leases.end_of(context, old.key()).map_or(0, |_| Leases::charge(old.key()));
        let is_equal = match (old.found(&self.parts), Bound::from_octets(value)) {
            (Found::Context(id), Some(Bound::Context(other))) => id == other,
            (Found::Reference(octets), Some(Bound::Object(other) | Bound::Foreign(other))) => {
                octets == other
            }
            _ => false,
        };
        // Its common part may be that of other references, too: it goes away for certain only with an equal one.
        lease + if is_equal { Entry::most(old.key(), value) } else { old.charge() }
    }

    /// Like [`check_room`](Self::check_room), for what may need no room: then it is possible beyond the limit, too.
    #[cold]
    fn check_growth(&self, more: usize) -> Result<(), Refusal> {
        if more == 0 { Ok(()) } else { self.check_room(more) }
    }

    fn check_room(&self, more: usize) -> Result<(), Refusal> {
        if self.octets().saturating_add(more) > self.most_octets {
            return Err(Refusal::Full);
        }
        Ok(())
    }

    /// Whether a context may be created that is bound nowhere.
    pub(crate) fn plan_create(&self, context: ContextId) -> Result<Change, Refusal> {
        self.check_room(CONTEXT_CHARGE)?;
        Ok(Change::Create { context })
    }

    /// Whether a context can be destroyed.
    pub(crate) fn plan_destroy(&self, context: ContextId) -> Result<Change, Refusal> {
        match self.context(context)?.is_empty() {
            true => Ok(Change::Destroy { context }),
            false => Err(Refusal::NotEmpty),
        }
    }
}
