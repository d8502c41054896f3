//! Processes that no longer serve their names, and may report their shutdown.

use std::collections::VecDeque;

use zorb::giop::Ior;

use super::instance::Instance;

/// The most such processes that are remembered; beyond it, the oldest is forgotten.
const MOST: usize = 1024;

/// Processes that were replaced or stopped, or whose servers were removed, by the names that they served, the oldest first.
///
/// A process that reports its shutdown names only its server. As long as one of these runs, the report is attributed to it,
/// not to its successor: the end of a process is noticed without a report, too.
#[derive(Debug, Default)]
pub(super) struct Former {
    all: VecDeque<Known>,
    /// The stored ones that are to be deleted: their numbers and names.
    removed: Vec<(u64, String)>,
}

#[derive(Debug)]
struct Known {
    name: String,
    instance: Instance,
    is_stored: bool,
}

/// A change that is to be stored.
#[derive(Debug)]
pub(super) struct FormerChange {
    pub(super) number: u64,
    pub(super) name: String,
    /// `None` if the process has been removed.
    pub(super) process: Option<Instance>,
}

impl Former {
    /// The stored processes, by the names that they served.
    pub(super) fn stored(all: Vec<(String, Instance)>) -> Self {
        let known = |(name, instance)| Known { name, instance, is_stored: true };
        Self { all: all.into_iter().map(known).collect(), removed: Vec::new() }
    }

    /// Adds a process, unless it is known.
    pub(super) fn add(&mut self, name: &str, instance: Instance) {
        let is_known = self.all.iter().any(|known| known.instance.number == instance.number);
        if is_known || instance.has_ended() {
            return;
        }
        if self.all.len() >= MOST {
            self.remove_if(|known| known.instance.has_ended());
        }
        if self.all.len() >= MOST
            && let Some(oldest) = self.all.front().map(|known| known.instance.number)
        {
            self.remove(oldest);
        }
        self.all.push_back(Known { name: name.to_owned(), instance, is_stored: false });
    }

    /// Forgets a process that has registered again, with the same addresses.
    pub(super) fn forget(&mut self, name: &str, reference: &Ior) {
        self.remove_if(|known| {
            known.name == name && known.instance.reference.profiles == reference.profiles
        });
    }

    /// The processes that served a name and may still run. Those that this machine can check by process id come first.
    pub(super) fn of(&self, name: &str) -> Vec<Instance> {
        let of_name = self.all.iter().filter(|known| known.name == name);
        let running = of_name.filter(|known| !known.instance.has_ended());
        let mut all: Vec<Instance> = running.map(|known| known.instance.clone()).collect();
        all.sort_by_key(|instance| instance.process.is_none());
        all
    }

    /// Removes the process with this number; `false` if there is none.
    pub(super) fn remove(&mut self, number: u64) -> bool {
        let before = self.all.len();
        self.remove_if(|known| known.instance.number == number);
        before != self.all.len()
    }

    /// What differs from what is stored. It counts as stored from now on.
    pub(super) fn take_changes(&mut self) -> Vec<FormerChange> {
        let removed = std::mem::take(&mut self.removed).into_iter();
        let mut changes: Vec<_> =
            removed.map(|(number, name)| FormerChange { number, name, process: None }).collect();
        for known in self.all.iter_mut().filter(|known| !known.is_stored) {
            known.is_stored = true;
            changes.push(FormerChange {
                number: known.instance.number,
                name: known.name.clone(),
                process: Some(known.instance.clone()),
            });
        }
        changes
    }

    /// Says that changes have not been stored.
    pub(super) fn not_stored(&mut self, changes: Vec<FormerChange>) {
        for FormerChange { number, name, process } in changes {
            match self.all.iter_mut().find(|known| known.instance.number == number) {
                Some(known) => known.is_stored = false,
                None if process.is_none() => self.removed.push((number, name)),
                // Removed meanwhile.
                None => {}
            }
        }
    }

    fn remove_if(&mut self, is_removed: impl Fn(&Known) -> bool) {
        let removed = &mut self.removed;
        self.all.retain(|known| {
            let is_removed = is_removed(known);
            if is_removed && known.is_stored {
                removed.push((known.instance.number, known.name.clone()));
            }
            !is_removed
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn instance(number: u64) -> Instance {
        Instance {
            number,
            reference: Arc::new(Ior::NIL),
            has_object: false,
            partial_ior: String::new(),
            process: None,
            clients: 0,
        }
    }

    #[test]
    fn a_limited_number_is_remembered() {
        let mut former = Former::default();
        for number in 0..MOST as u64 + 2 {
            former.add(if number % 2 == 0 { "even" } else { "odd" }, instance(number));
        }
        let even: Vec<u64> = former.of("even").iter().map(|it| it.number).collect();
        assert_eq!((even.len(), even[0]), (MOST / 2, 2));
        assert!(former.remove(2) && !former.remove(2));
        assert_eq!((former.of("even").len(), former.of("odd").len()), (MOST / 2 - 1, MOST / 2));
    }

    #[test]
    fn changes_are_stored_until_they_are() {
        let mut former = Former::default();
        (1..=3).for_each(|number| former.add("Shop", instance(number)));
        assert!(former.remove(1), "it was never stored");
        let changes = |former: &mut Former| {
            let changes = former.take_changes();
            let told: Vec<_> = changes.iter().map(|it| (it.number, it.process.is_some())).collect();
            (changes, told)
        };
        let (failed, told) = changes(&mut former);
        assert_eq!(told, [(2, true), (3, true)]);
        former.not_stored(failed);
        assert_eq!(changes(&mut former).1, [(2, true), (3, true)]);
        former.add("Shop", instance(3));
        assert_eq!(changes(&mut former).1, []);
        assert!(former.remove(2));
        let (failed, told) = changes(&mut former);
        assert_eq!(told, [(2, false)]);
        former.not_stored(failed);
        former.add("Bank", instance(4));
        assert_eq!(changes(&mut former).1, [(2, false), (4, true)]);
        assert_eq!(changes(&mut former).1, []);
    }

    #[test]
    fn what_is_not_stored_is_limited() {
        let mut former = Former::default();
        (0..MOST as u64).for_each(|number| former.add("Shop", instance(number)));
        assert_eq!(former.take_changes().len(), MOST);
        for round in 1..4 {
            let first = round * MOST as u64;
            (first..first + MOST as u64).for_each(|number| former.add("Shop", instance(number)));
            let changes = former.take_changes();
            assert_eq!(changes.len(), 2 * MOST, "those of the first round, and the last ones");
            former.not_stored(changes);
        }
    }
}
