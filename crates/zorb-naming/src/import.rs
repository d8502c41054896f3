//! Imports the data files of omniNames.
//!
//! omniNames appends a line to `omninames.dat` for each change, and writes the file anew from time to time:
//!
//! ```text
//! port 2809
//! persistent dd7b096b01005e98
//! create 4e616d6553657276696365                     a context with this id: the root
//! create dd7b096b01005e9800000001
//! bind IOR:01… plant area ncontext IOR:01…          in a context: id, kind, type, reference
//! unbind IOR:01… plant area
//! destroy IOR:01…
//! ```
//!
//! A `\` makes the next octet part of a name, also a space.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;

use zorb::giop::{Ior, iiop_object_key};
use zorb::{Error, ObjectRef, Orb};

use crate::cos_naming::naming_context::{BindContextError, BindError, BindNewContextError};
use crate::cos_naming::{NameComponent, NamingContext};

/// The id of omniNames' root context.
const ROOT: &[u8] = b"NameService";

/// The names in a data file of omniNames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OmniNames {
    contexts: HashMap<Vec<u8>, Bindings>,
}

/// The bindings of a context, by id and kind.
type Bindings = BTreeMap<(String, String), Bound>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    Object(Ior),
    Context(Ior),
}

/// Why a file is not a data file of omniNames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

/// What an [import](OmniNames::bind_in) has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// New contexts.
    pub contexts: usize,
    /// New bindings, also those of the contexts.
    pub bindings: usize,
    /// Names that were bound already, and have been left as they were.
    pub existing: usize,
    /// Contexts of the file that no name leads to.
    pub unreachable: usize,
}

impl OmniNames {
    /// Parses a data file.
    ///
    /// # Errors
    /// A line that omniNames does not write. The last line may be incomplete, as after a crash: it is ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, ImportError> {
        let mut names = Self::default();
        let complete = octets.ends_with(b"\n");
        let lines: Vec<&[u8]> = octets.split(|octet| *octet == b'\n').collect();
        // Behind the last newline is nothing.
        let count = lines.len() - 1;
        for (index, line) in lines.into_iter().enumerate() {
            match names.line(line) {
                Ok(()) => {}
                Err(_) if index == count && !complete => {}
                Err(what) => return Err(ImportError { line: index + 1, what }),
            }
        }
        if names.contexts.contains_key(ROOT) {
            return Ok(names);
        }
        Err(ImportError { line: count + 1, what: "the file creates no root context" })
    }

    fn line(&mut self, line: &[u8]) -> Result<(), &'static str> {
        let mut fields = Fields(Some(line.strip_suffix(b"\r").unwrap_or(line)));
        match fields.next().as_deref() {
            // Other kinds of lines are about the program itself.
            None | Some("" | "port" | "persistent") => Ok(()),
            Some("create") => {
                let key = fields.next().and_then(|text| unhex(&text));
                self.contexts.insert(key.ok_or("an id that is not hexadecimal")?, Bindings::new());
                Ok(())
            }
            Some("destroy") => {
                let key = fields.context()?;
                self.contexts.remove(&key);
                Ok(())
            }
            Some(kind @ ("bind" | "unbind")) => {
                let is_new = kind == "bind";
                let key = fields.context()?;
                let missing = "a name without id or kind";
                let name = (fields.next().ok_or(missing)?, fields.next().ok_or(missing)?);
                let bound = match is_new {
                    true => Some(fields.bound()?),
                    false => None,
                };
                let bindings =
                    self.contexts.get_mut(&key).ok_or("a context that does not exist")?;
                match bound {
                    Some(bound) => bindings.insert(name, bound),
                    None => bindings.remove(&name),
                };
                Ok(())
            }
            Some(_) => Err("an unknown kind of line"),
        }
    }

    /// The number of contexts, and of bindings in all of them.
    pub fn counts(&self) -> (usize, usize) {
        (self.contexts.len(), self.contexts.values().map(BTreeMap::len).sum())
    }

    /// Binds the names in `root`: creates a context for each one of the file that a name leads to, and binds objects and
    /// contexts of other services as they are. Names that are bound already stay.
    ///
    /// # Errors
    /// Those of the naming service; what has been bound stays bound.
    pub fn bind_in(&self, orb: &Orb, root: &NamingContext) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut created: HashMap<&[u8], NamingContext> = HashMap::from([(ROOT, root.clone())]);
        let mut next: VecDeque<&[u8]> = VecDeque::from([ROOT]);
        while let Some(key) = next.pop_front() {
            let (Some(context), Some(bindings)) =
                (created.get(key).cloned(), self.contexts.get(key))
            else {
                continue;
            };
            for ((id, kind), bound) in bindings {
                let name = [NameComponent { id: id.clone(), kind: kind.clone() }];
                let own = match bound {
                    Bound::Context(ior) => self.own(ior),
                    Bound::Object(_) => None,
                };
                let is_new = match (bound, own) {
                    (Bound::Context(_), Some(own)) => match created.get(own) {
                        Some(known) => bind_context(&context, &name, known)?,
                        None => {
                            let (made, is_new) = new_context(&context, &name)?;
                            imported.contexts += usize::from(is_new);
                            created.insert(own, made);
                            next.push_back(own);
                            is_new
                        }
                    },
                    (Bound::Context(ior), None) => {
                        bind_context(&context, &name, &orb.object(ior.clone()).unchecked_narrow())?
                    }
                    (Bound::Object(ior), _) => {
                        let object = (!ior.is_nil()).then(|| orb.object(ior.clone()));
                        bind(&context, &name, object.as_ref())?
                    }
                };
                imported.bindings += usize::from(is_new);
                imported.existing += usize::from(!is_new);
            }
        }
        let reached: HashSet<&[u8]> = created.into_keys().collect();
        imported.unreachable =
            self.contexts.keys().filter(|key| !reached.contains(key.as_slice())).count();
        Ok(imported)
    }

    /// The key of a context of the file that a reference identifies.
    fn own(&self, ior: &Ior) -> Option<&[u8]> {
        let (key, _) = self.contexts.get_key_value(&key_of(ior)?)?;
        Some(key)
    }
}

