//! Repository ids.

use std::collections::HashMap;
use std::rc::Rc;

use super::Resolver;
use super::prefixes::Early;
use super::scope::{ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DefId, DefinitionKind};
use crate::preprocess::{Event, EventKind, PragmaName};
use crate::source::Span;
use crate::syntax::{Ident, ScopedName};

impl Resolver<'_> {
    /// Processes a pragma, or the start or end of a file.
    pub(super) fn event(&mut self, event: &Event, scope: ScopeId) {
        match &event.kind {
            EventKind::EnterFile => {
                self.ids.files.push(Rc::clone(&self.ids.prefix));
                // A file that is included within a module continues that: as do those of the standard's own orb.idl.
                if self.ids.scopes.is_empty() {
                    self.ids.prefix = Rc::default();
                }
            }
            EventKind::LeaveFile => self.ids.prefix = self.ids.files.pop().unwrap_or_default(),
            EventKind::Prefix(prefix) => {
                if self.check_prefix_text(prefix, event.span) {
                    self.ids.prefix = prefix.as_str().into();
                }
            }
            EventKind::Id(name, id) => {
                if let Some(target) = self.pragma_target(name, scope) {
                    self.warn_of_format(id, event.span);
                    self.set_id(target, &id.as_str().into(), event.span, Format::Optional);
                }
            }
            EventKind::Version(name, version) => {
                if let Some(target) = self.pragma_target(name, scope) {
                    self.set_version(target, version, event.span);
                }
            }
        }
    }

    fn pragma_target(&mut self, name: &PragmaName, scope: ScopeId) -> Option<DefId> {
        let part = |text: &Rc<str>| Ident { text: Rc::clone(text), span: name.span };
        let name = ScopedName {
            absolute: name.absolute,
            parts: name.parts.iter().map(part).collect(),
            span: name.span,
        };
        self.id_target(&name, scope)
    }

    /// The target of a pragma or `typeid`. Operations and attributes have ids as well, but the
    /// compiler does not need them.
    fn id_target(&mut self, name: &ScopedName, scope: ScopeId) -> Option<DefId> {
        match self.lookup(name, scope)? {
            Target::Definition(id) => Some(id),
            _ => None,
        }
    }

    pub(super) fn type_id(&mut self, name: &ScopedName, id: &Rc<str>, span: Span, scope: ScopeId) {
        if let Some(target) = self.id_target(name, scope) {
            self.set_id(target, id, span, Format::Needed);
        }
    }

    /// Warns of an id without a format, as older IDL files have.
    fn warn_of_format(&mut self, id: &str, span: Span) {
        if has_format(id) || check_id(id, Format::Optional).is_err() {
            return;
        }
        let message = format!("`{id}` has no format");
        let diagnostic = Diagnostic::new(Code::IdWithoutFormat, span, message);
        self.sink.push(diagnostic.hint("for example `IDL:example.com/Module/Name:1.0`"));
    }

    pub(super) fn type_prefix(
        &mut self,
        name: &ScopedName,
        prefix: &Rc<str>,
        span: Span,
        scope: ScopeId,
    ) {
        if !self.check_prefix_text(prefix, span) {
            return;
        }
        if let [module] = &*name.parts
            && scope == ScopeId(0)
            && self.entry(scope, &module.text).is_none()
        {
            let early = self.ids.early.entry(Rc::clone(&module.text)).or_default();
            early.push(Early { name: module.clone(), prefix: Rc::clone(prefix), span });
            return;
        }
        let Some(target) = self.id_target(name, scope) else { return };
        self.set_type_prefix(target, prefix, span);
    }

    /// Applies a `typeprefix` that precedes the module that now begins, which is a tolerable fault.
    pub(super) fn apply_early_prefix(&mut self, module: &Ident, id: DefId, scope: ScopeId) {
        if scope != ScopeId(0) {
            return;
        }
        for Early { name, prefix, span } in self.ids.early.remove(&module.text).unwrap_or_default()
        {
            let message = format!("`{}` is not defined yet", name.text);
            let diagnostic = Diagnostic::new(Code::UnknownName, name.span, message)
                .label(module.span, "defined here")
                .hint("write the `typeprefix` inside the module, or behind it");
            if self.sink.push_tolerable(diagnostic) {
                self.set_type_prefix(id, &prefix, span);
            }
        }
    }

    /// Reports each `typeprefix` of a module that never came.
    pub(super) fn check_early_prefixes(&mut self) {
        let early = std::mem::take(&mut self.ids.early);
        let mut names: Vec<Ident> = early.into_values().flatten().map(|early| early.name).collect();
        names.sort_unstable_by_key(|name| name.span);
        for name in names {
            let span = name.span;
            if let Some(entry) = self.entry(ScopeId(0), &name.text)
                && entry.ident.text == name.text
            {
                let message = format!("`{}` is not defined yet", name.text);
                let diagnostic = Diagnostic::new(Code::UnknownName, span, message)
                    .label(entry.ident.span, "defined here")
                    .hint("write the `typeprefix` behind the definition");
                self.sink.push(diagnostic);
                continue;
            }
            let name = ScopedName { absolute: false, parts: vec![name], span };
            let _ = self.id_target(&name, ScopeId(0));
        }
    }

    fn set_type_prefix(&mut self, target: DefId, prefix: &Rc<str>, span: Span) {
        if let Some((earlier, first)) = self.ids.type_prefixes.get(&target)
            && earlier != prefix
        {
            let message =
                format!("`{}` already has a different prefix", self.model.scoped_name(target));
            let diagnostic = Diagnostic::new(Code::RepositoryIdConflict, span, message);
            self.sink.push(diagnostic.label(*first, "first set here"));
            return;
        }
        self.ids.type_prefixes.insert(target, (Rc::clone(prefix), span));
    }

    fn set_id(&mut self, target: DefId, id: &Rc<str>, span: Span, format: Format) {
        if let Err(problem) = check_id(id, format) {
            let message = format!("`{id}` is not a repository id: {problem}");
            let diagnostic = Diagnostic::new(Code::BadRepositoryId, span, message);
            self.sink.push(diagnostic.hint("for example `IDL:example.com/Module/Name:1.0`"));
            return;
        }
        let earlier = self.ids.explicit.get(&target).or_else(|| self.ids.versions.get(&target));
        if let Some((earlier, first)) = earlier
            && earlier != id
        {
            let message =
                format!("`{}` already has a different id", self.model.scoped_name(target));
            let diagnostic = Diagnostic::new(Code::RepositoryIdConflict, span, message);
            self.sink.push(diagnostic.label(*first, "first set here"));
            return;
        }
        self.ids.explicit.insert(target, (Rc::clone(id), span));
    }

    fn set_version(&mut self, target: DefId, version: &str, span: Span) {
        if !is_version(version) {
            let message = format!("`{version}` is not a version");
            let diagnostic = Diagnostic::new(Code::BadRepositoryId, span, message);
            self.sink.push(diagnostic.hint("a version is two numbers up to 65535: `1.2`"));
            return;
        }
        let same = |(earlier, _): &&(Rc<str>, Span)| {
            **earlier == *version
                || earlier.strip_suffix(version).is_some_and(|rest| rest.ends_with(':'))
        };
        let earlier = self.ids.explicit.get(&target).or_else(|| self.ids.versions.get(&target));
        if let Some((_, first)) = earlier.filter(|earlier| !same(earlier)) {
            let message = format!(
                "`{}` already has a different id or version",
                self.model.scoped_name(target)
            );
            let diagnostic = Diagnostic::new(Code::RepositoryIdConflict, span, message);
            self.sink.push(diagnostic.label(*first, "first set here"));
            return;
        }
        self.ids.versions.entry(target).or_insert((version.into(), span));
    }

    fn check_prefix_text(&mut self, prefix: &str, span: Span) -> bool {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "_-./".contains(char);
        let fine = prefix.chars().all(allowed)
            && !prefix.starts_with(['_', '-', '.', '/'])
            && !prefix.ends_with('/');
        if !fine {
            let message = format!("`{prefix}` is not a valid prefix");
            let diagnostic = Diagnostic::new(Code::BadPrefix, span, message);
            self.sink.push(diagnostic.hint(
                "a prefix consists of letters, digits, `_`, `-`, `.` and `/`, and starts with a \
                 letter or digit: `example.com/shop`",
            ));
        }
        fine
    }

    /// Checks that a forward declaration and its definition have the same prefix: a `typeprefix`, which may follow, makes
    /// it so. A tree may define what a built-in file only declares.
    pub(super) fn check_prefix(&mut self, id: DefId, name: &Ident) {
        let declared = self.ids.prefixes.get(id.index());
        let span = self.model.definition(id).span;
        if declared.is_none_or(|declared| *declared == self.ids.prefix)
            || self.sources.file(span.file).is_built_in()
        {
            return;
        }
        self.ids.mismatches.push((id, span, name.span));
    }

    /// Computes the ids of all definitions.
    pub(super) fn assign_ids(&mut self) {
        let mut seen: HashMap<String, DefId> = HashMap::new();
        // A `typeprefix` applies to nested definitions at any depth: parents come first.
        let mut inherited: Vec<Option<Rc<str>>> = Vec::new();
        for index in 0..self.model.definitions.len() {
            let Some(item) = self.model.definitions.get(index) else { return };
            let (id, span) = (item.id, item.span);
            let own = self.ids.type_prefixes.get(&id).map(|(prefix, _)| Rc::clone(prefix));
            let outer = item.parent.and_then(|parent| inherited.get(parent.index())?.clone());
            let type_prefix = own.or(outer);
            let prefix = match &type_prefix {
                Some(prefix) => &**prefix,
                None => self.ids.prefixes.get(index).map_or("", |prefix| prefix),
            };
            let text = match self.ids.explicit.get(&id) {
                Some((text, _)) => text.to_string(),
                None => {
                    let slash = if prefix.is_empty() { "" } else { "/" };
                    let version = self.ids.versions.get(&id).map_or("1.0", |(text, _)| text);
                    let prefix_size = prefix.len() + 48;
                    self.names_left = self.names_left.saturating_sub(prefix_size);
                    let prefix = if self.names_left == 0 { "" } else { prefix };
                    format!("IDL:{prefix}{slash}{}:{version}", item.scoped_name.join("/"))
                }
            };
            inherited.push(type_prefix);
            let module = matches!(item.kind, DefinitionKind::Module(_));
            match seen.get(&text).copied() {
                // Name clashes are reported, and imply id clashes.
                Some(other) if self.model.definition(other).scoped_name != item.scoped_name => {
                    let message = format!("`{text}` is also the id of another definition");
                    let other = self.model.definition(other).span;
                    self.sink.push(
                        Diagnostic::new(Code::DuplicateRepositoryId, span, message)
                            .label(other, "it has the same id"),
                    );
                }
                Some(_) => {}
                None if module => {}
                None => {
                    seen.insert(text.clone(), id);
                }
            }
            if let Some(item) = self.model.definitions.get_mut(index) {
                item.repository_id = text;
            }
        }
        for (id, declared, span) in std::mem::take(&mut self.ids.mismatches) {
            if inherited.get(id.index()).is_none_or(Option::is_some) || self.sink.is_full() {
                continue;
            }
            let name = &self.model.definition(id).name;
            let message = format!("`{name}` was declared with a different repository id prefix");
            self.sink.push(
                Diagnostic::new(Code::ForwardMismatch, span, message)
                    .label(declared, "declared here")
                    .hint("use the same `#pragma prefix` for both"),
            );
        }
        if self.names_left == 0 {
            let message = "the names of this compilation are too long in total";
            self.sink.push(Diagnostic::new(Code::SourceTooLarge, None, message));
        }
    }
}

