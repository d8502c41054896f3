//! A headless Chromium, controlled over pipes with the DevTools protocol.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// An error message.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// How long an answer may take before the browser counts as stuck.
const LIMIT: Duration = Duration::from_secs(60);
/// The names of the program in Debian, in other distributions and from Google.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// The descriptors of the pipes are 3 and 4.
const PIPES: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >&2";
/// Resolves no host names, so that the browser's own requests fail; only servers of the tests are found.
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
];

/// The program, if it is installed.
pub(crate) fn find() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let places = NAMES.iter().flat_map(|name| {
        std::env::split_paths(&paths).map(move |path| path.join(name)).collect::<Vec<_>>()
    });
    places.into_iter().find(|place| place.is_file())
}

/// A running browser. It is ended when dropped.
pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    messages: Receiver<Value>,
    /// Those that came while another was waited for.
    events: VecDeque<Value>,
    number: u64,
    profile: tempfile::TempDir,
}

/// An open page, as wide as a screen.
pub(crate) struct Page {
    session: String,
    target: String,
}

/// How a page is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// In pixels.
    pub(crate) width: u32,
    pub(crate) scheme: &'static str,
    pub(crate) scripts: bool,
}

pub(crate) const PHONE: Screen = Screen { width: 360, scheme: "light", scripts: true };
pub(crate) const DESKTOP: Screen = Screen { width: 1240, ..PHONE };

impl Browser {
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| format!("{}: {error}", program.display());
        let profile = tempfile::tempdir().map_err(failed)?;
        let log = File::create(profile.path().join("log")).map_err(failed)?;
        let mut command = Command::new("sh");
        command.args(["-c", PIPES, "sh"]).arg(program).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().join("profile").display()));
        command.arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child =
            zorb_os::process::bind_to_this_process(&mut command).spawn().map_err(failed)?;
        let requests = child.stdin.take().ok_or("no pipe")?;
        let answers = child.stdout.take().ok_or("no pipe")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let value = message.ok().and_then(|octets| serde_json::from_slice(&octets).ok());
                let Some(value) = value else { break };
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, requests, messages, events: VecDeque::new(), number: 0, profile })
    }

    /// Opens a URL and waits until it has been loaded.
    pub(crate) fn open(&mut self, url: &str, screen: Screen) -> Result<Page> {
        let target = self.ask(None, "Target.createTarget", json!({"url": "about:blank"}))?;
        let target = text(&target, "targetId")?;
        let parameters = json!({"targetId": target, "flatten": true});
        let session = text(&self.ask(None, "Target.attachToTarget", parameters)?, "sessionId")?;
        let page = Page { session, target };
        self.events.clear();
        for domain in ["Page", "Network", "Runtime", "Log"] {
            self.command(&page, &format!("{domain}.enable"), json!({}))?;
        }
        let metrics =
            json!({"width": screen.width, "height": 800, "deviceScaleFactor": 1, "mobile": true});
        self.command(&page, "Emulation.setDeviceMetricsOverride", metrics)?;
        let scheme = json!({"name": "prefers-color-scheme", "value": screen.scheme});
        self.command(&page, "Emulation.setEmulatedMedia", json!({"features": [scheme]}))?;
        let off = json!({"value": !screen.scripts});
        self.command(&page, "Emulation.setScriptExecutionDisabled", off)?;
        self.command(&page, "Page.setLifecycleEventsEnabled", json!({"enabled": true}))?;
        let navigated = self.ask(Some(&page), "Page.navigate", json!({"url": url}))?;
        let loader = text(&navigated, "loaderId")?;
        // The empty page before may still be telling of its own end of loading.
        self.wait_for(|event| {
            let parameters = &event["params"];
            event["method"] == "Page.lifecycleEvent"
                && parameters["name"] == "load"
                && parameters["loaderId"] == *loader
        })?;
        Ok(page)
    }

    /// The value of an expression, in the page; if it is a promise, what that becomes.
    pub(crate) fn evaluate(&mut self, page: &Page, expression: &str) -> Result<Value> {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask(Some(page), "Runtime.evaluate", parameters)?;
        if let Some(exception) = answer.get("exceptionDetails") {
            return Err(format!("{expression}: {exception}"));
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Closes the page: the URLs that it asked for, and what the browser complained of.
    pub(crate) fn close(&mut self, page: &Page) -> Result<(Vec<String>, Vec<String>)> {
        // What it had to say has arrived before the answer to this.
        self.command(page, "Page.disable", json!({}))?;
        let (mut urls, mut complaints) = (Vec::new(), Vec::new());
        for event in self.events.drain(..) {
            let parameters = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    urls.push(text(&parameters["request"], "url")?);
                }
                "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => {
                    complaints.push(parameters.to_string());
                }
                _ => {}
            }
        }
        let target = json!({"targetId": page.target});
        self.ask(None, "Target.closeTarget", target)?;
        Ok((urls, complaints))
    }

    fn command(&mut self, page: &Page, method: &str, parameters: Value) -> Result<()> {
        self.ask(Some(page), method, parameters).map(drop)
    }

    fn ask(&mut self, page: Option<&Page>, method: &str, parameters: Value) -> Result<Value> {
        self.number += 1;
        let mut request = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(page) = page {
            request["sessionId"] = json!(page.session);
        }
        let mut octets = request.to_string().into_bytes();
        octets.push(0);
        if let Err(error) = self.requests.write_all(&octets) {
            return Err(self.failure(&format!("{method}: {error}")));
        }
        loop {
            let message = self.next(method)?;
            if message["id"] != json!(self.number) {
                self.events.push_back(message);
            } else if let Some(error) = message.get("error") {
                return Err(format!("{method}: {error}"));
            } else {
                return Ok(message["result"].clone());
            }
        }
    }

    fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Result<()> {
        if self.events.iter().any(&is_it) {
            return Ok(());
        }
        loop {
            let message = self.next("loading")?;
            let found = is_it(&message);
            self.events.push_back(message);
            if found {
                return Ok(());
            }
        }
    }

    fn next(&self, what: &str) -> Result<Value> {
        self.messages.recv_timeout(LIMIT).map_err(|error| match error {
            RecvTimeoutError::Timeout => self.failure(&format!("{what}: no answer")),
            RecvTimeoutError::Disconnected => {
                self.failure(&format!("{what}: the browser has ended"))
            }
        })
    }

    /// The error, and the last message of the browser.
    fn failure(&self, what: &str) -> String {
        let log = std::fs::read(self.profile.path().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last: Vec<&str> = log.lines().rev().take(10).collect();
        format!("{what}\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its other processes end with it, and its profile can be removed when it has.
        if self.ask(None, "Browser.close", json!({})).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("no {name} in {value}"))
}