/// Whether the name was free.
fn bind(
    context: &NamingContext,
    name: &[NameComponent],
    object: Option<&ObjectRef>,
) -> Result<bool, Error> {
    match context.bind(name, object) {
        Err(BindError::AlreadyBound(_)) => Ok(false),
        outcome => Ok(outcome.map(|()| true)?),
    }
}

fn bind_context(
    context: &NamingContext,
    name: &[NameComponent],
    bound: &NamingContext,
) -> Result<bool, Error> {
    match context.bind_context(name, Some(bound)) {
        Err(BindContextError::AlreadyBound(_)) => Ok(false),
        outcome => Ok(outcome.map(|()| true)?),
    }
}

/// A context, and whether it is new: one that is bound already is used.
fn new_context(
    context: &NamingContext,
    name: &[NameComponent],
) -> Result<(NamingContext, bool), Error> {
    let (found, is_new) = match context.bind_new_context(name) {
        Err(BindNewContextError::AlreadyBound(_)) => {
            (context.resolve(name)?.map(|object| object.unchecked_narrow()), false)
        }
        outcome => (outcome?, true),
    };
    let nil =
        || Error::new(zorb::Phase::Application, "the naming service returned nil for a context");
    Ok((found.ok_or_else(nil)?, is_new))
}

/// The object key of a reference's first IIOP profile, as omniNames writes it: keys of omniORB's adapters begin with 0xff,
/// the adapter's name and a NUL, which it leaves out.
fn key_of(ior: &Ior) -> Option<Vec<u8>> {
    let profile = ior.profiles.iter().find(|profile| profile.tag.0 == 0)?;
    let key = iiop_object_key(&profile.data).ok()?;
    let id = match key {
        [0xff, rest @ ..] => rest.splitn(2, |octet| *octet == 0).nth(1)?,
        plain => plain,
    };
    Some(id.to_vec())
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, odd) = text.as_bytes().as_chunks::<2>();
    let digit = |octet: u8| char::from(octet).to_digit(16);
    let octet = |pair: &[u8; 2]| u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok();
    odd.is_empty().then(|| pairs.iter().map(octet).collect())?
}

/// The fields of a line.
struct Fields<'a>(Option<&'a [u8]>);

impl Fields<'_> {
    /// The next field, which may be empty; `None` at the end.
    fn next(&mut self) -> Option<String> {
        let mut octets = self.0.take()?.iter();
        let mut field = Vec::new();
        while let Some(octet) = octets.next() {
            match octet {
                b'\\' => field.extend(octets.next()),
                b' ' => {
                    self.0 = Some(octets.as_slice());
                    break;
                }
                octet => field.push(*octet),
            }
        }
        // omniNames writes the octets of its native code set.
        Some(
            String::from_utf8(field)
                .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()),
        )
    }

    fn reference(&mut self) -> Result<Ior, &'static str> {
        let text = self.next().ok_or("a line without a reference")?;
        Ior::from_stringified(&text).map_err(|_| "a malformed reference")
    }

    fn context(&mut self) -> Result<Vec<u8>, &'static str> {
        key_of(&self.reference()?).ok_or("a context without an IIOP profile")
    }

    fn bound(&mut self) -> Result<Bound, &'static str> {
        match self.next().as_deref() {
            Some("nobject") => self.reference().map(Bound::Object),
            Some("ncontext") => self.reference().map(Bound::Context),
            _ => Err("a binding that is neither nobject nor ncontext"),
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ImportError {}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../tests/data/omninames.dat");

    #[test]
    fn a_file_of_omninames_is_read() {
        let names = OmniNames::parse(FILE).unwrap();
        // One context of the file has been destroyed.
        assert_eq!(names.counts(), (3, 6));
        let root = &names.contexts[ROOT];
        let found: Vec<_> = root.keys().map(|(id, kind)| (id.as_str(), kind.as_str())).collect();
        assert_eq!(found, [("a", "ctx"), ("a%b", "k k"), ("sp ace", "")]);
        let Bound::Context(context) = &root[&("a".to_owned(), "ctx".to_owned())] else {
            panic!("it is a context");
        };
        let key = names.own(context).unwrap();
        assert_eq!(names.contexts[key].len(), 3);
    }

    #[test]
    fn a_last_line_that_is_cut_off_is_ignored() {
        let whole = OmniNames::parse(FILE).unwrap();
        let last = FILE.len() - 1;
        let start = FILE[..last].iter().rposition(|octet| *octet == b'\n').unwrap() + 1;
        for end in start..last - 1 {
            let cut = OmniNames::parse(&FILE[..end]).unwrap();
            assert!(cut.counts().1 < whole.counts().1, "at {end}");
        }
    }

    #[test]
    fn other_lines_are_errors() {
        let error = |text: &str| OmniNames::parse(text.as_bytes()).unwrap_err();
        let root = "create 4e616d6553657276696365\n";
        assert_eq!(error("port 1\n").what, "the file creates no root context");
        for (line, what) in [
            ("create 4e6\n", "an id that is not hexadecimal"),
            ("rename a b\n", "an unknown kind of line"),
            ("bind IOR:00 a b nobject IOR:00\n", "a malformed reference"),
            ("unbind\n", "a line without a reference"),
        ] {
            assert_eq!(error(&format!("{root}{line}")), ImportError { line: 2, what });
        }
    }
}
