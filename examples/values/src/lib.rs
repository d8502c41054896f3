//! The code shared by client and server: document types and their operations.

zorb::include_idl!("archive");

use archive::{Document, DocumentFactory, Report, SummedOperations};

/// The URL of the server's object.
pub const SHELF: &str = "corbaloc::127.0.0.1:2810/shelf";

impl SummedOperations for Document {
    fn summary(&self) -> zorb::Result<String> {
        Ok(format!("{:?}, which refers to {}", self.title, self.references.len()))
    }
}

impl SummedOperations for Report {
    fn summary(&self) -> zorb::Result<String> {
        Ok(format!("{} of {}", self.base.summary()?, self.year))
    }
}

impl DocumentFactory for Document {
    fn titled(title: &str) -> zorb::Result<zorb::Value<Self>> {
        Ok(zorb::Value::new(Self { title: title.to_owned(), ..Self::default() }))
    }
}
