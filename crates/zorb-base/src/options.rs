//! The ORB's options.
//!
//! Every option is defined once, in the crate that reads it, with [`options!`](zorb_transport::options!):
//! [`OrbOptions`] contains those of every ORB, [`StreamOptions`] those of sockets; protocols and extensions
//! define their own. [`Options`] contains all options of an ORB, and the origin of each value.
//!
//! The program sets options by typed methods of the builder. The operator sets them by a file (`zorb.toml`),
//! the environment (`ZORB_NAME`) and arguments (`-ORBName value`), in ascending precedence. The operator's
//! values take precedence over the program's, unless the program forces its own (`OrbBuilder::force`).
//! Unknown names and bad values are errors that name the option and its source.

mod char_code_set;
mod collocation_strategy;
mod file;
mod listen_from;
mod orb;
mod origin;
mod send_end_times;
mod show;
mod sources;
mod suggest;

use std::mem::discriminant;
use std::ops::Deref;
use std::sync::Arc;

use zorb_giop::ProfileTag;
pub use zorb_transport::{
    NameValuePairs, OptionKind, OptionSet, OptionSets, OptionSpec, OptionValue, SetOption,
    SetStreamOptions, StreamOptions,
};
use zorb_transport::{Protocol, WaitPolicy};

use crate::error::{Error, Phase};
use crate::process_limits::{connections_for, max_connections, max_threads};

#[doc(hidden)]
pub use char_code_set::CharCodeSet;
pub use collocation_strategy::CollocationStrategy;
pub use listen_from::ListenFrom;
pub use orb::OrbOptions;
pub use origin::{Origin, Override};
pub use send_end_times::SendEndTimes;
pub use sources::split_arguments;

/// Protocols and extensions that are not in the program: the prefix of their options, and the feature that
/// enables them.
#[doc(hidden)]
pub type MissingFeatures = &'static [(&'static str, &'static str)];

/// All options of an ORB, with their effective values and origins.
///
/// It dereferences to [`OrbOptions`]: `options.connect_timeout`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    orb: OrbOptions,
    /// The options of sockets.
    pub stream: StreamOptions,
    /// The options of protocols and extensions.
    added: OptionSets,
    /// The profile tags of the protocols in the option `ClientProtocols`.
    pub(crate) client_profiles: Vec<ProfileTag>,
    /// The profile tags of the protocols in the option `ServerProtocols`.
    pub(crate) server_profiles: Vec<ProfileTag>,
    missing: MissingFeatures,
    /// All assignments in their order.
    assignments: Vec<Assignment>,
}

#[derive(Clone, Debug)]
struct Assignment {
    name: &'static str,
    /// The name in a value of the form `NAME=VALUE`.
    part: String,
    /// The option's value after the assignment.
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
    /// The defaults of an ORB with these protocols and extensions.
    ///
    /// # Errors
    /// Two option sets define an option of the same name.
    #[doc(hidden)]
    pub fn with(
        protocols: &[Arc<dyn Protocol>],
        extensions: &OptionSets,
        missing: MissingFeatures,
    ) -> Result<Self, Error> {
        let mut options = Self { missing, added: extensions.clone(), ..Self::default() };
        for set in protocols.iter().filter_map(|protocol| protocol.options()) {
            // Protocols over the same transport share a set.
            options.added.add(set);
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

    /// All options of the ORB: its own, and those of sockets, protocols and extensions.
    pub fn table(&self) -> impl Iterator<Item = &'static OptionSpec> {
        self.sets().flat_map(|set| set.specs())
    }

    fn sets(&self) -> impl Iterator<Item = &dyn OptionSet> {
        let own: [&dyn OptionSet; 2] = [&self.orb, &self.stream];
        own.into_iter().chain(self.added.iter())
    }

    /// The options of one protocol or extension; `None` if the ORB does not have it.
    pub fn get<T: OptionSet>(&self) -> Option<&T> {
        self.added.get()
    }

    /// The options of all protocols and extensions.
    #[doc(hidden)]
    pub fn added(&self) -> &OptionSets {
        &self.added
    }

    fn find(&self, name: &str) -> Option<&'static OptionSpec> {
        self.table().find(|spec| spec.is(name))
    }

    /// Sets an option from text. `name` is its name or its key.
    ///
    /// # Errors
    /// There is no such option, or the value is invalid.
    pub fn set(&mut self, name: &str, value: &str, origin: Origin) -> Result<(), Error> {
        let spec = self.find(name).ok_or_else(|| self.unknown(name, &origin))?;
        let part = match spec.kind {
            OptionKind::NameValuePairs => {
                value.split_once('=').map_or("", |(name, _)| name.trim()).to_owned()
            }
            _ => String::new(),
        };
        let before = self.assignments.iter().rev().find(|known| known.is_of(spec.name, &part));
        // A stronger source replaces a list; a further value of the same source extends it.
        let replaces =
            before.is_none_or(|known| discriminant(&known.origin) != discriminant(&origin));
        let set = self
            .set_of(spec)
            .ok_or_else(|| refused(spec, value, &origin, "no option set defines it"))?;
        if replaces {
            set.clear(spec);
        }
        set.take(spec, value).map_err(|reason| refused(spec, value, &origin, &reason))?;
        let value = self.text(spec, &part);
        self.assignments.push(Assignment { name: spec.name, part, value, origin });
        Ok(())
    }

