//! The text of implied IDL.

use std::fmt::Write as _;

use super::names::{first_free, identifier, implied, path};
use super::operations::{Callable, callables, taken};
use crate::compile::Compilation;
use crate::model::{DefId, Definition, DefinitionKind, Interface, Model, Type};

/// Which definitions the text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Reply handlers.
    Handlers,
    /// Reply handlers and pollers.
    HandlersAndPollers,
}

/// Writes what the interfaces of a compilation imply.
pub(super) fn write(compilation: &Compilation, files: &[&str], contents: Contents) -> String {
    let model = &compilation.model;
    let out = heading(files);
    let mut writer =
        Writer { model, contents, out, prefix: "", open: Vec::new(), done: Vec::new() };
    for item in model.definitions().filter(|item| !item.from_include && !item.built_in) {
        writer.interface(item.id);
    }
    writer.close(0);
    writer.change_prefix("");
    writer.out
}

fn heading(files: &[&str]) -> String {
    let mut out = "// Implied IDL: what asynchronous calls (AMI) add.\n".to_owned();
    out.push_str(
        "#ifdef __OMNIIDL__\n#include <messaging.idl>\n#else\n#include <Messaging.idl>\n#endif\n",
    );
    for file in files {
        let _ = writeln!(out, "#include \"{file}\"");
    }
    out.push('\n');
    out
}

struct Writer<'m> {
    model: &'m Model,
    contents: Contents,
    out: String,
    /// The prefix of repository ids that applies.
    prefix: &'m str,
    /// The modules that are open, from the outermost in.
    open: Vec<DefId>,
    done: Vec<DefId>,
}

impl<'m> Writer<'m> {
    /// Writes what an interface implies, after what its bases imply.
    fn interface(&mut self, id: DefId) {
        let model = self.model;
        let item = &model[id];
        if self.done.contains(&id) || !is_sent_to(model, item) {
            return;
        }
        self.done.push(id);
        let bases = model.parents(id);
        bases.iter().for_each(|base| self.interface(*base));
        let Some(modules) = modules_around(model, item) else { return };
        self.change_prefix(prefix(item));
        self.enter(&modules);
        self.comments(item);
        self.handler(item);
        if self.contents == Contents::HandlersAndPollers {
            self.poller(item);
        }
    }

    /// Closes and opens modules so that exactly these are open.
    fn enter(&mut self, modules: &[DefId]) {
        let same = self.open.iter().zip(modules).take_while(|(one, other)| one == other).count();
        self.close(same);
        for id in modules.iter().skip(same) {
            self.line(&format!("module {} {{", identifier(&self.model[*id].name)));
            self.open.push(*id);
        }
    }

    /// Closes modules until so many are open.
    fn close(&mut self, left: usize) {
        while self.open.len() > left {
            self.open.pop();
            self.line("};");
        }
    }

    /// Applies a prefix, outside of all modules.
    fn change_prefix(&mut self, prefix: &'m str) {
        if self.prefix != prefix {
            self.close(0);
            self.prefix = prefix;
            let _ = writeln!(self.out, "\n#pragma prefix \"{prefix}\"");
        }
    }

    /// Writes a line at the depth of the open modules.
    fn line(&mut self, text: &str) {
        let depth = self.open.len() * 4;
        let _ = writeln!(self.out, "{:depth$}{text}", "");
    }

    /// The bases of a definition that an interface implies: those that its bases imply, or `root`.
    fn bases(&self, item: &Definition, kind: &str, root: &str) -> String {
        let bases = self.model.parents(item.id);
        let bases = bases.iter().filter(|base| self.done.contains(base));
        let bases: Vec<String> = bases
            .map(|base| {
                let mut path = path(self.model, *base);
                let _ = path.pop();
                path.push(implied(self.model, &self.model[*base], kind));
                format!("::{}", path.join("::"))
            })
            .collect();
        if bases.is_empty() { root.to_owned() } else { bases.join(", ") }
    }
}

impl<'m> Writer<'m> {
    /// The operations that send calls, as comments.
    fn comments(&mut self, item: &'m Definition) {
        let (handler, poller) =
            (implied(self.model, item, "Handler"), implied(self.model, item, "Poller"));
        let callables = callables(self.model, item.id);
        let taken = taken(self.model, item.id);
        self.out.push('\n');
        self.line(&format!(
            "// Implied by `{}`, with the operations:",
            item.scoped_name.join("::")
        ));
        for callable in &callables {
            let sent = callable.parameters.iter().filter(|(direction, ..)| direction.is_sent());
            let sent: Vec<String> =
                sent.map(|(_, name, ty)| self.parameter("in", name, ty)).collect();
            let name = |start: &str| {
                let parts =
                    (0..).map(|times| format!("{start}{}{}", "ami_".repeat(times), callable.name));
                first_free(parts, &taken)
            };
            let handled = format!("in {handler} ami_handler");
            let all: Vec<String> = [handled].into_iter().chain(sent.iter().cloned()).collect();
            self.line(&format!("//     void {}({});", name("sendc_"), all.join(", ")));
            if self.contents == Contents::HandlersAndPollers {
                self.line(&format!("//     {poller} {}({});", name("sendp_"), sent.join(", ")));
            }
        }
    }

