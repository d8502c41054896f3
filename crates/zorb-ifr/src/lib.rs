//! The interface repository: IDL definitions as CORBA objects.
//!
//! [`InterfaceRepository`] serves the definitions of a
//! [`Repository`](zorb::dynamic::repository::Repository); [`State`] stores them across
//! restarts. Clients use the stubs in [`corba`], generated from the standard's IDL, and
//! [`describe`] and [`interface_of`], which convert descriptions to the types of dynamic calls.
//!
//! ```
//! use zorb::dynamic::repository::{EntryKind, Repository};
//! use zorb::{Orb, TypeCode};
//! use zorb_ifr::{InterfaceRepository, corba};
//!
//! let mut definitions = Repository::new();
//! let module = definitions.add(Repository::ROOT, "IDL:Bank:1.0", "Bank", EntryKind::Module);
//! let money = TypeCode::alias("IDL:Bank/Money:1.0", "Money", &TypeCode::fixed(9, 2)?)?;
//! definitions.add(module, "IDL:Bank/Money:1.0", "Money", EntryKind::Type(money.clone()));
//!
//! let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
//! let served = InterfaceRepository::serve(&orb.root_poa(), definitions)?;
//! let repository: corba::Repository = served.reference()?;
//! let found = repository.lookup("Bank::Money")?.expect("the definition that was added");
//! assert_eq!(found.absolute_name()?, "::Bank::Money");
//! # orb.shutdown(true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An object's `_interface` operation returns its definition if the ORB of its server has the
//! repository as the initial reference `InterfaceRepository`.
#![forbid(unsafe_code)]

mod client;
mod server;
mod state;

mod idl {
    zorb::include_idl!("InterfaceRepository");
}

pub use client::{describe, interface_of};
pub use idl::corba;
pub use server::InterfaceRepository;
pub use state::{State, StateError};
