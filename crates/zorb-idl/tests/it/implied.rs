//! Implied IDL: its text, and that it is valid.

use zorb_idl::implied::{Contents, text};
use zorb_idl::{Compilation, MemoryLoader, Options, compile_with};

fn compile(files: &[(&str, &str)], main: &str) -> Compilation {
    let put = |loader: MemoryLoader, (name, text): &(&str, &str)| loader.with(*name, *text);
    let loader = files.iter().fold(MemoryLoader::new(), put);
    let compilation = compile_with(&Options::new(), &loader, &[main]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    compilation
}

/// The implied IDL of `b.idl`, which has been found valid.
fn implied(base: &str, main: &str, contents: Contents) -> String {
    let files = [("a.idl", base), ("b.idl", main)];
    let implied = text(&compile(&files, "b.idl"), &["b.idl"], contents);
    compile(&[files[0], files[1], ("implied.idl", &implied)], "implied.idl");
    implied
}

#[test]
fn handlers_and_pollers_have_what_replies_return() {
    let base = "#pragma prefix \"acme.com\"\nmodule Depot { interface Root { void stop(); }; };";
    let main = r#"
        #include "a.idl"
        exception Gone {};
        module Depot {
            interface Store : Root {
                readonly attribute long size;
                attribute string owner;
                long take(in long count, inout string label, out Object where) raises (Gone);
                oneway void note(in string text);
            };
            local interface Here { void go(); };
        };
    "#;
    let expected = r#"// Implied IDL: what asynchronous calls (AMI) add.
#ifdef __OMNIIDL__
#include <messaging.idl>
#else
#include <Messaging.idl>
#endif
#include "b.idl"


#pragma prefix "acme.com"
module Depot {

    // Implied by `Depot::Root`, with the operations:
    //     void sendc_stop(in AMI_RootHandler ami_handler);
    //     AMI_RootPoller sendp_stop();
    interface AMI_RootHandler : ::Messaging::ReplyHandler {
        void stop();
        void stop_excep(in ::Messaging::ExceptionHolder excep_holder);
    };

    abstract valuetype AMI_RootPoller : ::Messaging::Poller {
        void stop(in unsigned long ami_timeout);
    };
};

#pragma prefix ""
module Depot {

    // Implied by `Depot::Store`, with the operations:
    //     void sendc_get_size(in AMI_StoreHandler ami_handler);
    //     AMI_StorePoller sendp_get_size();
    //     void sendc_get_owner(in AMI_StoreHandler ami_handler);
    //     AMI_StorePoller sendp_get_owner();
    //     void sendc_set_owner(in AMI_StoreHandler ami_handler, in string attr_owner);
    //     AMI_StorePoller sendp_set_owner(in string attr_owner);
    //     void sendc_take(in AMI_StoreHandler ami_handler, in long count, in string label);
    //     AMI_StorePoller sendp_take(in long count, in string label);
    interface AMI_StoreHandler : ::Depot::AMI_RootHandler {
        void get_size(in long ami_return_val);
        void get_size_excep(in ::Messaging::ExceptionHolder excep_holder);
        void get_owner(in string ami_return_val);
        void get_owner_excep(in ::Messaging::ExceptionHolder excep_holder);
        void set_owner();
        void set_owner_excep(in ::Messaging::ExceptionHolder excep_holder);
        void take(in long ami_return_val, in string label, in Object where);
        void take_excep(in ::Messaging::ExceptionHolder excep_holder);
    };

    abstract valuetype AMI_StorePoller : ::Depot::AMI_RootPoller {
        void get_size(in unsigned long ami_timeout, out long ami_return_val);
        void get_owner(in unsigned long ami_timeout, out string ami_return_val);
        void set_owner(in unsigned long ami_timeout);
        void take(in unsigned long ami_timeout, out long ami_return_val, out string label, out Object where) raises (::Gone);
    };
};
"#;
    assert_eq!(implied(base, main, Contents::HandlersAndPollers), expected);
}

#[test]
fn repository_ids_have_the_prefixes_of_their_interfaces() {
    let main = "#pragma prefix \"acme.com\"\nmodule M { interface I {}; };\n#pragma prefix \"\"\ninterface J {};";
    let files = [("b.idl", main)];
    let implied = text(&compile(&files, "b.idl"), &["b.idl"], Contents::Handlers);
    let model = compile(&[files[0], ("implied.idl", &implied)], "implied.idl").model;
    let id = |name: &str| model[model.find(name).expect(name)].repository_id.clone();
    assert_eq!(id("M::AMI_IHandler"), "IDL:acme.com/M/AMI_IHandler:1.0");
    assert_eq!(id("AMI_JHandler"), "IDL:AMI_JHandler:1.0");
    let root = model.find("Messaging::ReplyHandler").expect("a root");
    assert_eq!(model[root].repository_id, "IDL:omg.org/Messaging/ReplyHandler:1.0");
    let handler = model.find("AMI_JHandler").expect("a handler");
    assert!(model.is_a(handler, root));
    assert_eq!(model.find("AMI_JPoller"), None);
}

#[test]
fn names_avoid_those_that_exist() {
    let main = r#"
        interface AMI_StoreHandler {};
        interface Store {
            long _in(in long ami_return_val);
            attribute short size;
            void get_size();
            void sendc_in();
            void in_excep();
        };
    "#;
    let implied = implied("", main, Contents::HandlersAndPollers);
    for line in [
        "interface AMI_AMI_StoreHandler : ::Messaging::ReplyHandler {",
        "interface AMI_AMI_StoreHandlerHandler : ::Messaging::ReplyHandler {",
        "void _in(in long ami_return_val);",
        "void in_ami_excep(in ::Messaging::ExceptionHolder excep_holder);",
        "void get_ami_size(in short ami_return_val);",
        "//     void sendc_ami_in(in AMI_AMI_StoreHandler ami_handler, in long ami_return_val);",
    ] {
        assert!(implied.contains(line), "{line}: {implied}");
    }
}
