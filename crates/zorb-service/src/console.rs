//! The console: a page that shows names and servers (feature `console`).
//!
//! | Path | Contents |
//! |---|---|
//! | `/` | the page; it asks for the others every two seconds |
//! | `/state` | whether the services are ready, and numbers that say what has changed |
//! | `/names?context=N&after=A` | bindings of the context with this number, in hexadecimal digits; `0` is the root |
//! | `/servers?after=A` | servers of the implementation repository |
//!
//! Lists come in pages. Each page contains the position at which the next one begins, in hexadecimal digits.

use std::sync::OnceLock;

use serde::Serialize;
use zorb::Health;
use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::server::ImplementationRepository;
use zorb_imr::server_repository::{ServerState, Status};
use zorb_naming::server::{ListedName, NamingService};
use zorb_os::random;

use crate::http::{Request, Response};

/// The most bindings or servers in a response.
const MOST_LISTED: usize = 100;

/// The most characters of a text that is shown.
const LONGEST_TEXT: usize = 256;

/// The maximum length of a position, in octets: its digits have to fit into a request.
const LONGEST_POSITION: usize = 3000;

/// The page, whose script and style have the attribute `nonce="NONCE"`.
const PAGE: &str = include_str!("console/page.html");

/// What the console shows.
#[derive(Debug)]
pub(crate) struct Console {
    health: Health,
    /// A random number, which tells processes apart that serve the same address one after the other.
    process: String,
    names: OnceLock<NamingService>,
    servers: OnceLock<ImplementationRepository>,
}

#[derive(Serialize)]
struct State {
    version: &'static str,
    process: String,
    /// Why the services are not ready.
    not_ready: Option<String>,
    names: Option<NameNumbers>,
    servers: Option<ServerNumbers>,
}

#[derive(Serialize)]
struct NameNumbers {
    contexts: usize,
    bindings: usize,
    changes: u64,
}

#[derive(Serialize)]
struct ServerNumbers {
    servers: usize,
    processes: usize,
    starting: usize,
    waiting: usize,
}

/// A page of a list.
#[derive(Serialize)]
struct Page<T> {
    rows: Vec<T>,
    /// Whether there is more, and behind what; the latter is missing behind a name that is too long.
    has_more: bool,
    next: Option<String>,
}

#[derive(Serialize)]
struct Name {
    id: String,
    kind: String,
    is_context: bool,
    context: Option<String>,
}

#[derive(Serialize)]
struct Server {
    name: String,
    state: &'static str,
    mode: &'static str,
    linked_to: String,
    /// Their ids, 0 for those that the repository does not know.
    processes: Vec<u32>,
    starts: u64,
    failures: u64,
    problem: String,
}

impl Console {
    pub(crate) fn new(health: Health) -> Self {
        let process = format!("{:016x}", random::number());
        Self { health, process, names: OnceLock::new(), servers: OnceLock::new() }
    }

    /// Shows the names of a service, unless it shows those of another one.
    pub(crate) fn show_names(&self, names: NamingService) {
        let _ = self.names.set(names);
    }

    /// The same for servers.
    pub(crate) fn show_servers(&self, servers: ImplementationRepository) {
        let _ = self.servers.set(servers);
    }

    /// The response to a request.
    pub(crate) fn answer(&self, request: &Request) -> Response {
        let malformed = || Response::error(400, "a parameter is malformed");
        match request.path.as_str() {
            "/" => page(),
            "/state" => json(&self.state()),
            "/names" => {
                let context = u64::from_str_radix(request.parameter("context"), 16);
                match (context, from_digits(request.parameter("after"))) {
                    (Ok(context), Some(after)) => found(self.names(context, &after)),
                    _ => malformed(),
                }
            }
            "/servers" => {
                let after = from_digits(request.parameter("after")).map(String::from_utf8);
                match after {
                    Some(Ok(after)) => found(self.servers(&after)),
                    _ => malformed(),
                }
            }
            _ => Response::not_found(),
        }
    }

