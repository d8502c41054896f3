//! Resolves initial references, URLs and stringified references.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_cdr::Wire;
use zorb_giop::{Corbaloc, CorbalocAddress, Ior, NamingContextAddress, ObjectUrl, TaggedProfile};
use zorb_invocation::interface::Interface;
use zorb_invocation::object::ObjectRef;
use zorb_types::{CompletionStatus, MinorCode, Report, SystemException, minor};

use super::inner::OrbInner;
use super::invalid_name;
use crate::corbaname;

/// The maximum length of a chain of files and initial references.
const MAX_DEPTH: u32 = 8;
/// The maximum size of a file with a reference, in octets.
const MAX_FILE: u64 = 1 << 20;

pub(super) fn resolve_typed<T: Interface>(orb: &Arc<OrbInner>, url: &str) -> Result<T, Error> {
    let object = string_to_object(orb, url, 0)?.ok_or_else(|| {
        Error::new(Phase::Resolve, shorten(url)).with_source("the reference is nil")
    })?;
    narrow(&object, url)
}

/// Narrows `object`; an error contains `what`, the URL or name of the object.
pub(super) fn narrow<T: Interface>(object: &ObjectRef, what: &str) -> Result<T, Error> {
    match object.narrow::<T>() {
        Ok(Some(reference)) => Ok(reference),
        Ok(None) => {
            let exception =
                SystemException::bad_param(minor::bad_param::WRONG_INTERFACE, CompletionStatus::No);
            Err(Error::new(Phase::Resolve, shorten(what))
                .with_source(format!("the object is not of type {}", T::REPOSITORY_ID))
                .with_exception(exception))
        }
        Err(exception) => Err(exception.into()),
    }
}

/// Resolves the initial reference `name`; `depth` is the length of the chain so far.
pub(super) fn initial_reference(
    orb: &Arc<OrbInner>,
    name: &str,
    depth: u32,
) -> Result<ObjectRef, Error> {
    let registered = {
        let initial = orb.initial.lock();
        initial.get(name).cloned()
    };
    if let Some(object) = registered {
        return Ok(object);
    }
    let options = orb.core.options();
    let named = options.init_ref.iter().find(|(known, _)| known == name);
    let prefix = options.default_init_ref.trim_end_matches('/');
    let url = match named {
        Some((_, url)) => url.clone(),
        None if !prefix.is_empty() => format!("{prefix}/{name}"),
        None => {
            let error = invalid_name::unknown(name);
            if orb.has_local(name) {
                return Err(error.with_hint("it is a local object: use initial_local"));
            }
            let mut hint = format!("set it with -ORBInitRef {name}=URL");
            let named: Vec<_> = options.init_ref.iter().map(|(known, _)| known.as_str()).collect();
            if !named.is_empty() {
                hint = format!("{hint}; InitRef names: {}", named.join(", "));
            }
            return Err(error.with_hint(hint));
        }
    };
    string_to_object(orb, &url, depth + 1)?
        .ok_or_else(|| Error::new(Phase::Resolve, format!("initial reference {name:?} is nil")))
}

