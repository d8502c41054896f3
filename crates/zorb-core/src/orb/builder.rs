//! Setting an ORB up.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use zorb_transport::{Protocol, ProtocolRegistry};

use super::Orb;
use super::choice::{chosen, endpoints};
use super::core::OrbCore;
use crate::error::{Error, Phase};
use crate::options::{LeftOut, Options, Origin};

/// Sets an ORB up: options, protocols, endpoints.
///
/// Every option of the [ORB](crate::options::TABLE) and of its [protocols](Protocol::options) can be set with [`option`](Self::option);
/// the common ones have a method. Options come from `zorb.toml` (the file that `ZORB_CONFIG`
/// names), the environment, [`arguments`](Self::arguments) and the builder, the later winning.
///
/// `O` is what is built: this crate's [`Orb`], or the facade's that wraps it.
#[derive(Debug)]
#[must_use]
pub struct OrbBuilder<O = Orb> {
    made: PhantomData<fn() -> O>,
    protocols: Vec<Arc<dyn Protocol>>,
    arguments: Vec<String>,
    file: Option<std::path::PathBuf>,
    environment: bool,
    settings: Vec<(String, String)>,
    left_out: LeftOut,
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
            arguments: Vec::new(),
            file: None,
            environment: true,
            settings: Vec::new(),
            left_out: &[],
        }
    }

    /// Says which protocols the program was built without, by their schemes, each with the name of the
    /// feature that brings it: for errors that name one.
    pub fn left_out(mut self, protocols: &'static [(&'static str, &'static str)]) -> Self {
        self.left_out = protocols;
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

    /// Sets an initial reference: `init_ref("NameService", "corbaloc::host/NameService")`.
    pub fn init_ref(self, name: &str, url: &str) -> Self {
        self.option("InitRef", format!("{name}={url}"))
    }

    /// The URL prefix of initial references that nothing else names, as in `corbaloc::host`.
    pub fn default_init_ref(self, prefix: impl Into<String>) -> Self {
        self.option("DefaultInitRef", prefix)
    }

    /// The longest wait for a reply; calls that take longer fail with `TIMEOUT`.
    pub fn round_trip_timeout(self, timeout: Duration) -> Self {
        self.option("RoundTripTimeout", whole_millis(timeout))
    }

    /// The longest wait for a connection.
    pub fn connect_timeout(self, timeout: Duration) -> Self {
        self.option("ConnectTimeout", whole_millis(timeout))
    }

    /// Sets any option of the table by its name.
    pub fn option(mut self, name: &str, value: impl Into<String>) -> Self {
        self.settings.push((name.to_owned(), value.into()));
        self
    }

    /// Takes `-ORBName value` pairs from the program's arguments; other arguments are left alone.
    pub fn arguments<I>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = String>,
    {
        self.arguments.extend(arguments);
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
    /// An unknown option, one of a protocol that the program has not, or a bad value, with where it came
    /// from; two protocols with an option of the same name.
    pub fn options(&self) -> Result<Options, Error> {
        let mut options = Options::with(&self.protocols, self.left_out)?;
        let named = self.environment.then(|| std::env::var_os("ZORB_CONFIG")).flatten();
        if let Some(path) = self.file.clone().or_else(|| named.map(Into::into)) {
            options.take_file(&path)?;
        }
        if self.environment {
            let readable = std::env::vars_os()
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
            options.take_environment(readable)?;
        }
        options.take_arguments(self.arguments.iter().cloned())?;
        for (name, value) in &self.settings {
            options.set(name, value, Origin::Builder)?;
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
        configure(&protocols, &options)?;
        self.protocols.iter().for_each(|protocol| ProtocolRegistry::note(&**protocol));
        let core = OrbCore::new(options);
        for protocol in protocols {
            core.protocols()
                .register(protocol)
                .map_err(|error| Error::new(Phase::Configure, "protocols").because(error))?;
        }
        let options = core.options();
        for url in endpoints(&options.listen_endpoints, options, core.protocols()) {
            if let Err(error) = core.listen(&url) {
                // The endpoints that did open must not outlive the ORB that never was.
                let _ = core.shutdown(true);
                return Err(error);
            }
        }
        Ok(Orb::from_core(core).into())
    }
}

/// Gives each protocol the options that belong to it.
fn configure(protocols: &[Arc<dyn Protocol>], options: &Options) -> Result<(), Error> {
    for protocol in protocols {
        protocol
            .configure(&options.of_protocol(&**protocol))
            .map_err(|error| Error::new(Phase::Configure, protocol.scheme()).because(error))?;
    }
    Ok(())
}

/// A time-out as an option has it, rounded up: none becomes the zero that stands for no time-out.
fn whole_millis(timeout: Duration) -> String {
    timeout.as_nanos().div_ceil(1_000_000).to_string()
}
