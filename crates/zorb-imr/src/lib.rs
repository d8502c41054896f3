//! The implementation repository: starts servers when clients need them, and forwards the clients to them.
//!
//! A server that registers has references with the repository's address: they remain valid while the server ends, starts
//! again and moves. The interfaces are TAO's, which servers of JacORB use, too; [`server_repository`] has what Zorb adds.
//! A server of Zorb registers by the option `UseImr`.
//!
//! ```no_run
//! use zorb_imr::command_line;
//! use zorb_imr::implementation_repository::{ActivationMode, StartupOptions};
//! use zorb_imr::server_repository::Repository;
//!
//! let orb = zorb::Orb::builder().init_ref("ImplRepoService", "corbaloc::localhost/ImplRepoService").build()?;
//! let repository: Repository = orb.initial_reference("ImplRepoService")?;
//! let options = StartupOptions {
//!     command_line: command_line::join(&["bank-server", "--quiet"]),
//!     environment: Vec::new(),
//!     working_directory: String::new(),
//!     activation: ActivationMode::Normal,
//!     activator: String::new(),
//!     start_limit: 3,
//! };
//! repository.add_or_update_server("Bank", &options)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

zorb::include_idl!("ServerRepository");

pub mod command_line;
#[cfg(feature = "server")]
pub mod server;

/// The key under which repositories are published, and the name of their initial reference: those of TAO.
pub const KEY: &str = "ImplRepoService";
