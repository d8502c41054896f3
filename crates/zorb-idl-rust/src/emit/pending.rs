//! Methods that send a call without waiting.

use zorb_idl::model::Definition;

use super::Emitter;
use super::methods::Signature;
use crate::ami::is_asynchronous;
use crate::layout::Call;
use crate::names::Method;

impl<'m> Emitter<'_, 'm> {
    /// The method that sends the call of `method`, if it is to have one.
    pub(super) fn sending_stub(
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
        let mut name = format!("send_{}", method.name.trim_start_matches("r#"));
        while self.names.methods(definition.id).iter().any(|other| other.name == name) {
            name.push('_');
        }
        let parts = vec![
            "self".to_owned(),
            format!("{:?}", signature.wire),
            self.sent(signature),
            self.returned(signature),
        ];
        let call = self.layout.place(Call::List { path: self.types().codegen("send"), parts });
        let body = match &signature.context {
            Some((name, wanted)) => format!("let {name} = &{name}.only(&{wanted:?});\n{call}"),
            None => call,
        };
        let function = self.sending_function(&name, signature);
        let docs = format!(
            "/// Sends a call of [`{0}`](Self::{0}) without waiting for its reply.\n",
            method.name
        );
        self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
    }
}