    /// The reply handler of an interface.
    fn handler(&mut self, item: &'m Definition) {
        let name = implied(self.model, item, "Handler");
        let bases = self.bases(item, "Handler", "::Messaging::ReplyHandler");
        self.line(&format!("interface {name} : {bases} {{"));
        let taken = taken(self.model, item.id);
        for callable in callables(self.model, item.id) {
            let returned = self.returned(&callable, "in");
            self.line(&format!(
                "    void {}({});",
                identifier(&callable.name),
                returned.join(", ")
            ));
            let excep = callable.raised(&taken);
            self.line(&format!("    void {excep}(in ::Messaging::ExceptionHolder excep_holder);"));
        }
        self.line("};");
    }

    /// The poller of an interface.
    fn poller(&mut self, item: &'m Definition) {
        let name = implied(self.model, item, "Poller");
        let bases = self.bases(item, "Poller", "::Messaging::Poller");
        self.out.push('\n');
        self.line(&format!("abstract valuetype {name} : {bases} {{"));
        for callable in callables(self.model, item.id) {
            let mut parameters = vec!["in unsigned long ami_timeout".to_owned()];
            parameters.extend(self.returned(&callable, "out"));
            let raised = callable.raises.iter();
            let raised: Vec<String> =
                raised.map(|id| format!("::{}", path(self.model, *id).join("::"))).collect();
            let raises = match raised.is_empty() {
                true => String::new(),
                false => format!(" raises ({})", raised.join(", ")),
            };
            let (name, parameters) = (identifier(&callable.name), parameters.join(", "));
            self.line(&format!("    void {name}({parameters}){raises};"));
        }
        self.line("};");
    }

    /// What a reply returns, as parameters.
    fn returned(&self, callable: &Callable<'_>, direction: &str) -> Vec<String> {
        let returned: Vec<_> =
            callable.parameters.iter().filter(|(way, ..)| way.is_returned()).collect();
        let names: Vec<&str> = returned.iter().map(|(_, name, _)| name.as_str()).collect();
        let own = (0..).map(|times| format!("{}ami_return_val", "ami_".repeat(times)));
        let result = (*callable.result != Type::Void)
            .then(|| self.parameter(direction, &first_free(own, &names), callable.result));
        let returned = returned.iter().map(|(_, name, ty)| self.parameter(direction, name, ty));
        result.into_iter().chain(returned).collect()
    }

    fn parameter(&self, direction: &str, name: &str, ty: &Type) -> String {
        let ty = match ty {
            Type::Named(id) => format!("::{}", path(self.model, *id).join("::")),
            other => self.model.type_name(other),
        };
        format!("{direction} {ty} {}", identifier(name))
    }
}

/// Whether calls can be sent to the objects of a definition: an interface that is not local.
fn is_sent_to(model: &Model, item: &Definition) -> bool {
    let is_known = |interface: &Interface| !interface.is_local && !interface.forward_only;
    matches!(&item.kind, DefinitionKind::Interface(interface) if is_known(interface))
        && item.implied_by.is_none()
        && modules_around(model, item).is_some()
}

/// The modules around a definition, from the outermost in; `None` if one cannot be reopened.
fn modules_around(model: &Model, item: &Definition) -> Option<Vec<DefId>> {
    let mut modules = Vec::new();
    let mut parent = item.parent;
    while let Some(id) = parent {
        let DefinitionKind::Module(module) = &model[id].kind else { return None };
        if module.instance.is_some() {
            return None;
        }
        modules.push(id);
        parent = model[id].parent;
    }
    modules.reverse();
    Some(modules)
}

/// The prefix of a definition's repository id.
fn prefix(item: &Definition) -> &str {
    let id = item.repository_id.strip_prefix("IDL:").unwrap_or_default();
    let name = id.rsplit_once(':').map_or(id, |(name, _)| name);
    let own = item.scoped_name.join("/");
    name.strip_suffix(own.as_str()).and_then(|prefix| prefix.strip_suffix('/')).unwrap_or_default()
}
