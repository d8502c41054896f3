//! Methods that send a call without waiting.

use zorb_idl::Type;
use zorb_idl::implied;
use zorb_idl::model::Definition;

use super::Emitter;
use super::methods::Signature;
use crate::ami::is_asynchronous;
use crate::layout::Call;
use crate::names::Method;

impl<'m> Emitter<'_, 'm> {
    /// The methods that send the call of `method`, to one object and to many, if it is to have them.
    pub(super) fn sending_stubs(
        &mut self,
        definition: &'m Definition,
        method: &Method,
        signature: &Signature<'_>,
    ) {
        let model = self.names.model;
        let interface = method.key.interface;
        let export = model.exports(interface).get(method.key.export);
        if !export.is_some_and(|it| is_asynchronous(model, self.options, interface, it)) {
            return;
        }
        // A one-way call is sent without waiting anyway.
        if !signature.oneway {
            let name = self.sending_name(definition, method, ["send_", ""]);
            let function = self.sending_function(&name, signature);
            let body = self.sending_body("send", "self", signature);
            let docs = format!(
                "/// Sends a call of [`{}`](Self::{}) without waiting for its reply.\n",
                method.name,
                plain_name(method)
            );
            self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
            self.sending_for_handler(definition, method, signature);
        }
        self.sending_to_all(definition, method, signature);
    }

    /// The method that sends the call of `method` for a reply handler, if its interface has one.
    fn sending_for_handler(
        &mut self,
        definition: &'m Definition,
        method: &Method,
        signature: &Signature<'_>,
    ) {
        let (model, interface) = (self.names.model, method.key.interface);
        let Some(handler) = implied::handler(model, interface) else { return };
        let operations = implied::handler_operations(model, interface, &signature.wire);
        let Some(operations) = operations else { return };
        let name = self.sending_name(definition, method, ["sendc_", ""]);
        let mut parameter = "ami_handler".to_owned();
        while signature.parameter_names().any(|other| other == parameter) {
            parameter.push('_');
        }
        let ty = self.types().parameter(&Type::Named(handler));
        let function = self.handled_function(&name, &format!("{parameter}: {ty}"), signature);
        let [results, exceptions] = &operations;
        let sending = self.sending_name(definition, method, ["send_", ""]);
        let sent = Self::forward("Self", &sending, "self", signature);
        let names = format!("[{results:?}, {exceptions:?}]");
        let parts = vec![sent, parameter.clone(), names, self.returned(signature)];
        let path = self.types().codegen("send_to_handler");
        let body = self.layout.place(Call::List { path, parts });
        let docs = format!(
            "/// Sends a call of [`{}`](Self::{}) without waiting: `{parameter}` gets its result, if there is one.\n///\n\
             /// # Errors\n/// `TRANSIENT` if there are too many pending calls.\n",
            method.name,
            plain_name(method)
        );
        self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
    }

    /// The function that sends the call of `method` to many objects.
    fn sending_to_all(
        &mut self,
        definition: &'m Definition,
        method: &Method,
        signature: &Signature<'_>,
    ) {
        let name = self.sending_name(definition, method, ["send_", "_to_all"]);
        let mut targets = "targets".to_owned();
        while signature.parameter_names().any(|other| other == targets) {
            targets.push('_');
        }
        let function = self.sending_to_all_function(&name, &targets, signature);
        let (callee, results) = match signature.oneway {
            true => ("send_oneway_to_all", "for each, in their order, whether it could be sent"),
            false => ("send_to_all", "a pending call for each, in their order"),
        };
        let body = self.sending_body(callee, &targets, signature);
        let docs = format!(
            "/// Sends the same call of [`{}`](Self::{}) to all `{targets}`, with arguments that are encoded once. \
             Returns\n/// {results}.\n",
            method.name,
            plain_name(method)
        );
        self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
    }

    /// The name of a method that sends the call of `method`, which no other one has.
    pub(super) fn sending_name(
        &self,
        definition: &Definition,
        method: &Method,
        [start, end]: [&str; 2],
    ) -> String {
        let mut name = format!("{start}{}{end}", plain_name(method));
        let methods = self.names.methods(definition.id);
        let is_taken = |name: &str| {
            let sends = name.strip_prefix("send_").filter(|_| !end.is_empty());
            let same = |other: &Method| {
                other.name == name || sends.is_some_and(|sent| plain_name(other) == sent)
            };
            methods.iter().any(same)
        };
        while is_taken(&name) {
            name.push('_');
        }
        name
    }

    /// The body of a method that sends the call to `to`.
    fn sending_body(&mut self, callee: &str, to: &str, signature: &Signature<'_>) -> String {
        let mut parts = vec![to.to_owned(), format!("{:?}", signature.wire), self.sent(signature)];
        if !signature.oneway {
            parts.push(self.returned(signature));
        }
        let call = self.layout.place(Call::List { path: self.types().codegen(callee), parts });
        match &signature.context {
            Some((name, wanted)) => format!("let {name} = &{name}.only(&{wanted:?});\n{call}"),
            None => call,
        }
    }
}

/// The name of a method without the mark of a raw identifier, for parts of names and for links, where `#` begins a fragment.
pub(super) fn plain_name(method: &Method) -> &str {
    method.name.trim_start_matches("r#")
}
