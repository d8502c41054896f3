//! The operations of a system.

use std::collections::HashMap;

use super::info::{Call, Handle, RtInfo};
use crate::{Anomaly, MAX_TIME, Time};

/// The maximum number of operations in a [`TaskSet`].
pub const MAX_OPERATIONS: usize = 1024;

/// The maximum number of calls in a [`TaskSet`], counting those of all operations.
pub const MAX_CALLS: usize = 1 << 14;

/// The operations of a system, each with a name and a handle.
#[derive(Clone, Debug, Default)]
pub struct TaskSet {
    infos: Vec<RtInfo>,
    names: HashMap<String, Handle>,
    calls: usize,
}

impl TaskSet {
    /// Creates a set without operations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation. Its callees may be added later, with the handles they will have.
    ///
    /// # Errors
    /// [`Anomaly::DuplicateName`], [`Anomaly::TooManyOperations`], [`Anomaly::TooManyCalls`] and
    /// [`Anomaly::TimeOutOfRange`].
    pub fn add(&mut self, info: RtInfo) -> Result<Handle, Anomaly> {
        if self.infos.len() >= MAX_OPERATIONS {
            return Err(Anomaly::TooManyOperations { limit: MAX_OPERATIONS });
        }
        if self.names.contains_key(&info.entry_point) {
            return Err(Anomaly::DuplicateName { operation: info.entry_point });
        }
        self.check(&info, 0)?;
        self.calls += info.calls.len();
        let handle = Handle::at(self.infos.len());
        self.names.insert(info.entry_point.clone(), handle);
        self.infos.push(info);
        Ok(handle)
    }

    /// Replaces the properties of an operation, except its name.
    ///
    /// # Errors
    /// [`Anomaly::UnknownHandle`], [`Anomaly::TooManyCalls`] and [`Anomaly::TimeOutOfRange`].
    pub fn set(&mut self, handle: Handle, mut info: RtInfo) -> Result<(), Anomaly> {
        let unknown = Anomaly::UnknownHandle { handle: handle.number() };
        let entry = self.get(handle).ok_or(unknown)?;
        info.entry_point.clone_from(&entry.entry_point);
        let before = entry.calls.len();
        self.check(&info, before)?;
        self.calls = self.calls - before + info.calls.len();
        self.infos[handle.index()] = info;
        Ok(())
    }

    /// Adds a call of `caller`.
    ///
    /// # Errors
    /// [`Anomaly::UnknownHandle`] and [`Anomaly::TooManyCalls`].
    pub fn add_call(&mut self, caller: Handle, call: Call) -> Result<(), Anomaly> {
        let unknown = |handle: Handle| Anomaly::UnknownHandle { handle: handle.number() };
        self.get(call.operation).ok_or_else(|| unknown(call.operation))?;
        let info = self.infos.get_mut(caller.index()).ok_or_else(|| unknown(caller))?;
        if self.calls >= MAX_CALLS {
            return Err(too_many_calls(info));
        }
        self.calls += 1;
        info.calls.push(call);
        Ok(())
    }

    /// Removes the calls of `caller` that equal `call`, if any.
    ///
    /// # Errors
    /// [`Anomaly::UnknownHandle`] if there are none.
    pub fn remove_call(&mut self, caller: Handle, call: Call) -> Result<(), Anomaly> {
        let unknown = |handle: Handle| Anomaly::UnknownHandle { handle: handle.number() };
        let info = self.infos.get_mut(caller.index()).ok_or_else(|| unknown(caller))?;
        let position = info.calls.iter().position(|known| *known == call);
        info.calls.remove(position.ok_or_else(|| unknown(call.operation))?);
        self.calls -= 1;
        Ok(())
    }

    /// The operation with this name.
    #[must_use]
    pub fn lookup(&self, entry_point: &str) -> Option<Handle> {
        self.names.get(entry_point).copied()
    }

    /// The operation with this number as used in IDL: from 1 on.
    #[must_use]
    pub fn handle(&self, number: u32) -> Option<Handle> {
        let handle = Handle(number);
        (number > 0 && handle.index() < self.infos.len()).then_some(handle)
    }

    /// The properties of an operation.
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&RtInfo> {
        self.infos.get(handle.index())
    }

    /// All operations, by increasing handle.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle, &RtInfo)> {
        self.infos.iter().enumerate().map(|(index, info)| (Handle::at(index), info))
    }

    /// The number of operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are no operations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// The name of an operation; empty for an unknown one.
    #[must_use]
    pub fn name(&self, handle: Handle) -> &str {
        self.get(handle).map_or("", |info| &info.entry_point)
    }

    /// Checks that an operation's times are in range, and that its calls fit, replacing `before`.
    fn check(&self, info: &RtInfo, before: usize) -> Result<(), Anomaly> {
        let times: [(&'static str, Time); 8] = [
            ("worst", info.worst),
            ("typical", info.typical),
            ("cached", info.cached),
            ("period", info.period),
            ("deadline", info.deadline),
            ("quantum", info.quantum),
            ("jitter", info.jitter),
            ("blocking", info.blocking),
        ];
        if let Some((which, _)) = times.into_iter().find(|(_, time)| *time > MAX_TIME) {
            return Err(Anomaly::TimeOutOfRange { operation: info.entry_point.clone(), which });
        }
        if self.calls - before + info.calls.len() > MAX_CALLS {
            return Err(too_many_calls(info));
        }
        Ok(())
    }
}

fn too_many_calls(info: &RtInfo) -> Anomaly {
    Anomaly::TooManyCalls { operation: info.entry_point.clone(), limit: MAX_CALLS }
}
