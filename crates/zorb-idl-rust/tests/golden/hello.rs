// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// The IDL module `Hello`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod hello {
    /// A reference to an object of the IDL interface `Hello::Greeter`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Greeter(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Greeter(::zorb::ObjectRef), "IDL:Hello/Greeter:1.0", "Greeter", []);
    impl Greeter {
        /// The operation `say_hello`.
        pub fn say_hello(&self, name: &str) -> ::zorb::Result<String> {
            ::zorb::codegen::invoke!(self, say_hello, [String => name], [String])
        }
    }

    /// Implement this to serve `Hello::Greeter`.
    pub trait GreeterServant: Send + Sync + 'static {
        /// The operation `say_hello`.
        fn say_hello(&self, name: &str) -> ::zorb::Result<String>;
    }
    ::zorb::codegen::skeleton!(Greeter, GreeterServant, {
        0 "say_hello" say_hello(name: String => &name) [result: String],
    });
}
