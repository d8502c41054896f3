//! Leader/followers: the threads of a lane wait at the reactor, and the system wakes one for each event. It
//! reads the request, makes the upcall and replies while the others continue to wait.

use crate::lane::ServingStrategy;

/// The strategy leader/followers.
#[derive(Debug)]
pub(crate) struct LeaderFollowers;

impl ServingStrategy for LeaderFollowers {}