/// The initial reference `name`, narrowed; a failure to reach the object names it.
pub(super) fn typed_initial_reference<T: Interface>(
    orb: &Arc<OrbInner>,
    name: &str,
) -> Result<T, Error> {
    let object = initial_reference(orb, name, 0)?;
    narrow(&object, name).map_err(|error| {
        let (Some(exception), Some(context)) = (error.system_exception(), error.context()) else {
            return error;
        };
        if context.phase() == Phase::Resolve {
            return error;
        }
        let what = match context.target() {
            Some(target) => format!("initial reference {name:?} at {target}"),
            None => format!("initial reference {name:?}"),
        };
        let cause = match context.source() {
            Some(source) => Report(source).to_string(),
            None => exception.to_string(),
        };
        let failure = Error::new(Phase::Resolve, what).with_exception(exception.clone());
        let failure = failure.with_source(cause);
        match error.hint() {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    })
}

pub(super) fn register_initial(
    orb: &OrbInner,
    name: &str,
    object: &ObjectRef,
) -> Result<(), Error> {
    let mut initial = orb.initial.lock();
    if name.is_empty() || initial.contains_key(name) || orb.has_local(name) {
        return Err(invalid_name::not_available(name));
    }
    initial.insert(name.to_owned(), object.clone());
    Ok(())
}

/// Makes the adapters answer `_interface` from the initial reference `InterfaceRepository`.
pub(super) fn use_interface_repository(orb: &Arc<OrbInner>) {
    let weak = Arc::downgrade(orb);
    orb.adapters.set_interface_lookup(Box::new(move |type_id| match weak.upgrade() {
        Some(orb) => interface(&orb, type_id),
        None => Err(no_repository()),
    }));
}

#[cold]
fn interface(orb: &Arc<OrbInner>, type_id: &str) -> Result<Ior, SystemException> {
    let repository =
        initial_reference(orb, "InterfaceRepository", 0).map_err(|_| no_repository())?;
    let definition = repository.invoke::<Ior, SystemException>(
        "lookup_id",
        |writer| writer.write_latin1(type_id),
        Ior::read,
    )?;
    if definition.is_nil() {
        let no = CompletionStatus::No;
        return Err(SystemException::intf_repos(minor::intf_repos::NO_ENTRY, no));
    }
    Ok(definition)
}

fn no_repository() -> SystemException {
    SystemException::intf_repos(minor::intf_repos::NOT_AVAILABLE, CompletionStatus::No)
}

pub(super) fn string_to_object(
    orb: &Arc<OrbInner>,
    url: &str,
    depth: u32,
) -> Result<Option<ObjectRef>, Error> {
    if depth > MAX_DEPTH {
        return Err(bad_url(url, minor::bad_param::BAD_URL)
            .with_source(format!("the reference leads through more than {MAX_DEPTH} others")));
    }
    let parsed = ObjectUrl::parse(url.trim()).map_err(|error| {
        let hint = error.hint;
        bad_url(url, error.minor()).with_source(error).with_hint(hint)
    })?;
    match parsed {
        ObjectUrl::Ior(ior) if ior.is_nil() => Ok(None),
        ObjectUrl::Ior(ior) => Ok(Some(named_object(orb, ior))),
        ObjectUrl::Corbaloc(corbaloc) => corbaloc_object(orb, url, &corbaloc).map(Some),
        ObjectUrl::Rir { key } => initial_reference(orb, &key, depth).map(Some),
        ObjectUrl::Corbaname(corbaname) => {
            let context = match &corbaname.context {
                NamingContextAddress::Corbaloc(corbaloc) => corbaloc_object(orb, url, corbaloc)?,
                NamingContextAddress::Rir { key } => initial_reference(orb, key, depth)?,
            };
            let found = corbaname::resolve(&context, &corbaname.name)
                .map_err(|error| error.into_source_of(bad_url(url, minor::bad_param::BAD_URL)))?;
            if let Some(object) = &found {
                orb.client.permit_sockets_of(object.ior());
            }
            Ok(found)
        }
        ObjectUrl::File(path) => {
            let text = read_reference(Path::new(&path))
                .map_err(|error| bad_url(url, minor::bad_param::BAD_URL).with_source(error))?;
            string_to_object(orb, &text, depth + 1)
        }
    }
}

/// Reads a file with a reference. It rejects devices and pipes, which may be endless.
fn read_reference(path: &Path) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut text = String::new();
    // Limit what is read: the file may grow in the meantime.
    File::open(path)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("larger than the limit, {MAX_FILE} octets")));
    }
    Ok(text)
}

fn corbaloc_object(
    orb: &Arc<OrbInner>,
    url: &str,
    corbaloc: &Corbaloc,
) -> Result<ObjectRef, Error> {
    let profiles: Result<Vec<_>, _> = corbaloc
        .addresses
        .iter()
        .map(|address| profile(orb, url, address, &corbaloc.key))
        .collect();
    Ok(named_object(orb, Ior { type_id: String::new(), profiles: profiles? }))
}

/// The object of a reference that the program or the operator has named, and whose sockets are therefore permitted.
fn named_object(orb: &OrbInner, ior: Ior) -> ObjectRef {
    orb.client.permit_sockets_of(&ior);
    ObjectRef::new(&orb.client, ior)
}

fn profile(
    orb: &OrbInner,
    url: &str,
    address: &CorbalocAddress,
    key: &[u8],
) -> Result<TaggedProfile, Error> {
    let failed = || bad_url(url, minor::bad_param::BAD_ADDRESS);
    let protocol = orb.core.protocols().by_corbaloc_prefix(&address.protocol).ok_or_else(|| {
        let failed =
            failed().with_source(format!("the ORB has no protocol {:?}", address.protocol));
        // `corbaloc:host:port` lacks the second colon of `corbaloc::host:port`.
        let is_port = address.address.parse::<u16>().is_ok();
        match is_port {
            true => {
                failed.with_hint(format!("did you mean {}?", shorten(&url.replacen(':', "::", 1))))
            }
            false => failed,
        }
    })?;
    let endpoint = protocol
        .parse_corbaloc_address(&address.address)
        .map_err(|error| failed().with_source(error))?;
    protocol
        .encode_profile(&[endpoint], address.effective_version(), key, &[])
        .map_err(|error| failed().with_source(error))
}

fn bad_url(url: &str, minor: MinorCode) -> Error {
    Error::new(Phase::Resolve, shorten(url))
        .with_exception(SystemException::bad_param(minor, CompletionStatus::No))
}

/// Truncates a URL for a message, since an `IOR:` may be long.
fn shorten(url: &str) -> String {
    match url.char_indices().nth(80) {
        Some((end, _)) => format!("{}...", url.get(..end).unwrap_or_default()),
        None => url.to_owned(),
    }
}
