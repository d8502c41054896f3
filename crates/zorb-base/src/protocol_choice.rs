//! Selects the protocols of an ORB by the options `Protocols`, `ClientProtocols` and `ServerProtocols`.

use std::sync::Arc;

use zorb_transport::{Protocol, ProtocolRegistry};

use crate::error::{Error, Phase};
use crate::options::Options;

/// The last word of `ClientProtocols` if calls may use all other protocols, too.
const ANY: &str = "any";

/// Selects the ORB's protocols from `all` those of the program, in the order of the option `Protocols`.
///
/// # Errors
/// An option names an unknown protocol, names one twice, or mixes names with and without a `-`.
pub fn chosen(
    all: &[Arc<dyn Protocol>],
    options: &mut Options,
) -> Result<Vec<Arc<dyn Protocol>>, Error> {
    options.normalize_protocols();
    let chosen = checked(all, options)?;
    let profile = |name: &String| {
        let named = chosen.iter().find(|protocol| protocol.scheme() == name);
        named.map(|protocol| protocol.profile_tag())
    };
    let profiles = |names: &[String]| names.iter().filter_map(profile).collect();
    options.client_profiles = profiles(&options.client_protocols);
    options.server_profiles = profiles(&options.server_protocols);
    Ok(chosen)
}

/// The protocols that `Protocols` selects, after checking the names in all three options.
fn checked(all: &[Arc<dyn Protocol>], options: &Options) -> Result<Vec<Arc<dyn Protocol>>, Error> {
    let names = &options.protocols;
    let excluded: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix('-')).collect();
    if !excluded.is_empty() && excluded.len() < names.len() {
        let why = "the list mixes names with and without a leading -";
        let hint = "list the protocols to use, or those to exclude, each with a leading -";
        return Err(bad(options, "Protocols", why).with_hint(hint));
    }
    for name in names.iter().map(|name| name.strip_prefix('-').unwrap_or(name)) {
        check_known(all, options, "Protocols", name)?;
    }
    let chosen = if names.is_empty() || !excluded.is_empty() {
        let is_included = |protocol: &&Arc<dyn Protocol>| !excluded.contains(&protocol.scheme());
        all.iter().filter(is_included).cloned().collect()
    } else {
        ordered(names, all.to_vec(), |protocol| protocol.scheme())
    };
    let mut client = options.client_protocols.as_slice();
    if let [listed @ .., last] = client
        && last == ANY
    {
        client = listed;
    }
    for (option, names) in
        [("ClientProtocols", client), ("ServerProtocols", &options.server_protocols)]
    {
        for name in names {
            check_known(&chosen, options, option, name)?;
        }
        check_distinct(options, option, names)?;
    }
    check_distinct(options, "Protocols", names)?;
    Ok(chosen)
}

/// Rejects a name that is not the scheme of a protocol.
fn check_known(
    protocols: &[Arc<dyn Protocol>],
    options: &Options,
    option: &str,
    name: &str,
) -> Result<(), Error> {
    if protocols.iter().any(|protocol| protocol.scheme() == name) {
        return Ok(());
    }
    Err(bad(options, option, &format!("no protocol {name:?}"))
        .with_hint(options.suggest_protocol(name, protocols)))
}

/// Rejects a name that is in a list twice: the order would be ambiguous.
fn check_distinct(options: &Options, option: &str, names: &[String]) -> Result<(), Error> {
    let is_duplicate =
        |(index, name): &(usize, &String)| names.iter().take(*index).any(|other| other == *name);
    match names.iter().enumerate().find(is_duplicate) {
        Some((_, name)) => Err(bad(options, option, &format!("{name:?} is listed twice"))),
        None => Ok(()),
    }
}

fn bad(options: &Options, option: &str, why: &str) -> Error {
    let origin = options.origin(option);
    Error::new(Phase::Configure, format!("option {option} ({origin}): {why}"))
}

/// The items whose schemes are in `names`, in the order of the names.
fn ordered<T>(names: &[String], mut items: Vec<T>, scheme: impl Fn(&T) -> &str) -> Vec<T> {
    let mut ordered = Vec::with_capacity(items.len());
    // Both lists are short.
    for name in names {
        ordered.extend(items.extract_if(.., |item| scheme(item) == name));
    }
    ordered
}

fn scheme_of(url: &str) -> &str {
    url.split_once("://").map_or("", |(scheme, _)| scheme)
}

/// The endpoints among `urls` that the option `ServerProtocols` allows, in its order. URLs without a known
/// protocol remain, so that opening them reports the error.
pub fn endpoints(urls: &[String], options: &Options, protocols: &ProtocolRegistry) -> Vec<String> {
    let names = &options.server_protocols;
    if names.is_empty() {
        return urls.to_vec();
    }
    let (known, unknown): (Vec<_>, Vec<_>) =
        urls.iter().cloned().partition(|url| protocols.by_scheme(scheme_of(url)).is_some());
    let lower: Vec<_> =
        known.iter().map(|url| (scheme_of(url).to_ascii_lowercase(), url)).collect();
    let opened = ordered(names, lower, |(scheme, _)| scheme);
    unknown.into_iter().chain(opened.into_iter().map(|(_, url)| url.clone())).collect()
}

/// The endpoints to open if the program names none: one of each protocol of the option `ServerProtocols`; without that
/// option, one of the first [secured](Protocol::is_secured) protocol, or of the ORB's first if none is.
pub fn ephemeral(options: &Options, protocols: &ProtocolRegistry) -> Vec<String> {
    let all = protocols.protocols();
    let url = |protocol: &Arc<dyn Protocol>| format!("{}://", protocol.scheme());
    match options.server_protocols.as_slice() {
        [] => {
            let secured = all.iter().find(|protocol| protocol.is_secured());
            secured.or(all.first()).map(url).into_iter().collect()
        }
        names => {
            // The endpoint of a group is opened when the group gets a member.
            let single = all.into_iter().filter(|protocol| protocol.groups().is_none()).collect();
            ordered(names, single, |protocol: &Arc<dyn Protocol>| protocol.scheme())
                .iter()
                .map(url)
                .collect()
        }
    }
}

/// The indexes of the profiles that the option `ClientProtocols` selects, in its order; `scheme` returns the protocol
/// of a profile.
pub fn for_calls<P>(profiles: &[P], options: &Options, scheme: impl Fn(&P) -> &str) -> Vec<usize> {
    let names = &options.client_protocols;
    if names.is_empty() {
        return (0..profiles.len()).collect();
    }
    let all = || profiles.iter().map(&scheme).enumerate();
    let mut order = Vec::with_capacity(profiles.len());
    for name in names {
        order.extend(all().filter(|(_, scheme)| *scheme == name).map(|(index, _)| index));
    }
    if options.allows_other_protocols() {
        let is_other = |scheme: &str| names.iter().all(|name| name != scheme);
        order.extend(all().filter(|(_, scheme)| is_other(scheme)).map(|(index, _)| index));
    }
    order
}
