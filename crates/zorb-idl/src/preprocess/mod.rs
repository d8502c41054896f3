//! stub
use std::path::{Path,PathBuf};
use crate::{compile::Options, source::{FileLoader,SourceMap,FileId}, diagnostics::Sink};
pub(crate) struct Source { pub(crate) tokens: Vec<()>, pub(crate) events: Vec<()>, pub(crate) sources: SourceMap, pub(crate) main_files: Vec<FileId>, pub(crate) dependencies: Vec<PathBuf> }
pub(crate) fn run(_: &Options, l: &dyn FileLoader, p: &[&Path], _: &mut Sink) -> Source {
 for x in p { let _ = l.load(x); }
 Source{tokens:vec![],events:vec![],sources:SourceMap::default(),main_files:vec![],dependencies:vec![]} }
