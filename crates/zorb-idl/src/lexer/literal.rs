//! Number, character and string literals.

use std::rc::Rc;

use super::{PpToken, Token, TokenKind};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::model::{FixedValue, MAX_FIXED_DIGITS};
use crate::source::Span;

/// Lexes a preprocessing number.
pub(super) fn number(text: &str, span: Span, sink: &mut Sink) -> TokenKind {
    let fallback = TokenKind::Integer(0);
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return integer(text, digits, 16, span, sink);
    }
    if lower.bytes().all(|byte| byte.is_ascii_digit()) {
        let octal = lower.len() > 1 && lower.starts_with('0');
        let (digits, radix) = if octal { (&*lower, 8) } else { (&*lower, 10) };
        return integer(text, digits, radix, span, sink);
    }
    let plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && text.bytes().filter(|byte| *byte == b'.').count() <= 1
            && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if let Some(digits) = lower.strip_suffix('d')
        && plain(digits)
    {
        let value = FixedValue::parse(digits);
        if value.is_none() {
            let message = format!("`{}` has more than {MAX_FIXED_DIGITS} digits", shorten(text));
            sink.error(Code::FixedTooLong, span, message);
        }
        return TokenKind::Fixed(value.unwrap_or_default());
    }
    let (mantissa, exponent) = lower.split_once('e').map_or((&*lower, None), |(mantissa, rest)| {
        (mantissa, Some(rest.strip_prefix(['+', '-']).unwrap_or(rest)))
    });
    let digits_only =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(mantissa) || !exponent.is_none_or(digits_only) {
        let message = format!("`{}` is not a number", shorten(text));
        let mut diagnostic = Diagnostic::new(Code::BadNumber, span, message);
        let unsuffixed = lower.trim_end_matches(['u', 'l', 'f']);
        if unsuffixed != lower && plain(unsuffixed) {
            diagnostic = diagnostic.hint("numbers have no suffix in IDL");
        }
        sink.push(diagnostic);
        return fallback;
    }
    match lower.parse::<f64>() {
        Ok(value) if value.is_finite() => TokenKind::Float(value),
        _ => {
            let message = format!("`{}` is too large for any float type", shorten(text));
            sink.error(Code::BadNumber, span, message);
            TokenKind::Float(0.0)
        }
    }
}

fn integer(text: &str, digits: &str, radix: u32, span: Span, sink: &mut Sink) -> TokenKind {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        let message = format!("`{}` is not a number", shorten(text));
        let mut diagnostic = Diagnostic::new(Code::BadNumber, span, message);
        if radix == 8 {
            diagnostic = diagnostic
                .hint("a number that starts with 0 is octal and has only the digits 0 to 7");
        }
        sink.push(diagnostic);
        return TokenKind::Integer(0);
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) => TokenKind::Integer(value),
        Err(_) => {
            let message = format!("`{}` does not fit in 64 bits", shorten(text));
            sink.error(Code::IntegerTooLarge, span, message);
            TokenKind::Integer(0)
        }
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    text.chars().take(40).chain("...".chars()).collect()
}

/// A character literal, with its quotes and prefix.
pub(super) fn character(text: &str, span: Span, sink: &mut Sink) -> TokenKind {
    let (wide, body) = unquote(text, '\'');
    let mut units = Vec::new();
    decode(body, wide, span, sink, &mut |unit| units.push(unit));
    let closed = text.len() > 1 && text.ends_with('\'');
    let unit = match units.as_slice() {
        [unit] => *unit,
        // Already reported as unterminated.
        other if !closed => other.first().copied().unwrap_or(0),
        other => {
            let message = if other.is_empty() {
                "this character literal is empty".to_owned()
            } else {
                format!("this character literal contains {} characters", other.len())
            };
            let mut diagnostic = Diagnostic::new(Code::BadCharacter, span, message);
            if other.len() > 1 {
                diagnostic = diagnostic.hint("write text in double quotes");
            }
            sink.push(diagnostic);
            other.first().copied().unwrap_or(0)
        }
    };
    if wide { TokenKind::WChar(unit) } else { TokenKind::Char(narrow(unit)) }
}

/// Converts a narrow unit; decoding has checked that it is at most 0xFF.
fn narrow(unit: u16) -> char {
    char::from(u8::try_from(unit).unwrap_or(b'?'))
}

/// Adjacent string literals, which form one.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) wide: bool,
    pub(super) span: Span,
    docs: Option<Rc<str>>,
    line_start: bool,
    units: Vec<u16>,
}

