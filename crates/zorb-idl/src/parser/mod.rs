//! stub
pub(crate) fn parse(_: &[()], _: &[()], _: &mut crate::diagnostics::Sink) -> crate::syntax::Tree { crate::syntax::Tree }
