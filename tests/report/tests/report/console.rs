//! The console of services, which follows what changes.

use std::collections::BTreeSet;

use serde_json::Value;
use zorb::{Interface as _, Orb};
use zorb_imr::implementation_repository::{ActivationMode, StartupOptions};
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_naming::cos_naming::{NameComponent, NamingContext, NamingContextExt};
use zorb_naming::name;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_service::Host;

use crate::browser::{Browser, PHONE, Page, Result, Screen};
use crate::checks::Check;
use crate::sight::contrast;

pub(crate) const CHECKS: &[(&str, Check)] = &[
    ("the_console_follows_names_and_servers", follows),
    ("the_console_shows_hostile_names_as_text", hostile),
    ("the_console_fits_screens_and_has_contrast", fits),
];

const SMALL: Screen = Screen { width: 390, ..PHONE };
const LARGE: Screen = Screen { width: 1280, ..PHONE };

/// A console with a naming service and an implementation repository.
struct Console {
    orb: Orb,
    _host: Host,
    root: NamingContextExt,
    servers: ImplementationRepository,
    url: String,
}

impl Console {
    fn start() -> Result<Self> {
        let failed = |error: zorb::Error| zorb::Report(&error).to_string();
        let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = builder.build().map_err(failed)?;
        let host = Host::new(orb.clone()).map_err(failed)?;
        let names = NamingService::serve(&orb, &NamingOptions::default()).map_err(failed)?;
        let servers =
            ImplementationRepository::serve(&orb, &ImrOptions::default()).map_err(failed)?;
        host.show_names(&names);
        host.show_servers(&servers);
        let url = format!("http://{}/", host.serve_console("0").map_err(failed)?);
        host.start().map_err(failed)?;
        let root = names.root().map_err(failed)?;
        Ok(Self { orb, _host: host, root, servers, url })
    }

    fn bind(&self, context: &NamingContext, id: &str) -> Result<()> {
        let component = NameComponent { id: id.to_owned(), kind: "kind".to_owned() };
        let bound = context.bind(&[component], Some(self.root.as_object()));
        bound.map_err(|error| error.to_string())
    }

    fn context(&self, text: &str) -> Result<NamingContext> {
        let name = name(text).map_err(|error| error.to_string())?;
        let made = self.root.bind_new_context(&name).map_err(|error| error.to_string())?;
        made.ok_or_else(|| "the new context is nil".to_owned())
    }

    fn add(&self, server: &str, command: &str) -> Result<()> {
        let options = StartupOptions {
            command_line: command.to_owned(),
            environment: Vec::new(),
            working_directory: String::new(),
            activation: ActivationMode::Manual,
            activator: String::new(),
            start_limit: 1,
        };
        let added = self.servers.reference().add_or_update_server(server, &options);
        added.map_err(|error| error.to_string())
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // The check is over.
        let _ = self.orb.shutdown(true);
    }
}

/// Waits until an expression is true, which the page looks at whenever it changes.
fn wait(browser: &mut Browser, page: &Page, expression: &str) -> Result<()> {
    let promise = format!(
        "new Promise((found) => {{
            const look = () => Boolean({expression});
            if (look()) return found(true);
            const all = {{ subtree: true, childList: true, characterData: true, attributes: true }};
            new MutationObserver((_, observer) => {{
                if (look()) {{ observer.disconnect(); found(true); }}
            }}).observe(document.documentElement, all);
        }})"
    );
    browser.evaluate(page, &promise).map(drop).map_err(|error| format!("{expression}: {error}"))
}

/// An expression: whether a part of the page shows a text.
fn shows(part: &str, text: &str) -> String {
    format!("document.querySelector({part:?}).innerText.includes({text:?})")
}

