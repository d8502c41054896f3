//! stub
#[derive(Debug, Default)] pub(crate) struct Tree;