    fn state(&self) -> State {
        let names = self.names.get().map(NamingService::statistics);
        let servers = self.servers.get().map(ImplementationRepository::statistics);
        State {
            version: env!("CARGO_PKG_VERSION"),
            process: self.process.clone(),
            not_ready: match self.health.ready() {
                Ok((true, _)) => None,
                Ok((false, why_not)) => Some(cut(&why_not)),
                Err(error) => Some(cut(&error.to_string())),
            },
            names: names.map(|numbers| NameNumbers {
                contexts: numbers.contexts,
                bindings: numbers.bindings,
                changes: numbers.changes,
            }),
            servers: servers.map(|numbers| ServerNumbers {
                servers: numbers.servers,
                processes: numbers.running,
                starting: numbers.starting,
                waiting: numbers.waiting,
            }),
        }
    }

    fn names(&self, context: u64, after: &[u8]) -> Option<Page<Name>> {
        let page = self.names.get()?.page(context, after, MOST_LISTED)?;
        Some(Page {
            rows: page.bindings.iter().map(Name::from).collect(),
            has_more: page.next.is_some(),
            next: page.next.as_deref().and_then(digits),
        })
    }

    fn servers(&self, after: &str) -> Option<Page<Server>> {
        let (all, has_more) = self.servers.get()?.status(after, MOST_LISTED as u32);
        let last = all.last().filter(|_| has_more);
        let next = last.and_then(|last| digits(last.server.as_bytes()));
        Some(Page { rows: all.iter().map(Server::from).collect(), has_more, next })
    }
}

impl From<&ListedName> for Name {
    fn from(name: &ListedName) -> Self {
        Self {
            id: cut(&name.id),
            kind: cut(&name.kind),
            is_context: name.is_context,
            context: name.context.map(|number| format!("{number:x}")),
        }
    }
}

impl From<&Status> for Server {
    fn from(status: &Status) -> Self {
        Self {
            name: cut(&status.server),
            state: match status.state {
                ServerState::Stopped => "stopped",
                ServerState::Starting => "starting",
                ServerState::Running => "running",
                ServerState::Stopping => "stopping",
                ServerState::Failed => "failed",
            },
            mode: match status.startup.activation {
                ActivationMode::Normal => "normal",
                ActivationMode::Manual => "manual",
                ActivationMode::PerClient => "per client",
                ActivationMode::AutoStart => "auto",
            },
            linked_to: cut(&status.linked_to),
            processes: status.running.iter().map(|it| it.process).take(MOST_LISTED).collect(),
            starts: status.starts,
            failures: status.failures,
            problem: cut(&status.problem),
        }
    }
}

/// The page. Only its own script and style are executed.
fn page() -> Response {
    let nonce = format!("{:016x}{:016x}", random::number(), random::number());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    Response::document(policy, PAGE.replace("NONCE", &nonce))
}

fn found<T: Serialize>(value: Option<T>) -> Response {
    value.map_or_else(Response::not_found, |value| json(&value))
}

fn json<T: Serialize>(value: &T) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => Response::page("application/json", text),
        Err(error) => Response::error(500, &error.to_string()),
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The hexadecimal digits of a position; `None` if it is too long.
fn digits(octets: &[u8]) -> Option<String> {
    let octets = Some(octets).filter(|octets| octets.len() <= LONGEST_POSITION)?;
    Some(octets.iter().map(|octet| format!("{octet:02x}")).collect())
}

/// The octets of hexadecimal digits; `None` if they are none.
fn from_digits(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let octets = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    octets.collect::<Option<Vec<u8>>>().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive() {
        for octets in [&b""[..], b"\x00\xff", "ä\0ß".as_bytes()] {
            assert_eq!(from_digits(&digits(octets).unwrap()).as_deref(), Some(octets));
        }
        assert_eq!(digits(&[0; LONGEST_POSITION + 1]), None);
        for malformed in ["0", "0g", "+1", "0011x", "ä"] {
            assert_eq!(from_digits(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut(&"ä".repeat(LONGEST_TEXT)), "ä".repeat(LONGEST_TEXT));
        assert_eq!(cut(&"ä".repeat(1000)), "ä".repeat(LONGEST_TEXT) + "…");
    }
}
