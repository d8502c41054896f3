//! The ORB's options.
//!
//! Every option is defined once, in the crate that reads it, with
//! [`options!`](zorb_transport::options!): those of every ORB in [`OrbOptions`], those of sockets in
//! [`StreamOptions`], those of protocols and extensions with them. [`Options`] has all of an ORB, with
//! where each value came from.
//!
//! The program sets options by typed methods of the builder; the operator by a file (`zorb.toml`), the
//! environment (`ZORB_NAME`) and arguments (`-ORBName value`), the later of which win. What the operator
//! says wins over what the program says, unless the program forces (`OrbBuilder::force`) it. Unknown
//! names and bad values are errors that name the option and its source.

mod collocation_strategy;
mod orb;
mod origin;
mod show;
mod sources;
mod suggest;

use std::mem::discriminant;
use std::ops::Deref;
use std::sync::Arc;

use zorb_giop::ProfileTag;
pub use zorb_transport::{
    Named, OptionKind, OptionSet, OptionSets, OptionSpec, OptionValue, SetOption, SetStreamOptions,
    StreamOptions,
};
use zorb_transport::{Protocol, WaitPolicy};

use crate::error::{Error, Phase};

#[doc(hidden)]
pub use collocation_strategy::CollocationStrategy;
pub use orb::OrbOptions;
pub use origin::{Origin, Override};
pub use sources::split_arguments;

/// Protocols and extensions that a program was built without: what their options begin with, and the
/// feature that brings them.
#[doc(hidden)]
pub type MissingFeatures = &'static [(&'static str, &'static str)];

/// All options of an ORB, with their effective values and origins.
///
/// The fields of [`OrbOptions`] are read through it: `options.connect_timeout`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    orb: OrbOptions,
    /// How connected streams are set up.
    pub stream: StreamOptions,
    /// The options of protocols and extensions.
    declared: OptionSets,
    /// The kinds of profiles of the protocols that `ClientProtocols` and `ServerProtocols` name.
    pub(crate) chosen_profiles: [Vec<ProfileTag>; 2],
    missing_features: MissingFeatures,
    /// Who set what, in this order.
    assignments: Vec<Assignment>,
}

#[derive(Clone, Debug)]
struct Assignment {
    name: &'static str,
    /// The name in a value that is `NAME=VALUE`.
    part: String,
    /// The value since then.
    value: String,
    origin: Origin,
}

impl Assignment {
    fn is_of(&self, name: &str, part: &str) -> bool {
        self.name == name && self.part == part
    }
}

impl Deref for Options {
    type Target = OrbOptions;

    fn deref(&self) -> &OrbOptions {
        &self.orb
    }
}

impl Options {
    /// The defaults of an ORB with these protocols and extensions, in a program that was built without
    /// others.
    #[doc(hidden)]
    pub fn with(
        protocols: &[Arc<dyn Protocol>],
        extensions: &OptionSets,
        missing_features: MissingFeatures,
    ) -> Result<Self, Error> {
        let mut options =
            Self { missing_features, declared: extensions.clone(), ..Self::default() };
        for set in protocols.iter().filter_map(|protocol| protocol.options()) {
            // Protocols over one transport have the same.
            options.declared.add(set);
        }
        let mut known: Vec<&OptionSpec> = Vec::new();
        for spec in options.table() {
            if let Some(other) =
                known.iter().find(|other| other.is(spec.name) || other.is(spec.key))
            {
                let what = format!("option {} of {}", spec.name, spec.owner);
                let why = format!("{} has an option of this name", other.owner);
                return Err(Error::new(Phase::Configure, what).with_source(why));
            }
            known.push(spec);
        }
        Ok(options)
    }

    /// Whether the option `ClientProtocols` allows protocols that it does not name.
    pub(crate) fn allows_other_protocols(&self) -> bool {
        self.client_protocols.last().is_some_and(|last| last == "any")
    }

