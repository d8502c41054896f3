//! Configures and creates ORBs.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::error::{Error, Phase};
use zorb_base::options::{CharCodeSet, CollocationStrategy, ListenFrom, SendEndTimes};
use zorb_base::options::{
    MissingFeatures, OptionSet, OptionSets, Options, Origin, SetOption, split_arguments,
};
use zorb_base::orb_core::OrbCore;
use zorb_base::protocol_choice::{chosen, endpoints};
use zorb_transport::{Protocol, ProtocolRegistry};

use super::end_times::use_end_times;
use super::handle::Orb;
use super::ids;
use super::inner::OrbInner;
use super::resolve::use_interface_repository;

impl Orb {
    /// A builder without protocols; the facade's has the default ones.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::new()
    }
}

/// Configures and creates an ORB: options, protocols, endpoints.
///
/// Every option has a typed method: those of the [ORB](zorb_base::options::OrbOptions) here, those of
/// [sockets](zorb_base::options::SetStreamOptions), protocols and extensions in traits. The operator sets
/// options, too, by the configuration file that `ZORB_CONFIG` names, the environment and
/// [`arguments`](Self::arguments), in ascending precedence. The operator's values take precedence over the
/// program's, unless the program [forces](Self::force) its own. Overridden values are logged.
///
/// `O` is the type that is built: this crate's [`Orb`], or the facade's that wraps it.
#[derive(Debug)]
#[must_use]
pub struct OrbBuilder<O = Orb> {
    built: PhantomData<fn() -> O>,
    parts: Parts,
}

/// What a builder has been given. It does not depend on the type that is built, so that its code is compiled once.
#[derive(Debug)]
struct Parts {
    protocols: Vec<Arc<dyn Protocol>>,
    extensions: OptionSets,
    arguments: Vec<String>,
    file: Option<std::path::PathBuf>,
    environment: bool,
    settings: Vec<Setting>,
    /// Whether settings that follow are forced.
    forced: bool,
    missing_features: MissingFeatures,
}

/// An option that the program has set.
#[derive(Debug)]
struct Setting {
    name: String,
    value: String,
    forced: bool,
}

impl<O: From<Orb>> Default for OrbBuilder<O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: From<Orb>> OrbBuilder<O> {
    /// A builder of an ORB without protocols.
    pub fn new() -> Self {
        Self { built: PhantomData, parts: Parts::new() }
    }

    /// Sets the protocols and extensions that are not in the program, as pairs of the prefix of their options and
    /// the feature that enables them. Errors about such an option name the feature.
    #[doc(hidden)]
    pub fn missing_features(mut self, features: MissingFeatures) -> Self {
        self.parts.missing_features = features;
        self
    }

    /// Adds the options of an extension, with the values that the program gives them. Protocols add their
    /// options themselves.
    pub fn declare(mut self, options: impl OptionSet) -> Self {
        self.parts.extensions.add(Box::new(options));
        self
    }

    /// Adds a protocol, or replaces the one of the same scheme.
    pub fn protocol(mut self, protocol: Arc<dyn Protocol>) -> Self {
        self.parts.add(protocol);
        self
    }

    /// Adds an endpoint to listen on, for example `iiop://127.0.0.1:2809`.
    pub fn listen(self, url: impl Into<String>) -> Self {
        self.option("ListenEndpoints", url)
    }

    /// Sets an option from text, by its name or key. It is for options that are known only at run time.
    pub fn option(mut self, name: &str, value: impl Into<String>) -> Self {
        self.parts.set(name, value.into());
        self
    }

    /// Forces the options that `set` sets: they take precedence over the operator's.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let builder = zorb_core::Orb::builder()
    ///     .idle_timeout(Duration::from_secs(60))
    ///     .force(|orb| orb.max_message_size(1 << 20).round_trip_timeout(Duration::from_secs(2)));
    /// # builder.without_environment().options()?;
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    pub fn force(mut self, set: impl FnOnce(Self) -> Self) -> Self {
        let before = std::mem::replace(&mut self.parts.forced, true);
        let mut builder = set(self);
        builder.parts.forced = before;
        builder
    }

