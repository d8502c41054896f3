//! The visible contents of a page, and their values by its axes.

use std::path::Path;

use serde_json::Value;
use zorb_bench_page::{Folder, page};

use crate::browser::{Browser, Result, Screen};

/// A page that was opened, looked at, and closed again.
pub(crate) struct Sight {
    /// The result of `look.js`.
    pub(crate) seen: Value,
    /// The URLs that the page asked for, its own first.
    pub(crate) urls: Vec<String>,
    /// The browser's error messages.
    pub(crate) complaints: Vec<String>,
}

/// Makes the page of a folder of fixtures, and looks at it.
pub(crate) fn look_at(browser: &mut Browser, fixtures: &str, screen: Screen) -> Result<Sight> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixtures);
    let html = page(&Folder::read(&folder).map_err(failed)?).map_err(|error| error.to_string())?;
    let place = tempfile::tempdir().map_err(failed)?;
    let file = place.path().join("report.html");
    std::fs::write(&file, html).map_err(failed)?;
    let opened = browser.open(&format!("file://{}", file.display()), screen)?;
    let seen = browser.evaluate(&opened, include_str!("look.js"))?;
    let (urls, complaints) = browser.close(&opened)?;
    Ok(Sight { seen, urls, complaints })
}

impl Sight {
    pub(crate) fn figures(&self) -> &[Value] {
        self.seen["figures"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The figure of this title.
    pub(crate) fn figure(&self, title: &str) -> Result<&Value> {
        let mut figures = self.figures().iter();
        let all = || {
            let titles = self.figures().iter().map(|figure| figure["title"].to_string());
            format!("no figure {title:?} among {}", titles.collect::<Vec<_>>().join(", "))
        };
        figures.find(|figure| figure["title"] == title).ok_or_else(all)
    }
}

/// How an axis is spaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spacing {
    Linear,
    Logarithmic,
    Nines,
}

/// The value at a place, by the two ends of the axis as its ticks name them.
pub(crate) fn value_at(ticks: &Value, place: f64, spacing: Spacing) -> Result<f64> {
    let number = |tick: &Value, index: usize| tick[index].as_f64().ok_or("a tick without number");
    let ticks = ticks.as_array().filter(|ticks| ticks.len() > 1).ok_or("too few ticks")?;
    let (first, last) = (&ticks[0], &ticks[ticks.len() - 1]);
    let bent = |value: f64| match spacing {
        Spacing::Linear => value,
        Spacing::Logarithmic => value.ln(),
        Spacing::Nines => -(1.0 - value).log10(),
    };
    let (low, high) = (bent(number(first, 0)?), bent(number(last, 0)?));
    let (from, to) = (number(first, 1)?, number(last, 1)?);
    let bent_value = low + (high - low) * (place - from) / (to - from);
    Ok(match spacing {
        Spacing::Linear => bent_value,
        Spacing::Logarithmic => bent_value.exp(),
        Spacing::Nines => 1.0 - 10_f64.powf(-bent_value),
    })
}

/// A peer's name, and the values that its marks stand for.
pub(crate) type Marks = (String, Vec<(f64, f64)>);

/// The series of a figure: peer, and the values that its marks stand for.
pub(crate) fn series(figure: &Value, x: Spacing, y: Spacing) -> Result<Vec<Marks>> {
    let all = figure["series"].as_array().ok_or("no series")?;
    let point = |mark: &Value| {
        let at = |index: usize| mark[index].as_f64().unwrap_or(f64::NAN);
        Ok((value_at(&figure["x"], at(0), x)?, value_at(&figure["y"], at(1), y)?))
    };
    let one = |series: &Value| {
        let marks = series["marks"].as_array().ok_or("no marks")?;
        let points = marks.iter().map(point).collect::<Result<Vec<_>>>()?;
        Ok((series["peer"].as_str().unwrap_or_default().to_owned(), points))
    };
    all.iter().map(one).collect()
}

/// Relative luminance by WCAG 2, of a color as browsers write it: `rgb(1, 2, 3)`.
fn luminance(colour: &str) -> Result<f64> {
    let inside = colour.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    let parts = inside.ok_or_else(|| format!("{colour:?} is no colour"))?;
    let parts: Vec<f64> = parts.split(", ").filter_map(|part| part.parse().ok()).collect();
    let [red, green, blue] = parts.as_slice() else { return Err(format!("{colour:?}")) };
    let linear = |part: &f64| {
        let part = part / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    Ok(0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue))
}

/// The contrast of two colors by WCAG 2: 1 to 21.
pub(crate) fn contrast(one: &Value, other: &Value) -> Result<f64> {
    let of = |colour: &Value| luminance(colour.as_str().unwrap_or_default());
    let (one, other) = (of(one)?, of(other)?);
    Ok((one.max(other) + 0.05) / (one.min(other) + 0.05))
}
