//! Parsing object URLs.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{
    Corbaloc, CorbalocAddress, Corbaname, MAX_ADDRESSES, MAX_URL, NamingContextAddress, ObjectUrl,
    UrlError, UrlErrorKind, is_over, is_path, unescape,
};
use crate::{GiopVersion, Ior, IorTextError};

impl ObjectUrl {
    /// Parses a URL. The case of the scheme and surrounding white space are ignored.
    ///
    /// # Errors
    /// The position and reason, with a hint; [`UrlError::minor`] is the BAD_PARAM minor code.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        parse(text)
    }
}

impl core::str::FromStr for ObjectUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

const NAME_SERVICE: &str = "NameService";
const SCHEMES: &str = "the schemes are IOR:, corbaloc:, corbaname: and file:";
const FORM: &str = "the form is corbaloc:iiop:1.2@host:port/key";

/// ```text
/// url       = "IOR:" hex | "corbaloc:" locations | "corbaname:" locations ["#" name] | "file:" path
/// locations = "rir:" ["/" key] | address {"," address} ["/" key]
/// address   = [protocol] ":" [major "." minor "@"] text
/// ```
fn parse(text: &str) -> Result<ObjectUrl, UrlError> {
    let leading = text.len() - text.trim_start().len();
    let url = text.trim();
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(error(UrlErrorKind::BadScheme, leading, "no scheme", SCHEMES));
    };
    let part = Part { text: rest, position: leading + scheme.len() + 1 };
    if scheme.eq_ignore_ascii_case("IOR") {
        return parse_ior(url, leading);
    }
    if url.len() > MAX_URL {
        return Err(error(
            UrlErrorKind::Other,
            leading,
            "the URL is too long",
            "use a shorter key",
        ));
    }
    if scheme.eq_ignore_ascii_case("corbaloc") {
        return Ok(match part.locations()? {
            (Locations::Rir, key) => ObjectUrl::Rir { key: rir_key(key)? },
            (Locations::Addresses(addresses), key) => {
                ObjectUrl::Corbaloc(Corbaloc { addresses, key: key.unescaped()? })
            }
        });
    }
    if scheme.eq_ignore_ascii_case("corbaname") {
        return part.corbaname();
    }
    if scheme.eq_ignore_ascii_case("file") {
        return part.file();
    }
    Err(error(UrlErrorKind::BadScheme, leading, "an unknown scheme", SCHEMES))
}

fn parse_ior(url: &str, leading: usize) -> Result<ObjectUrl, UrlError> {
    let failed = match Ior::from_stringified(url) {
        Ok(ior) => return Ok(ObjectUrl::Ior(ior)),
        Err(failed) => failed,
    };
    const WHOLE: &str = "copy the whole reference, on one line";
    let kind = UrlErrorKind::BadSchemeSpecificPart;
    Err(match failed {
        IorTextError::NoPrefix => error(UrlErrorKind::BadScheme, leading, "no scheme", SCHEMES),
        IorTextError::TooLong { .. } => {
            error(UrlErrorKind::Other, leading, "the stringified reference is too long", WHOLE)
        }
        IorTextError::NotHex { position } => {
            error(kind, leading + position, "not a hexadecimal digit", WHOLE)
        }
        IorTextError::OddLength => {
            error(kind, leading + url.len(), "an odd number of hexadecimal digits", WHOLE)
        }
        IorTextError::Malformed(cause) => {
            let mut error = error(kind, leading, "not a valid object reference", WHOLE);
            error.cause = Some(cause);
            error
        }
    })
}

/// A part of the URL and its position.
#[derive(Clone, Copy)]
struct Part<'a> {
    text: &'a str,
    position: usize,
}

enum Locations {
    Rir,
    Addresses(Vec<CorbalocAddress>),
}

impl<'a> Part<'a> {
    /// Splits at the octet `at`; the second part begins `skip` octets after it.
    fn split(self, at: usize, skip: usize) -> (Self, Self) {
        let (first, rest) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let rest = rest.get(skip..).unwrap_or_default();
        let position = self.position + self.text.len() - rest.len();
        (Self { text: first, position: self.position }, Self { text: rest, position })
    }

    /// The addresses, and the key, still escaped.
    fn locations(self) -> Result<(Locations, Self), UrlError> {
        if let Some(rest) = strip_rir(self) {
            let Some(delimiter) = rest.text.chars().next() else {
                return Ok((Locations::Rir, rest));
            };
            if delimiter != '/' {
                let reason = "something other than `/` after `rir:`";
                return Err(rest.bad_address(reason, "the form is corbaloc:rir:/NameService"));
            }
            return Ok((Locations::Rir, rest.split(0, 1).1));
        }
        let mut addresses = Vec::new();
        let mut rest = self;
        loop {
            if addresses.len() >= MAX_ADDRESSES {
                return Err(rest.bad_address("too many addresses", "list fewer"));
            }
            let (address, after) = rest.address()?;
            addresses.push(address);
            if !after.text.starts_with(',') {
                return Ok((Locations::Addresses(addresses), after.split(0, 1).1));
            }
            rest = after.split(0, 1).1;
            if strip_rir(rest).is_some() {
                return Err(rest.bad_address("`rir:` beside other addresses", "use it alone"));
            }
        }
    }

