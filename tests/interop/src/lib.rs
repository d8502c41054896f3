//! Zorb against real omniORB and JacORB processes.
#![forbid(unsafe_code)]

zorb::include_idl!("interop");
