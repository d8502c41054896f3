//! Adds counting to an ORB.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb_core::Orb;
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
};
use zorb_os::lock::Lock;
use zorb_types::SystemException;

use crate::counts::{Counts, Side};
use crate::file;
use crate::options::UsageOptions;
use crate::sampling::is_sampled;

/// The name of the interceptors.
const NAME: &str = "usage";

/// Makes `orb` count calls and requests if its option `UsageFile` is set. Call it before the ORB is used.
pub fn attach(orb: &Orb) {
    let path = orb.options().get::<UsageOptions>().map(|options| options.usage_file.as_str());
    let Some(path) = path.filter(|path| !path.is_empty()) else { return };
    let recorder = Arc::new(Recorder::new(path.into()));
    let client = Arc::clone(&recorder);
    orb.add_client_request_interceptor(NAME, move |_| Some(Arc::<Recorder>::clone(&client) as _));
    let server = Arc::clone(&recorder);
    orb.add_server_request_interceptor(NAME, move |_| Some(Arc::<Recorder>::clone(&server) as _));
    orb.at_end(move || recorder.write());
}

/// Counts the requests of an ORB.
#[derive(Debug)]
struct Recorder {
    path: PathBuf,
    counts: Lock<Counts>,
    is_written: AtomicBool,
}

impl Recorder {
    fn new(path: PathBuf) -> Self {
        Self { path, counts: Lock::default(), is_written: AtomicBool::new(false) }
    }

    fn write(&self) {
        if self.is_written.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = self.counts.lock().text();
        if let Err(error) = file::replace(&self.path, &text) {
            tracing::error!(%error, path = %self.path.display(), "cannot write the usage file");
        }
    }
}

/// An ORB that does not listen, and that the program drops without shutting it down, writes the file, too.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.write();
    }
}

impl ClientRequestInterceptor for Recorder {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        if is_sampled() {
            self.counts.lock().add(Side::Client, &info.target().type_id, info.operation());
        }
        Ok(())
    }
}

impl ServerRequestInterceptor for Recorder {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let served = info.proceed();
        // Not operations that the object does not have.
        if served.is_ok() && is_sampled() {
            let interface = info.target_most_derived_interface().unwrap_or(Cow::Borrowed(""));
            self.counts.lock().add(Side::Server, &interface, info.operation());
        }
        served
    }

    fn surrounds_upcalls_only(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Recorder, Side};

    #[test]
    fn the_file_is_written_once_at_the_end() {
        let folder = std::env::temp_dir().join(format!("zorb-usage-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("shop.usage");
        fs::write(&path, "what was there before").expect("a file");
        let (shut_down, dropped) = (Recorder::new(path.clone()), Recorder::new(path.clone()));
        shut_down.counts.lock().add(Side::Client, "IDL:Shop:1.0", "sell");
        shut_down.write();
        let first = fs::read_to_string(&path).expect("a file");
        fs::remove_file(&path).expect("it can be removed");
        drop(shut_down);
        let is_rewritten = path.exists();
        dropped.counts.lock().add(Side::Server, "IDL:Shop:1.0", "sell");
        drop(dropped);
        let second = fs::read_to_string(&path).expect("a file");
        // Nowhere to write to is only logged.
        drop(Recorder::new(folder.join("missing").join("shop.usage")));
        let files = fs::read_dir(&folder).expect("a folder").count();
        fs::remove_dir_all(&folder).expect("the folder is removed");
        assert!(first.ends_with("\n1 0 IDL:Shop:1.0 sell\n"), "{first}");
        assert!(!is_rewritten);
        assert!(second.ends_with("\n0 1 IDL:Shop:1.0 sell\n"), "{second}");
        assert_eq!(files, 1, "no other files remain");
    }
}
