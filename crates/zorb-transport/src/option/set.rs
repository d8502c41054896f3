//! Sets of options with their values.

use std::any::Any;
use std::fmt::Debug;

use super::OptionSpec;

/// The options of one crate with their values: a struct defined by [`options!`](crate::options!).
pub trait OptionSet: Any + Debug + Send + Sync {
    /// The table, one row per option.
    fn specs(&self) -> &'static [OptionSpec];

    /// Sets an option from text.
    ///
    /// # Errors
    /// Why the text is not a value of the option.
    fn take(&mut self, spec: &OptionSpec, text: &str) -> Result<(), String>;

    /// Clears an option that is a list, before a source of higher precedence sets it.
    fn clear(&mut self, spec: &OptionSpec);

    /// The value of an option as text that could be set.
    fn text(&self, spec: &OptionSpec) -> String;

    /// A copy.
    fn boxed(&self) -> Box<dyn OptionSet>;
}

/// The options of the protocols and extensions of an ORB: at most one set of each type.
#[derive(Debug, Default)]
pub struct OptionSets(Vec<Box<dyn OptionSet>>);

impl OptionSets {
    /// Adds a set, unless there is one of the same type.
    pub fn add(&mut self, set: Box<dyn OptionSet>) {
        let kind = |set: &dyn OptionSet| (set as &dyn Any).type_id();
        if !self.0.iter().any(|known| kind(&**known) == kind(&*set)) {
            self.0.push(set);
        }
    }

    /// The options of type `T`, if the ORB has them.
    #[must_use]
    pub fn get<T: OptionSet>(&self) -> Option<&T> {
        self.iter().find_map(|set| (set as &dyn Any).downcast_ref())
    }

    /// All sets in the order of addition.
    pub fn iter(&self) -> impl Iterator<Item = &dyn OptionSet> {
        self.0.iter().map(|set| &**set)
    }

    /// All sets, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn OptionSet>> {
        self.0.iter_mut()
    }
}

impl Clone for OptionSets {
    fn clone(&self) -> Self {
        Self(self.iter().map(OptionSet::boxed).collect())
    }
}

/// The target of typed setters: the builder of an ORB.
pub trait SetOption: Sized {
    /// Sets the option `name` from text. Programs use the typed setters.
    #[must_use]
    fn set_option(self, name: &'static str, value: String) -> Self;
}
