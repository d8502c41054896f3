// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Names that are awkward in Rust.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod r#match {
    /// The IDL const `match::type`.
    pub const TYPE: i32 = 1;

    /// The IDL struct `match::self`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Self_ {
        /// The member `crate`.
        pub crate_: i32,
        /// The member `fn`.
        pub r#fn: i32,
        /// The member `super`.
        pub super_: i32,
    }
    ::zorb::codegen::structure!(Self_, "IDL:match/self:1.0", "self", {
        crate_: i32 = "crate", r#fn: i32 = "fn", super_: i32 = "super",
    });

    /// The IDL enum `match::Option`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u32)]
    pub enum Option {
        /// The value `None`.
        None,
        /// The value `Ok`.
        Ok,
        /// The value `Err`.
        Err,
    }
    ::zorb::codegen::enumeration!(Option, "IDL:match/Option:1.0", "Option", {
        None = "None", Ok = "Ok", Err = "Err",
    });

    /// The IDL struct `match::String`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct String {
        /// The member `text`.
        pub text: ::std::string::String,
        /// The member `more`.
        pub more: ::std::vec::Vec<String>,
    }
    ::zorb::codegen::structure!(recursive String, "IDL:match/String:1.0", "String", {
        text: ::std::string::String = "text", more: ::std::vec::Vec<String> = "more",
    });

    /// The IDL union `match::Result`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Result {
        /// The member `good`.
        Good(::std::string::String),
        /// The member `bad`.
        Bad(::std::string::String),
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: Option,
        },
    }
    ::zorb::codegen::union!(Result, "IDL:match/Result:1.0", "Result", Option, {
        Good(::std::string::String = Option::Ok) "good",
        Bad(::zorb::codegen::WString = Option::Err) "bad",
    } empty Unset);

    /// The IDL struct `match::Vec`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Vec {
        /// The member `items`.
        pub items: ::std::vec::Vec<i32>,
        /// The member `choice`.
        pub choice: Option,
    }
    ::zorb::codegen::structure!(Vec, "IDL:match/Vec:1.0", "Vec", {
        items: ::std::vec::Vec<i32> = "items", choice: Option = "choice",
    });

    /// A reference to an object of the IDL interface `match::Some`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Some(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Some(::zorb::ObjectRef), "IDL:match/Some:1.0", "Some", []);
    impl Some {
        /// The operation `loop`.
        pub fn r#loop(
            &self,
            self_: &str,
            text: &String,
            w: &[Vec],
        ) -> ::zorb::Result<::std::string::String> {
            ::zorb::codegen::invoke!(
                self,
                r#loop "loop",
                [::std::string::String => self_, String => text, ::std::vec::Vec<Vec> => w],
                [::std::string::String]
            )
        }
    }

    /// Implement this to serve `match::Some`.
    pub trait SomeServant: ::core::marker::Send + ::core::marker::Sync + 'static {
        /// The operation `loop`.
        fn r#loop(
            &self,
            self_: &str,
            text: &String,
            w: &[Vec],
        ) -> ::zorb::Result<::std::string::String>;
    }
    ::zorb::codegen::skeleton!(Some, SomeServant, {
        0 "loop" r#loop(self_: ::std::string::String => &self_, text: String => &text, w: ::std::vec::Vec<Vec> => &w)
            [result: ::std::string::String],
    });

    /// A reference to an object of the IDL interface `match::Send`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Send(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Send(::zorb::ObjectRef), "IDL:match/Send:1.0", "Send", []);
    impl Send {
        /// The operation `Box`.
        pub fn r#box(
            &self,
            r: ::core::option::Option<&Some>,
            call: i32,
            servant: i32,
            writer: i32,
            reader: i32,
        ) -> ::zorb::Result<::core::option::Option<Some>> {
            ::zorb::codegen::invoke!(
                self,
                r#box "Box",
                [::zorb::codegen::RefArgument<Some> => r, i32 => &call, i32 => &servant, i32 => &writer, i32 => &reader],
                [::zorb::codegen::Ref<Some>]
            )
        }
    }

    /// Implement this to serve `match::Send`.
    pub trait SendServant: ::core::marker::Send + ::core::marker::Sync + 'static {
        /// The operation `Box`.
        fn r#box(
            &self,
            r: ::core::option::Option<&Some>,
            call: i32,
            servant: i32,
            writer: i32,
            reader: i32,
        ) -> ::zorb::Result<::core::option::Option<Some>>;
    }
    ::zorb::codegen::skeleton!(Send, SendServant, {
        0 "Box" r#box(r: ::zorb::codegen::Ref<Some> => r.as_ref(), call: i32 => call, servant: i32 => servant, writer: i32 => writer, reader: i32 => reader)
            [result: ::zorb::codegen::Ref<Some>],
    });

    /// The IDL exception `match::System`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct System {
        /// The member `what`.
        pub what: ::std::string::String,
    }
    ::zorb::codegen::exception!(System, "IDL:match/System:1.0", "System", {
        what: ::std::string::String = "what",
    });

    /// The IDL exception `match::Send_Error`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct SendError;
    ::zorb::codegen::exception!(SendError, "IDL:match/Send_Error:1.0", "Send_Error", {});

    /// A reference to an object of the IDL interface `match::Sync`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Sync(Send);
    ::zorb::codegen::interface!(Sync(Send), "IDL:match/Sync:1.0", "Sync", [Send]);
    impl Sync {
        /// The operation `Box`.
        pub fn r#box(
            &self,
            r: ::core::option::Option<&Some>,
            call: i32,
            servant: i32,
            writer: i32,
            reader: i32,
        ) -> ::zorb::Result<::core::option::Option<Some>> {
            self.0.r#box(r, call, servant, writer, reader)
        }

        /// The operation `clone`.
        pub fn clone(&self) -> ::zorb::Result<(), sync::CloneError> {
            ::zorb::codegen::invoke!(self, clone, [], [])
        }

        /// The operation `into`.
        pub fn into(&self, value: &Result) -> ::zorb::Result<(), sync::IntoError> {
            ::zorb::codegen::invoke!(self, into, [Result => value], [])
        }

        /// The attribute `default_`.
        pub fn default(&self) -> ::zorb::Result<bool> {
            ::zorb::codegen::invoke!(self, default "_get_default_", [], [bool])
        }

        /// Sets the attribute `default_`.
        pub fn set_default(&self, value: bool) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_default "_set_default_", [bool => &value], [])
        }
    }

    /// Implement this to serve `match::Sync`.
    pub trait SyncServant: SendServant {
        /// The operation `clone`.
        fn clone(&self) -> ::zorb::Result<(), sync::CloneError>;

        /// The operation `into`.
        fn into(&self, value: &Result) -> ::zorb::Result<(), sync::IntoError>;

        /// The attribute `default_`.
        fn default(&self) -> ::zorb::Result<bool>;

        /// Sets the attribute `default_`.
        fn set_default(&self, value: bool) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Sync, SyncServant, {
        0 "clone" clone() [],
        1 "into" into(value: Result => &value) [],
        2 "_get_default_" default() [value: bool],
        3 "_set_default_" set_default(value: bool => value) [],
    } inherited {
        4..=4 in Send ["Box"],
    });

    /// What belongs to the interface `match::Sync`.
    pub mod sync {
        ::zorb::codegen::raises!(CloneError, "match::Sync::clone", { System_(super::System) });
        ::zorb::codegen::raises!(IntoError, "match::Sync::into", {
            System_(super::System), SendError(super::SendError),
        });
    }
}