fn follows(browser: &mut Browser) -> Result<()> {
    for screen in [SMALL, LARGE] {
        let console = Console::start()?;
        let plant = console.context("plant")?;
        console.bind(&plant, "pump")?;
        console.add("Shop", "/bin/false")?;
        let page = browser.open(&console.url, screen)?;
        wait(browser, &page, &shows("#names", "plant"))?;
        wait(browser, &page, &shows("#servers", "Shop\nstopped\nmanual"))?;
        wait(browser, &page, &shows("#state", "Ready"))?;
        let opened = "window.opened = document.querySelector('#names summary'); \
                      opened.focus(); opened.click()";
        browser.evaluate(&page, opened)?;
        wait(browser, &page, &shows("#names ul ul", "pump"))?;
        // All without another load, and without taking the focus away.
        console.bind(&plant, "valve")?;
        wait(browser, &page, &shows("#names ul ul", "valve"))?;
        let removed = NameComponent { id: "pump".to_owned(), kind: "kind".to_owned() };
        plant.unbind(&[removed]).map_err(|error| error.to_string())?;
        wait(browser, &page, &format!("!{}", shows("#names ul ul", "pump")))?;
        let failed = console.servers.reference().activate_server("Shop");
        ensure!(failed.is_err(), "it has started");
        wait(browser, &page, &shows("#servers", "failed"))?;
        wait(browser, &page, &shows("#servers", "before it registered"))?;
        let kept = browser.evaluate(&page, "document.activeElement === window.opened")?;
        ensure!(kept == true, "the focus is elsewhere");
        let (urls, complaints) = browser.close(&page)?;
        ensure!(urls.iter().all(|url| url.starts_with(&console.url)), "{urls:?}");
        ensure!(urls.iter().filter(|url| **url == console.url).count() == 1, "{urls:?}");
        ensure!(complaints.is_empty(), "{complaints:?}");
    }
    Ok(())
}

fn hostile(browser: &mut Browser) -> Result<()> {
    let console = Console::start()?;
    let name = "<script>document.title='x'</script><img src=x onerror=\"document.title='y'\">";
    let root: NamingContext = console.root.clone().into();
    console.bind(&root, name)?;
    console.add(name, "/bin/false")?;
    let page = browser.open(&console.url, SMALL)?;
    for part in ["#names", "#servers"] {
        wait(browser, &page, &shows(part, name))?;
    }
    let strangers =
        browser.evaluate(&page, "document.querySelectorAll('main script, img').length")?;
    ensure!(strangers == 0, "{strangers} elements");
    // If a script gets there after all, it is not executed.
    let injected = "{ const it = document.createElement('script'); it.textContent = \"document.title = 'z'\"; \
                    document.body.append(it); document.title }";
    let title = browser.evaluate(&page, injected)?;
    ensure!(title == "Zorb console", "{title}");
    browser.close(&page).map(drop)
}

fn fits(browser: &mut Browser) -> Result<()> {
    let console = Console::start()?;
    let inner = console.context(&"context".repeat(100))?;
    for number in 0..150 {
        console.bind(&inner, &format!("{number:03}{}", "x".repeat(500)))?;
    }
    console.add(&"Server".repeat(100), "/bin/false")?;
    let mut backgrounds = BTreeSet::new();
    for scheme in ["light", "dark"] {
        for screen in [SMALL, LARGE] {
            let page = browser.open(&console.url, Screen { scheme, ..screen })?;
            wait(browser, &page, &shows("#servers", "ServerServer"))?;
            wait(browser, &page, "document.querySelector('#names summary')")?;
            browser.evaluate(&page, "document.querySelector('#names summary').click()")?;
            wait(browser, &page, "document.querySelectorAll('#names ul ul li').length === 101")?;
            browser.evaluate(&page, "document.querySelector('#names button').click()")?;
            wait(browser, &page, "document.querySelectorAll('#names ul ul li').length === 150")?;
            let seen = browser.evaluate(&page, LOOK)?;
            ensure!(seen["width"] == screen.width, "{} of {}", seen["width"], screen.width);
            ensure!(seen["language"] == "en", "{}", seen["language"]);
            for colour in seen["colours"].as_array().ok_or("no colours")? {
                let found = contrast(colour, &seen["background"])?;
                ensure!(found >= 4.5, "{scheme}: {colour} has a contrast of {found}");
            }
            let columns = if screen.width == LARGE.width { 2 } else { 1 };
            ensure!(seen["columns"] == columns, "{} columns", seen["columns"]);
            backgrounds.insert(seen["background"].to_string());
            let labels = Value::from(vec!["Names", "Servers"]);
            ensure!(seen["labels"] == labels, "{}", seen["labels"]);
            browser.close(&page)?;
        }
    }
    ensure!(backgrounds.len() == 2, "{backgrounds:?}");
    Ok(())
}

/// What there is to see.
const LOOK: &str = "({
    width: document.documentElement.scrollWidth,
    language: document.documentElement.lang,
    background: getComputedStyle(document.body).backgroundColor,
    colours: [...document.querySelectorAll('h1, .name, .kind, .note, .state, summary, #state, .numbers')]
        .map((element) => getComputedStyle(element).color),
    columns: getComputedStyle(document.querySelector('main')).gridTemplateColumns.split(' ').length,
    labels: [...document.querySelectorAll('section')]
        .map((section) => document.getElementById(section.getAttribute('aria-labelledby')).textContent),
})";