    /// Removes the ORB's arguments, `-ORBName value`, from `arguments`; the others remain in their order.
    ///
    /// ```
    /// let mut arguments = ["serve", "-ORBMaxForwards", "3", "--loud"].map(str::to_owned).to_vec();
    /// let builder = zorb_core::Orb::builder().arguments(&mut arguments);
    /// assert_eq!(arguments, ["serve", "--loud"]);
    /// # assert_eq!(builder.without_environment().options()?.max_forwards, 3);
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: &mut Vec<A>) -> Self {
        self.parts.arguments.extend(split_arguments(arguments));
        self
    }

    /// Reads options from `path` instead of the file that `ZORB_CONFIG` names.
    pub fn config_file(mut self, path: impl AsRef<Path>) -> Self {
        self.parts.file = Some(path.as_ref().to_owned());
        self
    }

    /// Ignores the environment including `ZORB_CONFIG`, for tests and embedded use.
    pub fn without_environment(mut self) -> Self {
        self.parts.environment = false;
        self
    }

    /// The effective options. No ORB is created.
    ///
    /// # Errors
    /// An unknown option, one of a protocol or an extension that the program does not have, or an invalid value,
    /// each with its origin; two options of the same name; a configuration file that cannot be read.
    pub fn options(&self) -> Result<Options, Error> {
        self.parts.options()
    }

    /// The effective options, after checking the names of protocols in them. No ORB is created.
    ///
    /// # Errors
    /// As [`options`](Self::options); an option that names an unknown protocol, or one twice.
    pub fn checked_options(&self) -> Result<Options, Error> {
        self.parts.choose().map(|(options, _)| options)
    }

    /// Creates the ORB, and binds its endpoints: their addresses are taken and [known](Orb::endpoints), but clients are
    /// refused until the ORB [serves](Orb::serve) or makes its first reference.
    ///
    /// # Errors
    /// As [`checked_options`](Self::checked_options); options that a protocol rejects; two protocols of the same
    /// profile tag; an endpoint that cannot be bound; another ORB of the process has the same option `Id`;
    /// `BAD_INV_ORDER`, minor `FORKED_CHILD`, if the process was forked by one that had built an ORB.
    pub fn build(self) -> Result<O, Error> {
        self.parts.build().map(O::from)
    }
}

zorb_base::orb_options!(@setters (impl<O: From<Orb>> OrbBuilder<O>));

impl<O: From<Orb>> SetOption for OrbBuilder<O> {
    fn set_option(self, name: &'static str, value: String) -> Self {
        self.option(name, value)
    }
}

impl Parts {
    fn new() -> Self {
        Self {
            protocols: Vec::new(),
            extensions: OptionSets::default(),
            arguments: Vec::new(),
            file: None,
            environment: true,
            settings: Vec::new(),
            forced: false,
            missing_features: &[],
        }
    }

    fn add(&mut self, protocol: Arc<dyn Protocol>) {
        match self.protocols.iter_mut().find(|known| known.scheme() == protocol.scheme()) {
            Some(known) => *known = protocol,
            None => self.protocols.push(protocol),
        }
    }

    fn set(&mut self, name: &str, value: String) {
        self.settings.push(Setting { name: name.to_owned(), value, forced: self.forced });
    }

    fn options(&self) -> Result<Options, Error> {
        let mut options = Options::with(&self.protocols, &self.extensions, self.missing_features)?;
        for setting in self.settings.iter().filter(|setting| !setting.forced) {
            options.set(&setting.name, &setting.value, Origin::Program)?;
        }
        let config = self.environment.then(|| std::env::var_os("ZORB_CONFIG")).flatten();
        if let Some(path) = self.file.clone().or_else(|| config.map(Into::into)) {
            options.take_file(&path)?;
        }
        if self.environment {
            options.take_environment(std::env::vars_os())?;
        }
        options.take_orb_arguments(&self.arguments)?;
        for setting in self.settings.iter().filter(|setting| setting.forced) {
            options.set(&setting.name, &setting.value, Origin::Forced)?;
        }
        Ok(options)
    }

    /// The effective options, and the protocols that they select.
    fn choose(&self) -> Result<(Options, Vec<Arc<dyn Protocol>>), Error> {
        let mut options = self.options()?;
        let protocols = chosen(&self.protocols, &mut options)?;
        Ok((options, protocols))
    }

    fn build(self) -> Result<Orb, Error> {
        OrbCore::check_process().map_err(|exception| {
            Error::new(Phase::Configure, "building an ORB")
                .with_hint("fork before the first ORB is built, or run a program in the child")
                .with_exception(exception)
        })?;
        let (options, protocols) = self.choose()?;
        log_overrides(&options);
        for protocol in &protocols {
            protocol.configure(options.added()).map_err(|error| {
                Error::new(Phase::Configure, protocol.scheme()).with_source(error)
            })?;
        }
        self.protocols
            .iter()
            .for_each(|protocol| ProtocolRegistry::record_property_fields(&**protocol));
        let inner = OrbInner::new(options);
        ids::reserve(&inner)?;
        use_interface_repository(&inner);
        let core = &inner.core;
        for protocol in protocols {
            core.protocols()
                .register(protocol)
                .map_err(|error| Error::new(Phase::Configure, "protocols").with_source(error))?;
        }
        let options = core.options();
        for url in endpoints(&options.listen_endpoints, options, core.protocols()) {
            if let Err(error) = inner.server.open(&url) {
                // Close the endpoints that have been opened.
                let _ = inner.shutdown(true);
                return Err(error);
            }
        }
        let orb = Orb::from_inner(inner);
        use_end_times(&orb);
        Ok(orb)
    }
}

fn log_overrides(options: &Options) {
    for overridden in options.overridden() {
        match overridden.by {
            Origin::Forced => tracing::warn!("{overridden}"),
            _ => tracing::info!("{overridden}"),
        }
    }
}
