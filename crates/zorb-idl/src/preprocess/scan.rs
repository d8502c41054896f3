//! Scans characters into preprocessing tokens.

use std::rc::Rc;
use std::sync::Arc;

use super::docs::{Comment, documentation};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::lexer::{PpKind, PpToken};
use crate::source::{FileId, Span};

/// Operators of two characters; all others have one.
const PAIRS: [&str; 10] = ["##", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::"];
const SINGLES: &str = "{};:,<>()[]=|^&+-*/%~@#!?.";

/// Scans a file token by token.
#[derive(Debug)]
pub(super) struct Scanner {
    file: FileId,
    text: Arc<str>,
    pos: usize,
    line: u32,
    line_offset: usize,
    /// The line of the last token, to recognize trailing comments.
    last_token_line: u32,
    line_start: bool,
    /// Whether the text is in a skipped group, where nothing is reported.
    pub(super) quiet: bool,
}

impl Scanner {
    pub(super) fn new(file: FileId, text: Arc<str>) -> Self {
        Self {
            file,
            text,
            pos: 0,
            line: 1,
            line_offset: 0,
            last_token_line: 0,
            line_start: true,
            quiet: false,
        }
    }

    /// An empty span at the current position.
    pub(super) fn here(&self) -> Span {
        self.span(self.pos, self.pos)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        // The file size limit is far below 4 GiB.
        Span::new(self.file, start as u32, end as u32)
    }

    fn rest(&self) -> &str {
        self.text.get(self.pos..).unwrap_or("")
    }

    /// The offset after any line splices at `pos`.
    fn past_splices(&self, mut pos: usize) -> usize {
        loop {
            let rest = self.text.get(pos..).unwrap_or("");
            pos += match rest {
                _ if rest.starts_with("\\\n") => 2,
                _ if rest.starts_with("\\\r\n") => 3,
                _ => return pos,
            };
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.past_splices(self.pos)..)?.chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        let first = self.past_splices(self.pos);
        let char = self.text.get(first..)?.chars().next()?;
        self.text.get(self.past_splices(first + char.len_utf8())..)?.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let past = self.past_splices(self.pos);
        if past > self.pos {
            let splices = self.text.get(self.pos..past).unwrap_or("");
            self.line = self.line.saturating_add(splices.matches('\n').count() as u32);
            self.line_offset = past;
            self.pos = past;
        }
        let char = self.rest().chars().next()?;
        self.pos += char.len_utf8();
        if char == '\n' {
            self.line = self.line.saturating_add(1);
            self.line_offset = self.pos;
        }
        Some(char)
    }

    fn bump_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
    }

    /// The next token, on any line.
    pub(super) fn next(&mut self, sink: &mut Sink) -> Option<PpToken> {
        self.token(false, sink)
    }

    /// The next token on this line; none at the end of the line, which is consumed.
    pub(super) fn next_in_line(&mut self, sink: &mut Sink) -> Option<PpToken> {
        self.token(true, sink)
    }

    /// All tokens to the end of the line, which is consumed.
    pub(super) fn rest_of_line(&mut self, sink: &mut Sink) -> Vec<PpToken> {
        std::iter::from_fn(|| self.next_in_line(sink)).collect()
    }

    /// The unscanned text to the end of the line, trimmed; the line end is consumed.
    pub(super) fn raw_rest_of_line(&mut self) -> String {
        let mut text = String::new();
        while let Some(char) = self.bump() {
            if char == '\n' {
                self.line_start = true;
                break;
            }
            text.push(char);
        }
        text.trim().to_owned()
    }

    /// The `<name>` or `"name"` of an include, if it comes next on this line.
    pub(super) fn header_name(&mut self) -> Option<(String, bool, Span)> {
        self.bump_while(|char| char == ' ' || char == '\t');
        let start = self.pos;
        let (close, quoted) = match self.peek()? {
            '<' => ('>', false),
            '"' => ('"', true),
            _ => return None,
        };
        let line = self.rest().lines().next().unwrap_or("");
        let name = line.get(1..)?.split_once(close)?.0.to_owned();
        self.pos += name.len() + 2;
        Some((name, quoted, self.span(start, self.pos)))
    }

    fn token(&mut self, in_line: bool, sink: &mut Sink) -> Option<PpToken> {
        let mut comments = Vec::new();
        let mut space = false;
        loop {
            match self.peek() {
                None => {
                    self.bump();
                    return None;
                }
                Some('\n') if in_line => {
                    self.bump();
                    self.line_start = true;
                    return None;
                }
                Some(char) if char.is_whitespace() => {
                    self.bump();
                    space = true;
                    self.line_start |= char == '\n';
                }
                Some('/') if matches!(self.peek_second(), Some('/' | '*')) => {
                    self.comment(&mut comments, sink);
                    space = true;
                }
                Some(_) => break,
            }
        }
        // A line splice before a token is not part of it.
        self.pos = self.past_splices_counting();
        let docs = documentation(&comments, self.line);
        let start = self.pos;
        let kind = self.token_kind(sink);
        self.last_token_line = self.line;
        let raw = self.text.get(start..self.pos).unwrap_or("");
        let text: Rc<str> = if raw.contains('\n') {
            raw.replace("\\\r\n", "").replace("\\\n", "").into()
        } else {
            raw.into()
        };
        let line_start = std::mem::take(&mut self.line_start);
        let span = self.span(start, self.pos);
        Some(PpToken { kind, text, span, space_before: space, line_start, painted: false, docs })
    }

    fn past_splices_counting(&mut self) -> usize {
        let past = self.past_splices(self.pos);
        if past > self.pos {
            let splices = self.text.get(self.pos..past).unwrap_or("");
            self.line = self.line.saturating_add(splices.matches('\n').count() as u32);
            self.line_offset = past;
        }
        past
    }

    fn comment(&mut self, comments: &mut Vec<Comment>, sink: &mut Sink) {
        let (start, first_line) = (self.pos, self.line);
        let column = start.saturating_sub(self.line_offset);
        self.bump();
        if self.bump() == Some('/') {
            self.bump_while(|char| char != '\n');
        } else {
            let mut star = false;
            loop {
                match self.bump() {
                    Some('/') if star => break,
                    Some(char) => star = char == '*',
                    None => {
                        if !self.quiet {
                            let message = "unterminated comment";
                            let span = self.span(start, start + 2);
                            sink.push(
                                Diagnostic::new(Code::UnterminatedComment, span, message)
                                    .hint("close it with `*/`"),
                            );
                        }
                        break;
                    }
                }
            }
        }
        comments.push(Comment {
            text: self.text.get(start..self.pos).unwrap_or("").trim_end().to_owned(),
            first_line,
            last_line: self.line,
            column,
            own_line: self.last_token_line != first_line,
        });
    }

    fn token_kind(&mut self, sink: &mut Sink) -> PpKind {
        let start = self.pos;
        let Some(first) = self.bump() else { return PpKind::Other };
        match first {
            'L' if self.peek() == Some('"') => {
                self.bump();
                self.quoted('"', start, sink);
                PpKind::WideStr
            }
            'L' if self.peek() == Some('\'') => {
                self.bump();
                self.quoted('\'', start, sink);
                PpKind::WideChar
            }
            '"' => {
                self.quoted('"', start, sink);
                PpKind::Str
            }
            '\'' => {
                self.quoted('\'', start, sink);
                PpKind::Char
            }
            _ if is_ident_start(first) => {
                self.bump_while(is_ident_part);
                PpKind::Ident
            }
            _ if first.is_ascii_digit() => self.number(first),
            '.' if self.peek().is_some_and(|char| char.is_ascii_digit()) => self.number(first),
            _ if SINGLES.contains(first) => {
                if let Some(second) = self.peek()
                    && PAIRS.iter().any(|pair| pair.chars().eq([first, second]))
                {
                    self.bump();
                }
                PpKind::Punct
            }
            _ => PpKind::Other,
        }
    }

    fn number(&mut self, first: char) -> PpKind {
        let hex = first == '0' && matches!(self.peek(), Some('x' | 'X'));
        let mut last = first;
        while let Some(char) = self.peek() {
            let signed = matches!(char, '+' | '-') && matches!(last, 'e' | 'E') && !hex;
            if !(char == '.' || is_ident_part(char) || signed) {
                break;
            }
            self.bump();
            last = char;
        }
        PpKind::Number
    }

    /// Scans the rest of a literal, up to the closing quote; reports an error at the end of the
    /// line.
    fn quoted(&mut self, quote: char, start: usize, sink: &mut Sink) {
        loop {
            match self.peek() {
                None | Some('\n') => {
                    if !self.quiet {
                        let what = if quote == '"' { "string" } else { "character" };
                        let message = format!("unterminated {what} literal");
                        let span = self.span(start, self.pos);
                        let hint = format!("close it with {quote} on the same line");
                        sink.push(
                            Diagnostic::new(Code::UnterminatedLiteral, span, message).hint(hint),
                        );
                    }
                    return;
                }
                Some('\\') => {
                    self.bump();
                    if self.peek() != Some('\n') {
                        self.bump();
                    }
                }
                Some(char) => {
                    self.bump();
                    if char == quote {
                        return;
                    }
                }
            }
        }
    }
}

/// Letters outside ASCII are not valid in IDL identifiers, but are scanned as part of one: the
/// lexer reports them.
fn is_ident_start(char: char) -> bool {
    char.is_ascii_alphabetic() || char == '_' || (!char.is_ascii() && char.is_alphabetic())
}

fn is_ident_part(char: char) -> bool {
    is_ident_start(char) || char.is_ascii_digit()
}

/// Splits text produced by `##` into tokens.
pub(super) fn retokenise(text: &str, span: Span) -> Vec<PpToken> {
    let mut scanner = Scanner::new(span.file, text.into());
    scanner.quiet = true;
    let mut sink = Sink::default();
    std::iter::from_fn(|| scanner.next(&mut sink))
        .map(|token| PpToken { span, line_start: false, ..token })
        .collect()
}
