//! Values that are found by their types.

pub use crate::sys::typed::TypedBox;

#[cfg(test)]
mod tests {
    use std::fmt::Display;
    use std::sync::Arc;

    use super::TypedBox;

    #[test]
    fn a_value_is_found_by_its_own_type_alone() {
        let shared: Arc<dyn Display + Send + Sync> = Arc::new("text");
        let typed = TypedBox::new(Box::new(Arc::clone(&shared)));
        let found = typed.downcast_ref::<Arc<dyn Display + Send + Sync>>().unwrap();
        assert!(Arc::ptr_eq(found, &shared));
        assert_eq!(found.to_string(), "text");
        assert!(typed.downcast_ref::<Arc<dyn Display + Send>>().is_none());
        assert!(typed.downcast_ref::<Arc<&str>>().is_none());
    }

    #[test]
    fn values_without_octets_have_types_too() {
        struct Nothing;
        let typed = TypedBox::new(Box::new(Nothing));
        assert!(typed.downcast_ref::<Nothing>().is_some());
        assert!(typed.downcast_ref::<()>().is_none());
    }
}
