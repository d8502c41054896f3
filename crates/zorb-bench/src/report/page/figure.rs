//! The frame of all charts: a caption, a legend, and the picture with its description.

use std::fmt::Write as _;

use super::looks::Looks;
use super::text::Escaped;

/// The width of all charts: that of a phone, so that their text is as large everywhere.
pub(super) const WIDTH: f64 = 360.0;

/// A chart.
#[derive(Debug)]
pub(super) struct Figure {
    /// Which kind it is: a class for the style sheet.
    pub(super) kind: &'static str,
    /// What is to be seen.
    pub(super) title: String,
    /// What stands above the picture, if anything.
    pub(super) caption: String,
    /// The rest of what is to be said, in words.
    pub(super) description: String,
    /// Peers to explain, unless their names are in the picture.
    pub(super) legend: Vec<String>,
    /// The picture's height, at [`WIDTH`].
    pub(super) height: f64,
    /// The elements of the picture.
    pub(super) picture: String,
}

impl Figure {
    /// The element, with an identity of its own in the page.
    pub(super) fn html(&self, id: &str, looks: &Looks) -> String {
        let Self { kind, height, .. } = self;
        let (title, description) = (Escaped(&self.title), Escaped(&self.description));
        let mut html = format!("<figure id=\"{id}\" class=\"chart {kind}\">\n");
        if !self.caption.is_empty() {
            let _ = writeln!(html, "<figcaption>{}</figcaption>", Escaped(&self.caption));
        }
        if !self.legend.is_empty() {
            html += "<ul class=\"legend\">";
            for peer in &self.legend {
                let look = looks.look(peer);
                let _ = write!(
                    html,
                    "<li class=\"{}\"><svg viewBox=\"0 0 22 12\" width=\"22\" height=\"12\" \
                     aria-hidden=\"true\"><path class=\"line\" d=\"M0 6H22\"/>\
                     <path class=\"mark\" d=\"{}\"/></svg>{}</li>",
                    look.class(),
                    look.mark(11.0, 6.0),
                    Escaped(peer),
                );
            }
            html += "</ul>\n";
        }
        let _ = write!(
            html,
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{title}</title>\n<desc id=\"{id}-d\">{description}</desc>\n\
             {}</svg>\n</figure>\n",
            self.picture,
        );
        html
    }
}
