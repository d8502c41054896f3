//! stub
pub(crate) fn run(_: &crate::syntax::Tree, _: &[crate::source::FileId], _: &crate::source::SourceMap, _: &mut crate::diagnostics::Sink) -> crate::model::Model { crate::model::Model::default() }
