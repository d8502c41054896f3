//! Processes that no longer serve their names, and may say goodbye.

use std::collections::VecDeque;

use zorb::giop::Ior;

use super::instance::Instance;

/// The most such processes that are remembered; beyond it, the oldest is forgotten.
const MOST: usize = 1024;

/// Processes that were replaced or stopped, or whose servers were removed, by the names that they served, the oldest first.
///
/// A process that says goodbye names only its server. As long as one of these runs, the farewell is taken for its own, not
/// for that of its successor: that a process has ended without a farewell is noticed anyway.
#[derive(Debug, Default)]
pub(super) struct Former(VecDeque<(String, Instance)>);

impl Former {
    /// Adds a process.
    pub(super) fn add(&mut self, name: &str, instance: Instance) {
        if instance.has_ended() {
            return;
        }
        if self.0.len() >= MOST {
            self.0.retain(|(_, known)| !known.has_ended());
        }
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((name.to_owned(), instance));
    }

    /// Forgets a process that has registered again, with the same addresses.
    pub(super) fn forget(&mut self, name: &str, reference: &Ior) {
        self.0.retain(|(of, known)| of != name || known.reference.profiles != reference.profiles);
    }

    /// The processes that served a name and may still run. Those that this machine can check by process id come first.
    pub(super) fn of(&self, name: &str) -> Vec<Instance> {
        let of_name = self.0.iter().filter(|(of, known)| of == name && !known.has_ended());
        let mut all: Vec<Instance> = of_name.map(|(_, instance)| instance.clone()).collect();
        all.sort_by_key(|instance| instance.process.is_none());
        all
    }

    /// Removes the process with this number; `false` if there is none.
    pub(super) fn remove(&mut self, number: u64) -> bool {
        let before = self.0.len();
        self.0.retain(|(_, known)| known.number != number);
        before != self.0.len()
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
}
