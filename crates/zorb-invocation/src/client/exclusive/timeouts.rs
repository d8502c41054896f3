//! The timeouts of an exclusive connection's stream.

use std::io;
use std::time::Duration;

use super::ExclusiveConnection;

impl ExclusiveConnection {
    #[inline]
    pub(super) fn limit_sending(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.timeouts.sending != Some(limit) {
            self.change_send_timeout(limit)?;
        }
        Ok(())
    }

    #[cold]
    fn change_send_timeout(&mut self, limit: Option<Duration>) -> io::Result<()> {
        self.stream.set_send_timeout(limit.or(self.longest_wait))?;
        self.timeouts.sending = Some(limit);
        Ok(())
    }

    #[inline]
    pub(super) fn limit_receiving(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.timeouts.receiving != Some(limit) {
            self.change_recv_timeout(limit)?;
        }
        Ok(())
    }

    #[cold]
    fn change_recv_timeout(&mut self, limit: Option<Duration>) -> io::Result<()> {
        self.stream.set_recv_timeout(limit.or(self.longest_wait))?;
        self.timeouts.receiving = Some(limit);
        Ok(())
    }
}