    /// One address; the rest begins at its delimiter.
    fn address(self) -> Result<(CorbalocAddress, Self), UrlError> {
        let Some(colon) = self.text.find([':', '/', ',']).filter(|&at| self.octet(at) == b':')
        else {
            return Err(self.bad_address("an address without a `:`", FORM));
        };
        let (protocol, rest) = self.split(colon, 1);
        let is_name = |octet: u8| octet.is_ascii_alphanumeric() || b"+-._".contains(&octet);
        if !protocol.text.bytes().all(is_name) {
            return Err(self.bad_address("a malformed protocol name", FORM));
        }
        let mut address = CorbalocAddress {
            protocol: match protocol.text {
                "" => "iiop".to_string(),
                name => name.to_ascii_lowercase(),
            },
            version: None,
            address: String::new(),
        };
        let host = match rest.text.split_once('@') {
            Some((version, host)) if is_like_version(version) => host,
            _ => rest.text,
        };
        let is_path = is_path(&address.protocol, host);
        let delimiters: &[char] = if is_path { &['|', ','] } else { &['/', ','] };
        let end = rest.text.find(delimiters).unwrap_or(rest.text.len());
        let (mut whole, after) = rest.split(end, 0);
        if let Some(at) = whole.text.find('@') {
            let (version, host) = whole.split(at, 1);
            match version.version() {
                Ok(version) => (address.version, whole) = (Some(version), host),
                // A path may contain an `@`.
                Err(_)
                    if is_path
                        && (is_over("uiop", &address.protocol)
                            || !is_like_version(version.text)) => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(at) = whole.text.find(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(whole.split(at, 0).1.bad_address("white space in an address", FORM));
        }
        address.address = whole.text.to_string();
        Ok((address, after))
    }

    fn version(self) -> Result<GiopVersion, UrlError> {
        const HINT: &str = "the form is 1.0, 1.1 or 1.2";
        let number = |text: &str| {
            text.bytes().all(|octet| octet.is_ascii_digit()).then(|| text.parse::<u8>().ok())?
        };
        let parsed = self
            .text
            .split_once('.')
            .and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let Some((major, minor)) = parsed else {
            return Err(self.bad_address("a malformed version", HINT));
        };
        GiopVersion::of_profile(major, minor)
            .ok_or_else(|| self.bad_address("an unsupported version", HINT))
    }

    fn corbaname(self) -> Result<ObjectUrl, UrlError> {
        let hash = self.text.find('#').unwrap_or(self.text.len());
        let (before, name) = self.split(hash, 1);
        let name = name.utf8()?;
        let context = match before.locations()? {
            (Locations::Rir, key) => NamingContextAddress::Rir { key: rir_key(key)? },
            (Locations::Addresses(addresses), key) => {
                let key = match key.unescaped()? {
                    key if key.is_empty() => NAME_SERVICE.as_bytes().to_vec(),
                    key => key,
                };
                NamingContextAddress::Corbaloc(Corbaloc { addresses, key })
            }
        };
        Ok(ObjectUrl::Corbaname(Corbaname { context, name }))
    }

    /// `file:path`, `file:///path` and `file://localhost/path`.
    fn file(self) -> Result<ObjectUrl, UrlError> {
        let path = match self.text.strip_prefix("//") {
            Some(rest) => {
                let host = rest.find('/').unwrap_or(rest.len());
                let (host, path) = self.split(2 + host, 0);
                if !matches!(host.text, "//" | "//localhost") {
                    let hint = "the form is file:///path";
                    return Err(self.bad_address("a file on another host", hint));
                }
                path
            }
            None => self,
        };
        if path.text.is_empty() {
            let kind = UrlErrorKind::BadSchemeSpecificPart;
            return Err(error(kind, path.position, "no path", "the form is file:///path"));
        }
        Ok(ObjectUrl::File(path.utf8()?))
    }

    fn utf8(self) -> Result<String, UrlError> {
        String::from_utf8(self.unescaped()?).map_err(|_| {
            let kind = UrlErrorKind::BadSchemeSpecificPart;
            error(kind, self.position, "escapes that are not UTF-8", "escape the text as UTF-8")
        })
    }

    fn unescaped(self) -> Result<Vec<u8>, UrlError> {
        unescape(self.text).map_err(|at| {
            let kind = UrlErrorKind::BadSchemeSpecificPart;
            let reason = "a `%` without two hexadecimal digits";
            error(kind, self.position + at, reason, "write `%25` for a `%`")
        })
    }

    fn octet(self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or_default()
    }

    fn bad_address(self, reason: &'static str, hint: &'static str) -> UrlError {
        error(UrlErrorKind::BadAddress, self.position, reason, hint)
    }
}

/// The text after `rir:`, if the part begins with it.
fn strip_rir(part: Part<'_>) -> Option<Part<'_>> {
    let (prefix, rest) = part.split(4, 0);
    prefix.text.eq_ignore_ascii_case("rir:").then_some(rest)
}

/// Whether `text` consists of digits and dots.
fn is_like_version(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.')
}

fn rir_key(key: Part<'_>) -> Result<String, UrlError> {
    match key.utf8()? {
        key if key.is_empty() => Ok(NAME_SERVICE.to_string()),
        key => Ok(key),
    }
}

#[cold]
fn error(
    kind: UrlErrorKind,
    position: usize,
    reason: &'static str,
    hint: &'static str,
) -> UrlError {
    UrlError { kind, position, reason, hint, cause: None }
}