fn is_version(text: &str) -> bool {
    let part = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse::<u16>().is_ok()
    };
    text.split_once('.').is_some_and(|(major, minor)| part(major) && part(minor))
}

/// Whether a repository id must have a format prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Needed,
    Optional,
}

/// Whether `id` starts with an identifier and a colon.
fn has_format(id: &str) -> bool {
    id.split_once(':').is_some_and(|(format, _)| {
        !format.is_empty() && format.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Checks the syntax of a repository id; the error says why it is malformed.
fn check_id(id: &str, format: Format) -> Result<(), &'static str> {
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("it is empty, or contains blanks or non-ASCII characters");
    }
    if !has_format(id) {
        return match (format, id.contains(':')) {
            (Format::Optional, _) => Ok(()),
            (Format::Needed, true) => Err("its format is not an identifier"),
            (Format::Needed, false) => Err("its format is not followed by `:`"),
        };
    }
    let (format, rest) = id.split_once(':').unwrap_or_default();
    if rest.is_empty() {
        return Err("nothing follows its format");
    }
    if format == "IDL" {
        let (path, version) = rest.rsplit_once(':').ok_or("it has no version")?;
        if path.is_empty() || path.starts_with('/') || path.ends_with('/') || path.contains("//") {
            return Err("its path is malformed");
        }
        if !is_version(version) {
            return Err("its version is not two numbers up to 65535");
        }
    }
    Ok(())
}
