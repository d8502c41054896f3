//! What an implementation repository knows of an ORB.

use zorb_invocation::object::ObjectRef;

/// What the repository knows of this server.
#[derive(Default)]
pub(super) struct Registration {
    /// The repository.
    pub(super) repository: Option<ObjectRef>,
    /// The server's object.
    pub(super) server: Option<ObjectRef>,
    /// The names that the repository knows.
    pub(super) names: Vec<String>,
    /// Whether the repository has been told of the end of this server: it learns of no further names.
    has_ended: bool,
}

impl Registration {
    /// Whether the repository has been told of the end.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Adds a name that the repository has learned; `false` if it has been told of the end.
    pub(super) fn add(&mut self, name: &str) -> bool {
        if !self.has_ended {
            self.names.push(name.to_owned());
        }
        !self.has_ended
    }

    /// Ends it; returns what there was.
    pub(super) fn end(&mut self) -> Self {
        std::mem::replace(self, Self { has_ended: true, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_added_after_the_end() {
        let mut registration = Registration::default();
        assert!(registration.add("one"));
        assert_eq!(registration.end().names, ["one"]);
        assert!(registration.has_ended());
        assert!(!registration.add("two"));
        assert!(registration.end().names.is_empty());
        assert!(registration.has_ended());
    }
}
