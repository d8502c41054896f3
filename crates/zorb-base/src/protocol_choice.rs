//! Which of the program's protocols an ORB has and uses: the options `Protocols`, `ClientProtocols` and
//! `ServerProtocols`.

use std::sync::Arc;

use zorb_transport::{Protocol, ProtocolRegistry};

use crate::error::{Error, Phase};
use crate::options::Options;

/// The last word of `ClientProtocols` where all other protocols may follow.
const ANY: &str = "any";

/// The protocols that the ORB has of those that the program has, in the order of the option.
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
    options.chosen_profiles =
        [profiles(&options.client_protocols), profiles(&options.server_protocols)];
    Ok(chosen)
}

/// Those protocols, where every name is that of one.
fn checked(all: &[Arc<dyn Protocol>], options: &Options) -> Result<Vec<Arc<dyn Protocol>>, Error> {
    let names = &options.protocols;
    let without: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix('-')).collect();
    if !without.is_empty() && without.len() < names.len() {
        return Err(bad(
            options,
            "Protocols",
            "some names have a - before them, and some have none",
        )
        .with_hint("name the protocols to have, or with a - before each those to do without"));
    }
    for name in names.iter().map(|name| name.strip_prefix('-').unwrap_or(name)) {
        known(all, options, "Protocols", name)?;
    }
    let chosen = if names.is_empty() || !without.is_empty() {
        let has = |protocol: &&Arc<dyn Protocol>| !without.contains(&protocol.scheme());
        all.iter().filter(has).cloned().collect()
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
            known(&chosen, options, option, name)?;
        }
        once(options, option, names)?;
    }
    once(options, "Protocols", names)?;
    Ok(chosen)
}

/// Refuses a name that is none of the protocols'.
fn known(
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

/// Refuses a name that stands in a list twice: which of its places counts?
fn once(options: &Options, option: &str, names: &[String]) -> Result<(), Error> {
    let is_again =
        |(place, name): &(usize, &String)| names.iter().take(*place).any(|it| it == *name);
    match names.iter().enumerate().find(is_again) {
        Some((_, name)) => Err(bad(options, option, &format!("{name:?} is there twice"))),
        None => Ok(()),
    }
}

fn bad(options: &Options, option: &str, why: &str) -> Error {
    let origin = options.origin(option);
    Error::new(Phase::Configure, format!("option {option} ({origin}): {why}"))
}

/// Those of `things` whose schemes are named, in the order of the names.
fn ordered<T>(names: &[String], mut things: Vec<T>, scheme: impl Fn(&T) -> &str) -> Vec<T> {
    let mut ordered = Vec::with_capacity(things.len());
    // There are a few of each; sorting would be more code than all the rest here.
    for name in names {
        ordered.extend(things.extract_if(.., |thing| scheme(thing) == name));
    }
    ordered
}

fn scheme_of(url: &str) -> &str {
    url.split_once("://").map_or("", |(scheme, _)| scheme)
}

/// The endpoints to open of those that are named: those of the protocols that the ORB is to listen with,
/// in their order. One that is of no protocol stays, so that it is found fault with.
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

/// The endpoints to open where none is named: one of the first protocol, or of each that the ORB is to
/// listen with.
pub fn ephemeral(options: &Options, protocols: &ProtocolRegistry) -> Vec<String> {
    let all = protocols.protocols();
    let url = |protocol: &Arc<dyn Protocol>| format!("{}://", protocol.scheme());
    match options.server_protocols.as_slice() {
        [] => all.first().map(url).into_iter().collect(),
        names => {
            // Groups are listened for when they have members.
            let single = all.into_iter().filter(|protocol| protocol.groups().is_none()).collect();
            ordered(names, single, |protocol: &Arc<dyn Protocol>| protocol.scheme())
                .iter()
                .map(url)
                .collect()
        }
    }
}

/// Has the ways that `scheme` tells the protocols of be those that calls go by, in their order.
pub fn for_calls<W>(ways: Vec<W>, options: &Options, scheme: impl Fn(&W) -> &str) -> Vec<W> {
    let names = &options.client_protocols;
    if names.is_empty() {
        return ways;
    }
    let any = options.allows_other_protocols();
    let (listed, others): (Vec<_>, Vec<_>) =
        ways.into_iter().partition(|way| names.iter().any(|name| name == scheme(way)));
    let mut ordered = ordered(names, listed, &scheme);
    if any {
        ordered.extend(others);
    }
    ordered
}
