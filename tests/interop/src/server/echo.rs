//! The common part of the servants with echo operations.

/// The echo operations of an interface: of values, of views of values, of elements.
macro_rules! echo {
    (value $($operation:ident: $type:ty;)*) => {
        $(fn $operation(&self, a: $type, b: $type) -> zorb::Result<($type, $type, $type)> {
            Ok((a, a, b))
        })*
    };
    (struct $($operation:ident: $type:ty;)*) => {
        $(fn $operation(&self, a: &$type, b: &$type) -> zorb::Result<($type, $type, $type)> {
            Ok((a.clone(), a.clone(), b.clone()))
        })*
    };
    (string $($operation:ident;)*) => {
        $(fn $operation(&self, a: &str, b: &str) -> zorb::Result<(String, String, String)> {
            Ok((a.into(), a.into(), b.into()))
        })*
    };
    (sequence $($operation:ident: $element:ty;)*) => {
        $(fn $operation(
            &self,
            a: &[$element],
            b: &[$element],
        ) -> zorb::Result<(Vec<$element>, Vec<$element>, Vec<$element>)> {
            Ok((a.to_vec(), a.to_vec(), b.to_vec()))
        })*
    };
}
pub(super) use echo;
