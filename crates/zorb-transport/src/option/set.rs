//! Options with their values, as the crate that declares them knows them.

use std::any::Any;
use std::fmt::Debug;

use super::OptionSpec;

/// The options that one crate declares, with their values: a struct made by
/// [`options!`](crate::options!).
pub trait OptionSet: Any + Debug + Send + Sync {
    /// The table: one row an option.
    fn specs(&self) -> &'static [OptionSpec];

    /// Sets one of its options from text.
    ///
    /// # Errors
    /// Why the text is no value of the option.
    fn take(&mut self, spec: &OptionSpec, text: &str) -> Result<(), String>;

    /// Empties an option that is a list, for a stronger source to fill.
    fn clear(&mut self, spec: &OptionSpec);

    /// The value of one of its options as text, the way it could be set.
    fn text(&self, spec: &OptionSpec) -> String;

    /// A copy.
    fn boxed(&self) -> Box<dyn OptionSet>;
}

/// The options of the protocols and extensions of an ORB: at most one set of each type.
#[derive(Debug, Default)]
pub struct OptionSets(Vec<Box<dyn OptionSet>>);

impl OptionSets {
    /// Adds a set. One of the same type that was added before stays as it is.
    pub fn add(&mut self, set: Box<dyn OptionSet>) {
        let kind = |set: &dyn OptionSet| (set as &dyn Any).type_id();
        if !self.0.iter().any(|known| kind(&**known) == kind(&*set)) {
            self.0.push(set);
        }
    }

    /// The options of type `T`; `None` where the ORB has none of them.
    #[must_use]
    pub fn get<T: OptionSet>(&self) -> Option<&T> {
        self.iter().find_map(|set| (set as &dyn Any).downcast_ref())
    }

    /// All sets, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &dyn OptionSet> {
        self.0.iter().map(|set| &**set)
    }

    /// All sets, for their values to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn OptionSet>> {
        self.0.iter_mut()
    }
}

impl Clone for OptionSets {
    fn clone(&self) -> Self {
        Self(self.iter().map(OptionSet::boxed).collect())
    }
}

/// What typed setters set options on: the builder of an ORB.
pub trait SetOption: Sized {
    /// Sets the option `name` from text. Programs use the typed setters.
    #[must_use]
    fn set_option(self, name: &'static str, value: String) -> Self;
}
