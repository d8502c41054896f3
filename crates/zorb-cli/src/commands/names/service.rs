//! The naming service that a command asks.

use std::time::Duration;

use clap::Args;
use serde::Serialize;
use zorb::{ObjectRef, Orb};
use zorb_naming::cos_naming::naming_context::{NotFound, NotFoundReason, ResolveError};
use zorb_naming::cos_naming::{Binding, BindingType, Name, NamingContext};
use zorb_naming::{name, name_to_string};

use crate::commands::ior;
use crate::commands::ping::positive_seconds;
use crate::failure::Failure;
use crate::screen::visible;

/// The initial reference of naming services.
const NAME_SERVICE: &str = "NameService";

/// The maximum number of bindings of a context that commands read.
const MAX_BINDINGS: usize = 10_000_000;

/// How many bindings a command asks for at once.
const AT_ONCE: u32 = 1000;

/// Which naming service, and how.
#[derive(Args, Debug)]
pub(crate) struct Access {
    /// The root context: a reference, or a file that contains one
    #[arg(long, global = true, value_name = "URL")]
    naming: Option<String>,
    /// JSON output
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Timeout of connections and calls, in seconds
    #[arg(short = 'W', long, global = true, value_name = "SECONDS", default_value = "10", value_parser = positive_seconds)]
    timeout: Duration,
}

/// A naming service.
pub(super) struct Names {
    pub(super) orb: Orb,
    pub(super) root: NamingContext,
    pub(super) json: bool,
    timeout: Duration,
}

/// A binding, for output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Shown {
    /// The stringified component.
    pub(super) name: String,
    pub(super) id: String,
    pub(super) kind: String,
    /// `object` or `context`.
    pub(super) r#type: &'static str,
}

impl From<Binding> for Shown {
    fn from(binding: Binding) -> Self {
        let component = binding.binding_name.first().cloned().unwrap_or_default();
        let is_context = binding.binding_type == BindingType::Ncontext;
        Self {
            name: name_to_string(&binding.binding_name),
            id: component.id,
            kind: component.kind,
            r#type: if is_context { "context" } else { "object" },
        }
    }
}

impl Shown {
    pub(super) fn is_context(&self) -> bool {
        self.r#type == "context"
    }

    /// The name, with a `/` behind that of a context.
    pub(super) fn line(&self) -> String {
        let slash = if self.is_context() { "/" } else { "" };
        format!("{}{slash}", visible(&self.name))
    }
}

impl Names {
    pub(super) fn open(access: &Access, arguments: &[String]) -> Result<Self, Failure> {
        let orb = crate::orb::builder().arguments(&mut arguments.to_vec()).build()?;
        let is_known = || orb.initial_names().iter().any(|name| name == NAME_SERVICE);
        let url = match &access.naming {
            Some(text) => ior::load(text)?,
            None if is_known() => format!("corbaloc:rir:/{NAME_SERVICE}"),
            None => format!("corbaloc::localhost/{NAME_SERVICE}"),
        };
        let object = orb.string_to_object(&url)?;
        let object =
            object.ok_or_else(|| Failure::new("the reference of the naming service is nil"))?;
        let root = object.with_timeout(access.timeout).unchecked_narrow();
        Ok(Self { orb, root, json: access.json, timeout: access.timeout })
    }

    /// The object of a `corbaname:` or another URL, or of a name in this service.
    pub(super) fn resolve(&self, text: &str) -> Result<Option<ObjectRef>, Failure> {
        if text.starts_with("corbaname:") {
            return Ok(self.orb.string_to_object(text)?);
        }
        let resolved = self.root.resolve(&parsed(text)?);
        resolved.map_err(|error| explained(error, text))
    }

    /// The context with a name, or that of a `corbaname:`; without, the root.
    pub(super) fn context(&self, text: Option<&str>) -> Result<NamingContext, Failure> {
        let Some(text) = text else { return Ok(self.root.clone()) };
        let nil = || Failure::new(format!("{text} is bound to nil"));
        let object = self.resolve(text)?.ok_or_else(nil)?.with_timeout(self.timeout);
        let narrowed = object.narrow().map_err(zorb::Error::from)?;
        narrowed.ok_or_else(|| Failure::new(format!("{text} is not a naming context")))
    }
}

/// Parses a name.
pub(super) fn parsed(text: &str) -> Result<Name, Failure> {
    name(text).map_err(|_| {
        let failure = Failure::new(format!("`{text}` is not a name"));
        failure.hint("the form is id.kind/id.kind; write \\. for a dot in an id").into_usage()
    })
}

/// An exception of the naming service in words.
pub(super) fn explained(error: impl Into<ResolveError>, text: &str) -> Failure {
    match error.into() {
        ResolveError::NotFound(NotFound { why, rest_of_name }) => {
            let what = rest_of_name.get(..1).map(name_to_string).unwrap_or_default();
            let what = visible(&what);
            Failure::new(match why {
                NotFoundReason::MissingNode => format!("{text}: there is no `{what}`"),
                NotFoundReason::NotContext => format!("{text}: `{what}` is not a context"),
                NotFoundReason::NotObject => format!("{text}: `{what}` is a context"),
            })
        }
        ResolveError::CannotProceed(stop) => Failure::new(format!(
            "{text}: the service cannot continue at `{}`, in the context of another server",
            visible(&name_to_string(&stop.rest_of_name))
        )),
        ResolveError::InvalidName(_) => {
            Failure::new(format!("{text}: the service rejects the name"))
        }
        ResolveError::System(exception) => zorb::Error::from(exception).into(),
    }
}

/// All bindings of a context, sorted.
pub(super) fn bindings(context: &NamingContext) -> Result<Vec<Shown>, Failure> {
    let failed = |exception| Failure::from(zorb::Error::from(exception));
    let (first, iterator) = context.list(AT_ONCE).map_err(failed)?;
    let mut all: Vec<Shown> = first.into_iter().map(Shown::from).collect();
    if let Some(iterator) = iterator {
        loop {
            let (more, next) = iterator.next_n(AT_ONCE).map_err(failed)?;
            if next.is_empty() || !more {
                break;
            }
            all.extend(next.into_iter().map(Shown::from));
            if all.len() > MAX_BINDINGS {
                return Err(Failure::new(format!(
                    "more than {MAX_BINDINGS} bindings in a context"
                )));
            }
        }
        // It ends with the service if this fails.
        let _ = iterator.destroy();
    }
    all.sort();
    Ok(all)
}
