//! Setting an ORB up.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zorb_base::error::{Error, Phase};
use zorb_base::options::CollocationStrategy;
use zorb_base::options::{
    MissingFeatures, OptionSet, OptionSets, Options, Origin, SetOption, split_arguments,
};
use zorb_base::protocol_choice::{chosen, endpoints};
use zorb_transport::{Protocol, ProtocolRegistry};

use super::handle::Orb;
use super::inner::OrbInner;
use super::resolve::look_up_interfaces;

impl Orb {
    /// A builder without any protocol; the facade's has the default ones.
    pub fn builder() -> OrbBuilder {
        OrbBuilder::new()
    }
}

/// Configures and creates an ORB: options, protocols, endpoints.
///
/// Every option has a typed method: those of the [ORB](zorb_base::options::OrbOptions) here, those of
/// [sockets](zorb_base::options::SetStreamOptions), protocols and extensions in traits. The operator sets
/// options too, by a configuration file (which `ZORB_CONFIG` names), the environment and
/// [`arguments`](Self::arguments), the later of which win, and all of them win over the program, whose
/// values are defaults unless it [forces](Self::force) them. What is overridden is logged.
///
/// `O` is what is built: this crate's [`Orb`], or the facade's that wraps it.
#[derive(Debug)]
#[must_use]
pub struct OrbBuilder<O = Orb> {
    made: PhantomData<fn() -> O>,
    protocols: Vec<Arc<dyn Protocol>>,
    extensions: OptionSets,
    arguments: Vec<String>,
    file: Option<std::path::PathBuf>,
    environment: bool,
    settings: Vec<Setting>,
    /// Whether what is set now is forced.
    forced: bool,
    missing_features: MissingFeatures,
}

/// What the program has set.
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
    /// A builder of an ORB without any protocol.
    pub fn new() -> Self {
        Self {
            made: PhantomData,
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

    /// Says which protocols and extensions the program was built without: what the names of their options
    /// begin with, each with the feature that brings it. Errors about such an option name the feature.
    #[doc(hidden)]
    pub fn missing_features(mut self, parts: &'static [(&'static str, &'static str)]) -> Self {
        self.missing_features = parts;
        self
    }

    /// Declares the options of an extension, at the values that the program gives them. Those of protocols
    /// are declared by the protocols.
    pub fn declare(mut self, options: impl OptionSet) -> Self {
        self.extensions.add(Box::new(options));
        self
    }

    /// Adds a protocol. It takes the place of one with the same scheme that was added before.
    pub fn protocol(mut self, protocol: Arc<dyn Protocol>) -> Self {
        match self.protocols.iter_mut().find(|known| known.scheme() == protocol.scheme()) {
            Some(known) => *known = protocol,
            None => self.protocols.push(protocol),
        }
        self
    }

    /// Listens on `url`, as in `iiop://127.0.0.1:2809`; may be called more than once.
    pub fn listen(self, url: impl Into<String>) -> Self {
        self.option("ListenEndpoints", url)
    }

    /// Sets an option from text, by its name or key, where the option is only known at run time.
    pub fn option(mut self, name: &str, value: impl Into<String>) -> Self {
        let forced = self.forced;
        self.settings.push(Setting { name: name.to_owned(), value: value.into(), forced });
        self
    }

    /// Forces what `set` sets: it wins over what the operator says.
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
        let before = std::mem::replace(&mut self.forced, true);
        let mut builder = set(self);
        builder.forced = before;
        builder
    }

    /// Takes the ORB's arguments, `-ORBName value`, out of the program's; the others stay in `arguments`, in
    /// their order.
    ///
    /// ```
    /// let mut arguments = ["serve", "-ORBMaxForwards", "3", "--loud"].map(str::to_owned).to_vec();
    /// let builder = zorb_core::Orb::builder().arguments(&mut arguments);
    /// assert_eq!(arguments, ["serve", "--loud"]);
    /// # assert_eq!(builder.without_environment().options()?.max_forwards, 3);
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: &mut Vec<A>) -> Self {
        self.arguments.extend(split_arguments(arguments));
        self
    }

    /// Reads options from `path` instead of the file that `ZORB_CONFIG` names.
    pub fn config_file(mut self, path: impl AsRef<Path>) -> Self {
        self.file = Some(path.as_ref().to_owned());
        self
    }

    /// Leaves the environment and its `ZORB_CONFIG` out: for tests and embedded use.
    pub fn without_environment(mut self) -> Self {
        self.environment = false;
        self
    }

    /// The effective options, without setting anything up.
    ///
    /// # Errors
    /// An unknown option, one of a protocol or an extension that the program does not have, or a bad value,
    /// with where it came from; two options of the same name.
    pub fn options(&self) -> Result<Options, Error> {
        let mut options = Options::with(&self.protocols, &self.extensions, self.missing_features)?;
        for setting in self.settings.iter().filter(|setting| !setting.forced) {
            options.set(&setting.name, &setting.value, Origin::Program)?;
        }
        let named = self.environment.then(|| std::env::var_os("ZORB_CONFIG")).flatten();
        if let Some(path) = self.file.clone().or_else(|| named.map(Into::into)) {
            options.take_file(&path)?;
        }
        if self.environment {
            let readable = std::env::vars_os()
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
            options.take_environment(readable)?;
        }
        options.take_orb_arguments(&self.arguments)?;
        for setting in self.settings.iter().filter(|setting| setting.forced) {
            options.set(&setting.name, &setting.value, Origin::Forced)?;
        }
        Ok(options)
    }

    /// The same, where every protocol that they name is one of the program's.
    ///
    /// # Errors
    /// As [`options`](Self::options); an option that names a protocol that there is not.
    pub fn checked_options(&self) -> Result<Options, Error> {
        self.choose().map(|(options, _)| options)
    }

    /// The effective options, and the protocols that the ORB has by them.
    fn choose(&self) -> Result<(Options, Vec<Arc<dyn Protocol>>), Error> {
        let mut options = self.options()?;
        let protocols = chosen(&self.protocols, &mut options)?;
        Ok((options, protocols))
    }

    /// Sets the ORB up and opens its endpoints.
    ///
    /// # Errors
    /// A bad option, or one that names a protocol that there is not, or one twice; two protocols of the
    /// same profile tag; an endpoint that cannot be opened.
    pub fn build(self) -> Result<O, Error> {
        let (options, protocols) = self.choose()?;
        log_overrides(&options);
        for protocol in &protocols {
            protocol.configure(options.added()).map_err(|error| {
                Error::new(Phase::Configure, protocol.scheme()).with_source(error)
            })?;
        }
        self.protocols.iter().for_each(|protocol| ProtocolRegistry::note(&**protocol));
        let inner = OrbInner::new(options);
        look_up_interfaces(&inner);
        let core = &inner.core;
        for protocol in protocols {
            core.protocols()
                .register(protocol)
                .map_err(|error| Error::new(Phase::Configure, "protocols").with_source(error))?;
        }
        let options = core.options();
        for url in endpoints(&options.listen_endpoints, options, core.protocols()) {
            if let Err(error) = inner.server.listen(&url) {
                // The endpoints that did open must not outlive the ORB that never was.
                let _ = inner.shutdown(true);
                return Err(error);
            }
        }
        Ok(Orb::from_inner(inner).into())
    }
}

zorb_base::orb_options!(@setters (impl<O: From<Orb>> OrbBuilder<O>));

impl<O: From<Orb>> SetOption for OrbBuilder<O> {
    fn set_option(self, name: &'static str, value: String) -> Self {
        self.option(name, value)
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