    /// Every option of the ORB: its own, those of sockets, those of protocols and extensions.
    pub fn table(&self) -> impl Iterator<Item = &'static OptionSpec> {
        self.sets().flat_map(|set| set.specs())
    }

    fn sets(&self) -> impl Iterator<Item = &dyn OptionSet> {
        let own: [&dyn OptionSet; 2] = [&self.orb, &self.stream];
        own.into_iter().chain(self.declared.iter())
    }

    /// The options of one protocol or extension; `None` where the ORB has not been built with it.
    pub fn get<T: OptionSet>(&self) -> Option<&T> {
        self.declared.get()
    }

    /// Those of all protocols and extensions.
    #[doc(hidden)]
    pub fn declared(&self) -> &OptionSets {
        &self.declared
    }

    fn find(&self, name: &str) -> Option<&'static OptionSpec> {
        self.table().find(|spec| spec.is(name))
    }

    /// Sets the option named `name`, which may also be its key, from text.
    ///
    /// # Errors
    /// When there is no such option or the value does not fit it.
    pub fn set(&mut self, name: &str, value: &str, origin: Origin) -> Result<(), Error> {
        let spec = self.find(name).ok_or_else(|| self.unknown(name, &origin))?;
        let part = match spec.kind {
            OptionKind::Named => {
                value.split_once('=').map_or("", |(name, _)| name.trim()).to_owned()
            }
            _ => String::new(),
        };
        let before = self.assignments.iter().rev().find(|known| known.is_of(spec.name, &part));
        // A stronger source replaces a list; within one source the list grows.
        let anew = before.is_none_or(|known| discriminant(&known.origin) != discriminant(&origin));
        let set =
            self.own(spec).ok_or_else(|| refused(spec, value, &origin, "nothing takes it"))?;
        if anew {
            set.clear(spec);
        }
        set.take(spec, value).map_err(|reason| refused(spec, value, &origin, &reason))?;
        let value = self.text(spec, &part);
        self.assignments.push(Assignment { name: spec.name, part, value, origin });
        Ok(())
    }

    /// The set that an option belongs to.
    fn own(&mut self, spec: &OptionSpec) -> Option<&mut dyn OptionSet> {
        let own: [&mut dyn OptionSet; 2] = [&mut self.orb, &mut self.stream];
        let declared = self.declared.iter_mut().map(|set| &mut **set);
        own.into_iter()
            .chain(declared)
            .find(|set| set.specs().iter().any(|known| known.name == spec.name))
    }

    /// Where the option's present value came from.
    pub fn origin(&self, name: &str) -> Origin {
        let known = self.assignments.iter().rev();
        let mut known = known.filter(|known| known.name.eq_ignore_ascii_case(name));
        known.next().map_or(Origin::Default, |known| known.origin.clone())
    }

    /// The values that are not in force because the operator has overridden the program, or the program
    /// has forced others on the operator.
    pub fn overridden(&self) -> Vec<Override> {
        let mut found = Vec::new();
        let all = &self.assignments;
        for (index, last) in all.iter().enumerate() {
            let same = |known: &&Assignment| known.is_of(last.name, &last.part);
            if all.iter().skip(index + 1).any(|known| same(&known)) {
                continue;
            }
            let is_others =
                |known: &&Assignment| known.origin.is_operator() != last.origin.is_operator();
            let other = all.iter().take(index).rev().filter(same).find(is_others);
            if let Some(other) = other.filter(|other| other.value != last.value) {
                found.push(Override {
                    name: last.name,
                    value: other.value.clone(),
                    origin: other.origin.clone(),
                    by: last.origin.clone(),
                });
            }
        }
        found
    }

    /// The option's present value as text, the way it could be set.
    pub fn value(&self, spec: &OptionSpec) -> String {
        let set = self.sets().find(|set| set.specs().iter().any(|known| known.name == spec.name));
        set.map(|set| set.text(spec)).unwrap_or_default()
    }

    /// The same, or of pairs that of the name `part`.
    fn text(&self, spec: &OptionSpec, part: &str) -> String {
        let value = self.value(spec);
        let is_it = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| name == part);
        match spec.kind {
            OptionKind::Named => value.split(';').find(is_it).unwrap_or_default().to_owned(),
            _ => value,
        }
    }

    /// Converts the names of protocols to lower case, like schemes.
    pub(crate) fn normalize_protocols(&mut self) {
        let OrbOptions { protocols, client_protocols, server_protocols, .. } = &mut self.orb;
        for name in [protocols, client_protocols, server_protocols].into_iter().flatten() {
            name.make_ascii_lowercase();
        }
    }

    /// The hint for an unknown protocol; `known` are those of this ORB.
    #[doc(hidden)]
    #[cold]
    pub fn suggest_protocol(&self, scheme: &str, known: &[Arc<dyn Protocol>]) -> String {
        let names: Vec<_> = known.iter().map(|protocol| protocol.scheme()).collect();
        let names = names.join(", ");
        match self.missing_features.iter().find(|(missing, _)| *missing == scheme) {
            Some((_, feature)) => {
                format!("it comes with the feature {feature}; this ORB has: {names}")
            }
            None => format!("this ORB has: {names}"),
        }
    }

    /// How threads wait for messages: the option `Spin`.
    pub fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::new(self.spin)
    }

    /// Why there is no option of this name.
    #[cold]
    fn unknown(&self, name: &str, origin: &Origin) -> Error {
        if let Some((owner, feature)) =
            self.missing_features.iter().find(|(owner, _)| begins(name, owner))
        {
            let what = format!("option {name} ({origin}): this ORB has nothing that takes it");
            let hint = format!("{owner} comes with the feature {feature}");
            return Error::new(Phase::Configure, what).with_hint(hint);
        }
        let error = Error::new(Phase::Configure, format!("unknown option {name} ({origin})"));
        match (suggest::nearest(self.table(), name), origin) {
            (Some(spec), Origin::File(_)) => error.with_hint(format!("did you mean {}?", spec.key)),
            (Some(spec), Origin::Environment(_)) => {
                error.with_hint(format!("did you mean {}?", spec.variable()))
            }
            (Some(spec), _) => error.with_hint(format!("did you mean {}?", spec.name)),
            (None, _) => error.with_hint("`zorb config` lists every option"),
        }
    }
}

/// Whether the name of an option begins with its owner's, in any case.
fn begins(name: &str, owner: &str) -> bool {
    name.get(..owner.len()).is_some_and(|first| first.eq_ignore_ascii_case(owner))
}

fn refused(spec: &OptionSpec, value: &str, origin: &Origin, reason: &str) -> Error {
    Error::new(Phase::Configure, format!("option {} = {value:?} ({origin}): {reason}", spec.name))
        .with_hint(spec.help)
}
