// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Values of any type.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tagged {
    /// The member `name`.
    pub name: String,
    /// The member `value`.
    pub value: ::zorb::codegen::Any,
}
::zorb::codegen::structure!(Tagged, "IDL:Tagged:1.0", "Tagged", {
    name: String = "name", value: ::zorb::codegen::Any = "value",
});

/// The IDL typedef `Anys`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub type Anys = Vec<::zorb::codegen::Any>;
::zorb::codegen::typedef!(AnysAlias, "IDL:Anys:1.0", "Anys", Vec<::zorb::codegen::Any>);

/// A reference to an object of the IDL interface `Bag`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bag(::zorb::ObjectRef);
::zorb::codegen::interface!(Bag(::zorb::ObjectRef), "IDL:Bag:1.0", "Bag", []);

#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
impl Bag {
    /// The operation `take`.
    pub fn take(
        &self,
        one: &::zorb::codegen::Any,
        many: &[::zorb::codegen::Any],
    ) -> ::zorb::Result<(::zorb::codegen::Any, Anys, Tagged)> {
        ::zorb::codegen::invoke!(
            self,
            take,
            [::zorb::codegen::Any => one, Vec<::zorb::codegen::Any> => many],
            [::zorb::codegen::Any, Vec<::zorb::codegen::Any>, Tagged]
        )
    }
}

/// Implement this to serve `Bag`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub trait BagServant: Send + Sync + 'static {
    /// The operation `take`.
    fn take(
        &self,
        one: &::zorb::codegen::Any,
        many: &[::zorb::codegen::Any],
    ) -> ::zorb::Result<(::zorb::codegen::Any, Anys, Tagged)>;
}
::zorb::codegen::skeleton!(Bag, BagServant, {
    0 "take" take(one: ::zorb::codegen::Any => &one, many: Vec<::zorb::codegen::Any> => &many)
        [result: ::zorb::codegen::Any, many_after: Vec<::zorb::codegen::Any>, last: Tagged],
});