    /// The set that contains an option.
    fn set_of(&mut self, spec: &OptionSpec) -> Option<&mut dyn OptionSet> {
        let own: [&mut dyn OptionSet; 2] = [&mut self.orb, &mut self.stream];
        let added = self.added.iter_mut().map(|set| &mut **set);
        own.into_iter()
            .chain(added)
            .find(|set| set.specs().iter().any(|known| known.name == spec.name))
    }

    /// The origin of an option's value.
    pub fn origin(&self, name: &str) -> Origin {
        let known = self.assignments.iter().rev();
        let mut known = known.filter(|known| known.name.eq_ignore_ascii_case(name));
        known.next().map_or(Origin::Default, |known| known.origin.clone())
    }

    /// The values that are not in force because an origin of higher precedence set another one: of each
    /// option and origin the last one, in the order of setting. The program's own values that it overrides by
    /// force are left out.
    pub fn overridden(&self) -> Vec<Override> {
        let mut found = Vec::new();
        for (index, lost) in self.assignments.iter().enumerate() {
            let later = self.assignments.iter().skip(index + 1);
            let mut later = later.filter(|known| known.is_of(lost.name, &lost.part));
            let source = discriminant(&lost.origin);
            if later.clone().any(|known| discriminant(&known.origin) == source) {
                continue;
            }
            let Some(effective) = later.next_back() else { continue };
            let is_own = effective.origin == Origin::Forced && lost.origin == Origin::Program;
            if !is_own && effective.value != lost.value {
                found.push(Override {
                    name: lost.name,
                    unit: self.find(lost.name).map_or("", |spec| spec.unit),
                    value: lost.value.clone(),
                    origin: lost.origin.clone(),
                    effective: effective.value.clone(),
                    by: effective.origin.clone(),
                });
            }
        }
        found
    }

    /// An option's value as text, in the form that [`set`](Self::set) accepts.
    pub fn value(&self, spec: &OptionSpec) -> String {
        let set = self.sets().find(|set| set.specs().iter().any(|known| known.name == spec.name));
        set.map(|set| set.text(spec)).unwrap_or_default()
    }

    /// An option's value as text; for an option of `NAME=VALUE` pairs, the pair named `part`.
    fn text(&self, spec: &OptionSpec, part: &str) -> String {
        let value = self.value(spec);
        let is_named = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| name == part);
        match spec.kind {
            OptionKind::NameValuePairs => {
                value.split(';').find(is_named).unwrap_or_default().to_owned()
            }
            _ => value,
        }
    }

    /// Lowercases the names of protocols, as schemes are.
    pub(crate) fn normalize_protocols(&mut self) {
        let OrbOptions { protocols, client_protocols, server_protocols, .. } = &mut self.orb;
        for name in [protocols, client_protocols, server_protocols].into_iter().flatten() {
            name.make_ascii_lowercase();
        }
    }

    /// The hint for a protocol that the ORB does not have: the feature that enables it, and the `known`
    /// protocols.
    #[doc(hidden)]
    #[cold]
    pub fn suggest_protocol(&self, scheme: &str, known: &[Arc<dyn Protocol>]) -> String {
        let names: Vec<_> = known.iter().map(|protocol| protocol.scheme()).collect();
        let names = names.join(", ");
        match self.missing.iter().find(|(missing, _)| *missing == scheme) {
            Some((_, feature)) => {
                format!("it requires the feature {feature}; available protocols: {names}")
            }
            None => format!("available protocols: {names}"),
        }
    }

    /// How threads wait for messages, from the option `BusyWait`.
    pub fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::new(self.busy_wait)
    }

    /// The maximum number of connections that a server has open: `MaxConnections`, or its
    /// [default](crate::process_limits::max_connections), or fewer if `MaxThreads` does not suffice for them.
    pub fn connection_limit(&self) -> usize {
        match self.max_connections {
            0 => max_connections().min(connections_for(self.thread_limit())),
            count => count,
        }
    }

    /// The maximum number of threads of the process's ORBs: `MaxThreads`, or its
    /// [default](crate::process_limits::max_threads).
    pub fn thread_limit(&self) -> usize {
        // Always asked: the first call also has all threads allocate from one arena, if the address space is limited.
        let default = max_threads();
        match self.max_threads {
            0 => default,
            count => count,
        }
    }

    /// The maximum number of threads for the connections to one IP address, and for those to local peers together:
    /// `MaxThreadsPerPeer`, or half of [`thread_limit`](Self::thread_limit).
    pub fn thread_limit_per_peer(&self) -> usize {
        match self.max_threads_per_peer {
            0 => self.thread_limit().div_ceil(2),
            count => count,
        }
    }

    /// The error for an unknown option.
    #[cold]
    fn unknown(&self, name: &str, origin: &Origin) -> Error {
        if let Some((owner, feature)) = self.missing.iter().find(|(owner, _)| begins(name, owner)) {
            let what = format!("option {name} ({origin}): this program was built without {owner}");
            let hint = format!("{owner} requires the feature {feature}");
            return Error::new(Phase::Configure, what).with_hint(hint);
        }
        let error = Error::new(Phase::Configure, format!("unknown option {name} ({origin})"));
        if let Some(hint) = suggest::of_other_orbs(name) {
            return error.with_hint(hint);
        }
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

/// Whether the name of an option begins with its owner's, ignoring case.
fn begins(name: &str, owner: &str) -> bool {
    name.get(..owner.len()).is_some_and(|first| first.eq_ignore_ascii_case(owner))
}

fn refused(spec: &OptionSpec, value: &str, origin: &Origin, reason: &str) -> Error {
    Error::new(Phase::Configure, format!("option {} = {value:?} ({origin}): {reason}", spec.name))
        .with_hint(spec.help)
}