impl Pending {
    pub(super) fn new(wide: bool, first: &PpToken) -> Self {
        let (span, docs, line_start) = (first.span, first.docs.clone(), first.line_start);
        Self { wide, span, docs, line_start, units: Vec::new() }
    }

    /// Adds a literal, with its quotes and prefix.
    pub(super) fn add(&mut self, text: &str, span: Span, sink: &mut Sink) {
        self.span = self.span.to(span);
        let (wide, body) = unquote(text, '"');
        let mut zero = false;
        decode(body, wide, span, sink, &mut |unit| {
            zero |= unit == 0;
            self.units.push(unit);
        });
        if zero {
            self.units.retain(|unit| *unit != 0);
            sink.error(Code::NulInString, span, "this string contains a NUL character");
        }
    }

    pub(super) fn finish(self) -> Token {
        let kind = if self.wide {
            TokenKind::WStr(self.units.into())
        } else {
            let text: String = self.units.into_iter().map(narrow).collect();
            TokenKind::Str(text.into())
        };
        Token { kind, span: self.span, docs: self.docs, line_start: self.line_start }
    }
}

fn unquote(text: &str, quote: char) -> (bool, &str) {
    let (wide, text) = text.strip_prefix('L').map_or((false, text), |text| (true, text));
    let text = text.strip_prefix(quote).unwrap_or(text);
    (wide, text.strip_suffix(quote).unwrap_or(text))
}

/// Decodes escapes; emits UTF-16 units for wide text and Latin-1 codes for narrow text.
fn decode(body: &str, wide: bool, span: Span, sink: &mut Sink, emit: &mut dyn FnMut(u16)) {
    let mut rest = body.chars();
    while let Some(char) = rest.next() {
        if char == '\\' {
            match escape(&mut rest, wide) {
                Ok(unit) => emit(unit),
                Err((bad, hint)) => {
                    let message = format!("unknown escape sequence `\\{bad}`");
                    let diagnostic = Diagnostic::new(Code::BadEscape, span, message);
                    sink.push(match hint {
                        Some(hint) => diagnostic.hint(hint),
                        None => diagnostic,
                    });
                    emit(u16::from(b'?'));
                }
            }
        } else if wide {
            let mut buffer = [0; 2];
            char.encode_utf16(&mut buffer).iter().copied().for_each(&mut *emit);
        } else {
            let code = u32::from(char);
            if let Ok(unit) = u8::try_from(code) {
                emit(u16::from(unit));
                continue;
            }
            let message = format!("`{char}` is not in ISO Latin-1");
            sink.push(
                Diagnostic::new(Code::CharacterRange, span, message)
                    .hint("add the prefix `L` to make the literal wide"),
            );
            emit(u16::from(b'?'));
        }
    }
}

/// Decodes the escape sequence after a backslash.
fn escape(
    rest: &mut std::str::Chars<'_>,
    wide: bool,
) -> Result<u16, (String, Option<&'static str>)> {
    let Some(char) = rest.next() else { return Err((String::new(), None)) };
    let simple = match char {
        'n' => 10,
        't' => 9,
        'v' => 11,
        'b' => 8,
        'r' => 13,
        'f' => 12,
        'a' => 7,
        '\\' | '?' | '\'' | '"' => char as u16,
        '0'..='7' => {
            let more = take_digits(rest, 8, 2);
            let value = u16::from_str_radix(&format!("{char}{more}"), 8).unwrap_or(0);
            return if value <= 0xff {
                Ok(value)
            } else {
                Err((format!("{char}{more}"), Some("the largest octal escape is `\\377`")))
            };
        }
        'x' => {
            let digits = take_digits(rest, 16, 2);
            return u16::from_str_radix(&digits, 16)
                .map_err(|_| ("x".to_owned(), Some("`\\x` takes one or two hexadecimal digits")));
        }
        'u' if wide => {
            let digits = take_digits(rest, 16, 4);
            return u16::from_str_radix(&digits, 16)
                .map_err(|_| ("u".to_owned(), Some("`\\u` takes one to four hexadecimal digits")));
        }
        'u' => {
            take_digits(rest, 16, 4);
            return Err((
                "u".to_owned(),
                Some("`\\u` is valid only in wide literals: add the prefix `L`"),
            ));
        }
        other => {
            return Err((other.escape_debug().to_string(), Some("write a backslash as `\\\\`")));
        }
    };
    Ok(simple)
}

fn take_digits(rest: &mut std::str::Chars<'_>, radix: u32, most: usize) -> String {
    let mut digits = String::new();
    while digits.len() < most
        && let Some(digit) = rest.as_str().chars().next().filter(|char| char.is_digit(radix))
    {
        digits.push(digit);
        rest.next();
    }
    digits
}
