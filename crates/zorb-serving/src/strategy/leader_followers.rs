//! Leader/followers: the threads of a lane wait together, and the system wakes one for each event, which
//! reads the request, makes the upcall and replies while the others go on waiting.

use crate::lane::ServingStrategy;

/// The strategy leader/followers.
#[derive(Debug)]
pub(crate) struct LeaderFollowers;

impl ServingStrategy for LeaderFollowers {}
