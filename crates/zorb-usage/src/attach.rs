//! Adds counting to an ORB.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

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

/// The name of the interceptors and of the thread.
const NAME: &str = "usage";
/// How often a running program writes the file, if there is something new.
const PERIOD: Duration = Duration::from_secs(60);

/// Makes `orb` count calls and requests if its option `UsageFile` is set. Call it before the ORB is used.
pub fn attach(orb: &Orb) {
    let path = orb.options().get::<UsageOptions>().map(|options| options.usage_file.as_str());
    let Some(path) = path.filter(|path| !path.is_empty()) else { return };
    let (end, ended) = channel();
    let recorder = Arc::new(Recorder::new(path.into()));
    let attached = Arc::new(Attached { recorder: Arc::clone(&recorder), _end: end });
    let thread = Builder::new().name(NAME.to_owned());
    if let Err(error) = thread.spawn(move || write_at_times(&recorder, &ended, PERIOD)) {
        tracing::error!(%error, "cannot write the usage file before the end");
    }
    let client = Arc::clone(&attached);
    orb.add_client_request_interceptor(NAME, move |_| Some(Arc::<Attached>::clone(&client) as _));
    let server = Arc::clone(&attached);
    orb.add_server_request_interceptor(NAME, move |_| Some(Arc::<Attached>::clone(&server) as _));
    orb.at_end(move || attached.recorder.write());
}

/// Writes the file again and again, until what is attached to the ORB is dropped.
fn write_at_times(recorder: &Recorder, ended: &Receiver<()>, period: Duration) {
    while ended.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
        recorder.write();
    }
}

/// What the ORB has. The thread has only the recorder, so that the last write is not in the thread, for which no program
/// waits.
#[derive(Debug)]
struct Attached {
    recorder: Arc<Recorder>,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

/// An ORB that does not listen, and that the program drops without shutting it down, writes the file, too.
impl Drop for Attached {
    fn drop(&mut self) {
        self.recorder.write();
    }
}

/// Counts the requests of an ORB.
#[derive(Debug)]
struct Recorder {
    path: PathBuf,
    counts: Lock<Counts>,
    file: Lock<Written>,
}

/// What is known of the file.
#[derive(Debug, Default)]
struct Written {
    /// What it contains.
    text: Option<String>,
    /// Whether the last attempt to write it failed.
    has_failed: bool,
}

impl Recorder {
    fn new(path: PathBuf) -> Self {
        Self { path, counts: Lock::default(), file: Lock::default() }
    }

    /// Writes the file, unless it contains the counts.
    fn write(&self) {
        let mut written = self.file.lock();
        let text = self.counts.lock().text();
        if written.text.as_ref() == Some(&text) {
            return;
        }
        match file::replace(&self.path, &text) {
            Ok(()) => *written = Written { text: Some(text), has_failed: false },
            // Logged once, not every minute.
            Err(_) if written.has_failed => {}
            Err(error) => {
                written.has_failed = true;
                tracing::error!(%error, path = %self.path.display(), "cannot write the usage file");
            }
        }
    }
}

impl ClientRequestInterceptor for Attached {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        if is_sampled() {
            self.recorder.counts.lock().add(Side::Client, &info.target().type_id, info.operation());
        }
        Ok(())
    }
}

impl ServerRequestInterceptor for Attached {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let served = info.proceed();
        // Not operations that the object does not have.
        if served.is_ok() && is_sampled() {
            let interface = info.target_most_derived_interface().unwrap_or(Cow::Borrowed(""));
            self.recorder.counts.lock().add(Side::Server, &interface, info.operation());
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
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{Attached, Recorder, Side, write_at_times};

    fn attached(path: PathBuf) -> Attached {
        Attached { recorder: Arc::new(Recorder::new(path)), _end: channel().0 }
    }

    #[test]
    fn the_file_is_written_when_there_is_something_new() {
        let folder = std::env::temp_dir().join(format!("zorb-usage-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("shop.usage");
        fs::write(&path, "what was there before").expect("a file");
        let (shut_down, dropped) = (attached(path.clone()), attached(path.clone()));
        shut_down.recorder.counts.lock().add(Side::Client, "IDL:Shop:1.0", "sell");
        shut_down.recorder.write();
        let first = fs::read_to_string(&path).expect("a file");
        fs::remove_file(&path).expect("it can be removed");
        drop(shut_down);
        let is_rewritten = path.exists();
        dropped.recorder.counts.lock().add(Side::Server, "IDL:Shop:1.0", "sell");
        let of_thread = Arc::clone(&dropped.recorder);
        drop(dropped);
        let second = fs::read_to_string(&path).expect("written, although the thread goes on");
        drop(of_thread);
        // Nowhere to write to is only logged.
        drop(attached(folder.join("missing").join("shop.usage")));
        let files = fs::read_dir(&folder).expect("a folder").count();
        fs::remove_dir_all(&folder).expect("the folder is removed");
        assert!(first.ends_with("\n1 0 IDL:Shop:1.0 sell\n"), "{first}");
        assert!(!is_rewritten);
        assert!(second.ends_with("\n0 1 IDL:Shop:1.0 sell\n"), "{second}");
        assert_eq!(files, 1, "no other files remain");
    }

    #[test]
    fn a_running_program_writes_the_file_too() {
        let folder = std::env::temp_dir().join(format!("zorb-usage-at-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("shop.usage");
        let (end, ended) = channel();
        let recorder = Arc::new(Recorder::new(path.clone()));
        let attached = Attached { recorder: Arc::clone(&recorder), _end: end };
        let thread =
            std::thread::spawn(move || write_at_times(&recorder, &ended, Duration::from_millis(1)));
        for count in 1..=2 {
            attached.recorder.counts.lock().add(Side::Client, "IDL:Shop:1.0", "sell");
            let line = format!("\n{count} 0 IDL:Shop:1.0 sell\n");
            while !fs::read_to_string(&path).is_ok_and(|text| text.ends_with(&line)) {
                std::thread::yield_now();
            }
        }
        drop(attached);
        thread.join().expect("it ends");
        fs::remove_dir_all(&folder).expect("the folder is removed");
    }
}