/// The IDL module `i32`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod i32_ {
    /// The IDL typedef `i32::u8`.
    pub type U8 = i32;
    ::zorb::codegen::typedef!(U8Alias, "IDL:i32/u8:1.0", "u8", i32);

    /// The IDL struct `i32::str`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Str {
        /// The member `f64`.
        pub f64: U8,
    }
    ::zorb::codegen::structure!(Str, "IDL:i32/str:1.0", "str", { f64: U8Alias = "f64" });

    /// A reference to an object of the IDL interface `i32::bool`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Bool(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Bool(::zorb::ObjectRef), "IDL:i32/bool:1.0", "bool", []);
    impl Bool {
        /// The operation `char_`.
        pub fn char(&self, usize: &Str) -> ::zorb::Result<Str> {
            ::zorb::codegen::invoke!(self, char "char_", [Str => usize], [Str])
        }
    }

    /// Implement this to serve `i32::bool`.
    pub trait BoolServant: Send + Sync + 'static {
        /// The operation `char_`.
        fn char(&self, usize: &Str) -> ::zorb::Result<Str>;
    }
    ::zorb::codegen::skeleton!(Bool, BoolServant, {
        0 "char_" char(usize: Str => &usize) [result: Str],
    });
}

/// The IDL module `Clashes`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod clashes {
    /// The IDL struct `Clashes::fooBar`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct FooBar {
        /// The member `aB`.
        pub a_b: i32,
        /// The member `a_b`.
        pub a_b_: i32,
    }
    ::zorb::codegen::structure!(FooBar, "IDL:Clashes/fooBar:1.0", "fooBar", {
        a_b: i32 = "aB", a_b_: i32 = "a_b",
    });

    /// The IDL struct `Clashes::foo_bar`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct FooBar_ {
        /// The member `x`.
        pub x: i32,
    }
    ::zorb::codegen::structure!(FooBar_, "IDL:Clashes/foo_bar:1.0", "foo_bar", { x: i32 = "x" });

    /// The IDL enum `Clashes::Mode`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u32)]
    pub enum Mode {
        /// The value `lockedUp`.
        LockedUp,
        /// The value `locked_up`.
        LockedUp_,
    }
    ::zorb::codegen::enumeration!(Mode, "IDL:Clashes/Mode:1.0", "Mode", {
        LockedUp = "lockedUp", LockedUp_ = "locked_up",
    });

    /// The IDL const `Clashes::maxSize`.
    pub const MAX_SIZE: i32 = 1;

    /// The IDL const `Clashes::max_size`.
    pub const MAX_SIZE_: i32 = 2;

    /// A reference to an object of the IDL interface `Clashes::HTTPServer`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct HttpServer(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        HttpServer(::zorb::ObjectRef),
        "IDL:Clashes/HTTPServer:1.0",
        "HTTPServer",
        []
    );
    impl HttpServer {
        /// The operation `getURL`.
        pub fn get_url(&self, the_url: &str, the_url_: &str) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(
                self,
                get_url "getURL",
                [String => the_url, String => the_url_],
                []
            )
        }

        /// The operation `get_url`.
        pub fn get_url_(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, get_url_ "get_url", [], [])
        }

        /// The attribute `x`.
        pub fn x(&self) -> ::zorb::Result<i32> {
            ::zorb::codegen::invoke!(self, x "_get_x", [], [i32])
        }

        /// Sets the attribute `x`.
        pub fn set_x(&self, value: i32) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_x "_set_x", [i32 => &value], [])
        }

        /// The operation `set_x`.
        pub fn set_x_(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_x_ "set_x", [], [])
        }
    }

    /// Implement this to serve `Clashes::HTTPServer`.
    pub trait HttpServerServant_: Send + Sync + 'static {
        /// The operation `getURL`.
        fn get_url(&self, the_url: &str, the_url_: &str) -> ::zorb::Result<()>;

        /// The operation `get_url`.
        fn get_url_(&self) -> ::zorb::Result<()>;

        /// The attribute `x`.
        fn x(&self) -> ::zorb::Result<i32>;

        /// Sets the attribute `x`.
        fn set_x(&self, value: i32) -> ::zorb::Result<()>;

        /// The operation `set_x`.
        fn set_x_(&self) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(HttpServer, HttpServerServant_, {
        0 "getURL" get_url(the_url: String => &the_url, the_url_: String => &the_url_) [],
        1 "get_url" get_url_() [],
        2 "_get_x" x() [value: i32],
        3 "_set_x" set_x(value: i32 => value) [],
        4 "set_x" set_x_() [],
    });

    /// A reference to an object of the IDL interface `Clashes::HTTPServerServant`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct HttpServerServant(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        HttpServerServant(::zorb::ObjectRef),
        "IDL:Clashes/HTTPServerServant:1.0",
        "HTTPServerServant",
        []
    );

    /// Implement this to serve `Clashes::HTTPServerServant`.
    pub trait HttpServerServantServant: Send + Sync + 'static {}
    ::zorb::codegen::skeleton!(HttpServerServant, HttpServerServantServant, {});

    /// A reference to an object of the IDL interface `Clashes::Other`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Other(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Other(::zorb::ObjectRef), "IDL:Clashes/Other:1.0", "Other", []);
    impl Other {
        /// The operation `getUrl_`.
        pub fn get_url(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, get_url "getUrl_", [], [])
        }
    }

    /// Implement this to serve `Clashes::Other`.
    pub trait OtherServant: Send + Sync + 'static {
        /// The operation `getUrl_`.
        fn get_url(&self) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Other, OtherServant, { 0 "getUrl_" get_url() [] });

    /// A reference to an object of the IDL interface `Clashes::Both`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Both(HttpServer);
    ::zorb::codegen::interface!(
        Both(HttpServer),
        "IDL:Clashes/Both:1.0",
        "Both",
        [Other, HttpServer]
    );
    impl Both {
        /// The operation `getURL`.
        pub fn get_url(&self, the_url: &str, the_url_: &str) -> ::zorb::Result<()> {
            self.0.get_url(the_url, the_url_)
        }

        /// The operation `get_url`.
        pub fn get_url_(&self) -> ::zorb::Result<()> {
            self.0.get_url_()
        }

        /// The attribute `x`.
        pub fn x(&self) -> ::zorb::Result<i32> {
            self.0.x()
        }

        /// Sets the attribute `x`.
        pub fn set_x(&self, value: i32) -> ::zorb::Result<()> {
            self.0.set_x(value)
        }

        /// The operation `set_x`.
        pub fn set_x_(&self) -> ::zorb::Result<()> {
            self.0.set_x_()
        }

        /// The operation `getUrl_`.
        pub fn get_url_2(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self as Other, get_url "getUrl_", [], [])
        }

        /// The operation `get__url`.
        pub fn get_url_3(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, get_url_3 "get__url", [], [])
        }
    }

    /// Implement this to serve `Clashes::Both`.
    pub trait BothServant: HttpServerServant_ + OtherServant {
        /// The operation `get__url`.
        fn get_url_3(&self) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Both, BothServant, {
        0 "get__url" get_url_3() [],
    } inherited {
        1..=5 in HttpServer ["getURL", "get_url", "_get_x", "_set_x", "set_x"],
        6..=6 in Other ["getUrl_"],
    });

    /// The IDL module `Clashes::http_server`.
    pub mod http_server {
        /// The IDL struct `Clashes::http_server::Inside`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Inside {
            /// The member `x`.
            pub x: i32,
        }
        ::zorb::codegen::structure!(Inside, "IDL:Clashes/http_server/Inside:1.0", "Inside", {
            x: i32 = "x",
        });
    }

    /// A reference to an object of the IDL interface `Clashes::Raiser`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Raiser(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Raiser(::zorb::ObjectRef), "IDL:Clashes/Raiser:1.0", "Raiser", []);
    impl Raiser {
        /// The operation `do_it`.
        pub fn do_it(&self) -> ::zorb::Result<(), raiser::DoItError_> {
            ::zorb::codegen::invoke!(self, do_it, [], [])
        }
    }

    /// Implement this to serve `Clashes::Raiser`.
    pub trait RaiserServant: Send + Sync + 'static {
        /// The operation `do_it`.
        fn do_it(&self) -> ::zorb::Result<(), raiser::DoItError_>;
    }
    ::zorb::codegen::skeleton!(Raiser, RaiserServant, { 0 "do_it" do_it() [] });

    /// What belongs to the interface `Clashes::Raiser`.
    pub mod raiser {
        /// The IDL exception `Clashes::Raiser::do_itError`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct DoItError;
        ::zorb::codegen::exception!(DoItError, "IDL:Clashes/Raiser/do_itError:1.0", "do_itError", {
        });
        ::zorb::codegen::raises!(DoItError_, "Clashes::Raiser::do_it", { DoItError(DoItError) });
    }
}
