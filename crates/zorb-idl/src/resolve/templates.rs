//! Template modules and their instances.
//!
//! The body of a template is stored as syntax. An instance is a module whose body is resolved in a
//! scope that binds the parameters to the arguments.

use std::rc::Rc;

use super::Resolver;
use super::scope::{Entry, Scope, ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::{MAX_TEMPLATE_DEPTH, MAX_TEMPLATE_ITEMS, MAX_TEMPLATE_TOKENS};
use crate::model::{
    ConstValue, DefinitionKind, Instance, Module, TemplateArgument, TemplateModule,
    TemplateParameter, Type,
};
use crate::source::Span;
use crate::syntax::{
    ActualItem, Expr, ExprKind, FormalItem, FormalKind, InstanceItem, ScopedName, TemplateItem,
    TypeExpr, TypeKind,
};

impl Resolver<'_> {
    /// `module M<typename T> { ... };`
    pub(super) fn template(&mut self, item: &Rc<TemplateItem>, scope: ScopeId) {
        let mut names = Scope::default();
        let mut parameters = Vec::new();
        for formal in &item.parameters {
            let name = &formal.name;
            let entry = Entry { ident: name.clone(), target: Target::Member };
            if let Some(first) = names.names.insert(key(&name.text), entry) {
                let message = format!("two parameters are named `{}`", name.text);
                let diagnostic = Diagnostic::new(Code::DuplicateParameter, name.span, message);
                self.sink.push(diagnostic.label(first.ident.span, "first declared here"));
            }
            if let FormalKind::Sequence(Some(of)) = &formal.kind
                && !parameters.iter().any(|it: &TemplateParameter| it.name == *of.text)
            {
                let message = format!("`{}` is not an earlier parameter", of.text);
                self.sink.error(Code::UnknownName, of.span, message);
            }
            let kind = formal_words(&formal.kind, |ty| self.plain_words(ty));
            parameters.push(TemplateParameter { name: name.text.to_string(), kind });
        }
        let kind = DefinitionKind::TemplateModule(TemplateModule { parameters });
        let id = self.define(&item.name, kind, &item.docs, scope);
        self.templates.insert(id, (Rc::clone(item), scope));
    }

    /// The type of a constant parameter, for the model.
    fn plain_words(&self, ty: &TypeExpr) -> String {
        match &ty.kind {
            TypeKind::Basic(ty) => self.model.type_name(ty),
            TypeKind::String { wide: true, .. } => "wstring".into(),
            TypeKind::String { .. } => "string".into(),
            TypeKind::Name(name) => {
                let parts: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
                parts.join("::")
            }
            _ => "fixed".into(),
        }
    }

    /// `module M<Foo> FooM;` or `alias M<Foo> FooM;`
    pub(super) fn instance(&mut self, item: &InstanceItem, scope: ScopeId) {
        let Some(target) = self.lookup(&item.template, scope) else { return };
        let template = match target {
            Target::Definition(id) => self.templates.get(&id).map(|found| (id, found.clone())),
            _ => None,
        };
        let Some((id, (template, home))) = template else {
            let what = "is not a template module";
            self.report_bad_base(Code::BadTemplate, &item.template, target, what);
            return;
        };
        if template.parameters.len() != item.arguments.len() {
            let (wanted, found) = (template.parameters.len(), item.arguments.len());
            let message = format!("this template has {wanted} parameters, not {found}");
            let diagnostic = Diagnostic::new(Code::BadTemplate, item.template.span, message);
            self.sink.push(diagnostic.label(template.name.span, "defined here"));
            return;
        }
        if self.template_depth >= MAX_TEMPLATE_DEPTH {
            let message = format!("templates nest more than {MAX_TEMPLATE_DEPTH} levels deep");
            self.sink.error(Code::TemplateTooLarge, item.name.span, message);
            return;
        }
        let items = self.template_items_left.checked_sub(template.items.len() + 1);
        let tokens = self.template_tokens_left.checked_sub(template.tokens);
        let (Some(items), Some(tokens)) = (items, tokens) else {
            // Reported only once.
            if std::mem::take(&mut self.template_items_left) > 0 {
                let message = format!(
                    "templates produce more than {MAX_TEMPLATE_ITEMS} definitions, or more than \
                     {MAX_TEMPLATE_TOKENS} tokens"
                );
                self.sink.error(Code::TemplateTooLarge, item.name.span, message);
            }
            return;
        };
        self.template_items_left = items;
        self.template_tokens_left = tokens;
        // The parameters are declared in a scope between the template's scope and the new module.
        let outside = self.new_scope(None, home, true);
        let mut arguments = Vec::new();
        for (formal, actual) in template.parameters.iter().zip(&item.arguments) {
            let Some(argument) = self.template_argument(formal, actual, scope, outside) else {
                return;
            };
            let target = match &argument {
                TemplateArgument::Type(Type::Named(id)) => Target::Definition(*id),
                _ => Target::Argument(self.arguments.len()),
            };
            self.arguments.push(argument.clone());
            arguments.push(argument);
            if let Some(outside) = self.scopes.get_mut(outside.0) {
                let entry = Entry { ident: formal.name.clone(), target };
                outside.names.insert(key(&formal.name.text), entry);
            }
        }
        let instance = Instance { template: id, arguments };
        let inside = self.instance_scope(item, instance, scope, outside);
        self.ids.enter_scope();
        self.template_depth += 1;
        self.items(&template.items, inside);
        self.template_depth -= 1;
        self.ids.leave_scope();
    }

    /// The scope of an instance: that of a new module, or of a module of this name that is no instance yet.
    fn instance_scope(
        &mut self,
        item: &InstanceItem,
        instance: Instance,
        scope: ScopeId,
        outside: ScopeId,
    ) -> ScopeId {
        let earlier = self.entry(scope, &item.name.text);
        let earlier = earlier.filter(|earlier| earlier.ident.text == item.name.text);
        if let Some(Target::Definition(module)) = earlier.map(|earlier| earlier.target)
            && let Some(inside) = self.scope_of.get(&module).copied()
            && !self.is_around(inside, Some(outside))
            && let DefinitionKind::Module(Module { instance: None, .. }) =
                &self.model.definition(module).kind
        {
            self.reopen(module, &item.name, &item.docs);
            self.clear_introduced(inside);
            self.set_parent(inside, Some(outside));
            let definition = self.model.definitions.get_mut(module.index());
            if let Some(DefinitionKind::Module(module)) = definition.map(|it| &mut it.kind) {
                module.instance = Some(instance);
            }
            return inside;
        }
        let kind = DefinitionKind::Module(Module {
            openings: vec![item.name.span],
            instance: Some(instance),
            ..Module::default()
        });
        let module = self.define(&item.name, kind, &item.docs, scope);
        self.new_scope(Some(module), outside, true)
    }

    /// An argument, if it matches its parameter.
    fn template_argument(
        &mut self,
        formal: &FormalItem,
        actual: &ActualItem,
        scope: ScopeId,
        outside: ScopeId,
    ) -> Option<TemplateArgument> {
        if let FormalKind::Const(ty) = &formal.kind {
            // The type of this parameter may be an earlier parameter.
            let ty = self.value_type(ty, outside);
            let value = match actual {
                ActualItem::Value(value) => self.evaluate(value, &ty, scope),
                ActualItem::Name(name) => {
                    let kind = ExprKind::Name(name.clone());
                    self.evaluate(&Expr { kind, span: name.span }, &ty, scope)
                }
                ActualItem::Type(ty) => {
                    return self.wrong_argument(ty.span, formal, "a type");
                }
            };
            return (value != ConstValue::Error).then_some(TemplateArgument::Value(value));
        }
        let (ty, span) = match actual {
            ActualItem::Type(ty) => (self.value_type(ty, scope), ty.span),
            ActualItem::Name(name) => (self.argument_type(name, formal, scope)?, name.span),
            ActualItem::Value(value) => {
                return self.wrong_argument(value.span, formal, "a value");
            }
        };
        if ty == Type::Error {
            return None;
        }
        let kind = match self.model.resolve(&ty) {
            Type::Named(id) => Some(&self.model.definition(*id).kind),
            _ => None,
        };
        let fits = match &formal.kind {
            FormalKind::Type => !matches!(kind, Some(DefinitionKind::Exception(_))),
            FormalKind::Interface => matches!(
                kind,
                Some(
                    DefinitionKind::Interface(_)
                        | DefinitionKind::Component(_)
                        | DefinitionKind::Home(_)
                )
            ),
            FormalKind::Value => matches!(kind, Some(DefinitionKind::Value(_))),
            FormalKind::Event => matches!(kind, Some(DefinitionKind::Event(_))),
            FormalKind::Struct => matches!(kind, Some(DefinitionKind::Struct(_))),
            FormalKind::Union => matches!(kind, Some(DefinitionKind::Union(_))),
            FormalKind::Exception => matches!(kind, Some(DefinitionKind::Exception(_))),
            FormalKind::Enum => matches!(kind, Some(DefinitionKind::Enum(_))),
            FormalKind::Sequence(of) => self.fits_sequence(&ty, of.as_ref(), outside),
            FormalKind::Const(_) => false,
        };
        if fits {
            return Some(TemplateArgument::Type(ty));
        }
        let name = format!("`{}`", self.model.type_name(&ty));
        self.wrong_argument(span, formal, &name)
    }

    /// Whether an argument is a sequence of the type bound to another parameter.
    fn fits_sequence(
        &self,
        ty: &Type,
        of: Option<&crate::syntax::Ident>,
        outside: ScopeId,
    ) -> bool {
        let Type::Sequence { element, .. } = self.model.resolve(ty) else { return false };
        let Some(of) = of else { return true };
        let wanted = match self.entry(outside, &of.text).map(|entry| entry.target) {
            Some(Target::Definition(id)) => Type::Named(id),
            Some(Target::Argument(index)) => match self.arguments.get(index) {
                Some(TemplateArgument::Type(ty)) => ty.clone(),
                _ => return false,
            },
            _ => return true,
        };
        **element == wanted || self.model.resolve(element) == self.model.resolve(&wanted)
    }

    /// The type that a name refers to, or the exception where one is expected.
    fn argument_type(
        &mut self,
        name: &ScopedName,
        formal: &FormalItem,
        scope: ScopeId,
    ) -> Option<Type> {
        if matches!(formal.kind, FormalKind::Exception) {
            return self.exception_name(name, scope).map(Type::Named);
        }
        let ty = TypeExpr { kind: TypeKind::Name(name.clone()), span: name.span };
        Some(self.any_type(&ty, scope))
    }

    fn wrong_argument(
        &mut self,
        span: Span,
        formal: &FormalItem,
        what: &str,
    ) -> Option<TemplateArgument> {
        let words = formal_words(&formal.kind, |ty| self.plain_words(ty));
        let message = format!("{what} does not match the parameter `{words} {}`", formal.name.text);
        self.sink.push(
            Diagnostic::new(Code::BadTemplate, span, message)
                .label(formal.name.span, "parameter declared here"),
        );
        None
    }
}

fn formal_words(kind: &FormalKind, ty: impl Fn(&TypeExpr) -> String) -> String {
    match kind {
        FormalKind::Type => "typename".into(),
        FormalKind::Interface => "interface".into(),
        FormalKind::Value => "valuetype".into(),
        FormalKind::Event => "eventtype".into(),
        FormalKind::Struct => "struct".into(),
        FormalKind::Union => "union".into(),
        FormalKind::Exception => "exception".into(),
        FormalKind::Enum => "enum".into(),
        FormalKind::Const(of) => format!("const {}", ty(of)),
        FormalKind::Sequence(None) => "sequence".into(),
        FormalKind::Sequence(Some(of)) => format!("sequence<{}>", of.text),
    }
}
