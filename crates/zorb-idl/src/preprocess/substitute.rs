//! The replacement of a macro with its arguments: `#` and `##`.

use std::collections::HashMap;

use super::Preprocessor;
use super::macros::Macro;
use super::scan::retokenise;
use crate::diagnostics::Code;
use crate::lexer::{PpKind, PpToken};
use crate::limits::MAX_EXPANSION_DEPTH;

impl Preprocessor<'_> {
    /// The macro's body with its parameters replaced by the arguments.
    pub(super) fn substitute(
        &mut self,
        item: &Macro,
        arguments: Vec<Vec<PpToken>>,
        at: &PpToken,
        depth: usize,
    ) -> Vec<PpToken> {
        let params = item.params.as_deref().unwrap_or(&[]);
        let position: HashMap<&str, usize> =
            params.iter().enumerate().map(|(index, name)| (&**name, index)).collect();
        let mut expanded: Vec<Option<Vec<PpToken>>> = vec![None; arguments.len()];
        let mut out: Vec<PpToken> = Vec::new();
        let mut paste = false;
        // True while all operands since the last token not joined by `##` are empty.
        let mut left_empty = true;
        for (index, token) in item.body.iter().enumerate() {
            if self.stopped {
                break;
            }
            let function_like = item.params.is_some();
            let pasting = paste;
            let next = item.body.get(index + 1);
            let previous = index.checked_sub(1).and_then(|index| item.body.get(index));
            if token.is_punct("##") {
                paste = true;
                continue;
            }
            if function_like && token.is_punct("#") {
                continue;
            }
            let argument = position.get(&*token.text).copied();
            let argument = argument.filter(|_| token.kind == PpKind::Ident);
            let mut part = match argument.and_then(|index| arguments.get(index).zip(Some(index))) {
                None => vec![PpToken { span: at.span, ..token.clone() }],
                Some((tokens, _)) if previous.is_some_and(|token| token.is_punct("#")) => {
                    vec![self.stringize(tokens, at)]
                }
                Some((tokens, _)) if paste || next.is_some_and(|next| next.is_punct("##")) => {
                    tokens.clone()
                }
                Some((tokens, index)) => {
                    if depth >= MAX_EXPANSION_DEPTH {
                        self.expansion_too_large(at.span);
                        return Vec::new();
                    }
                    let known = expanded.get(index).cloned().flatten();
                    let tokens =
                        known.unwrap_or_else(|| self.expand_all(tokens.clone(), depth + 1));
                    if let Some(slot) = expanded.get_mut(index) {
                        *slot = Some(tokens.clone());
                    }
                    tokens
                }
            };
            if !self.spend(part.len(), at.span) {
                return Vec::new();
            }
            if let Some(first) = part.first_mut() {
                first.space_before = token.space_before;
            }
            // An empty operand of `##` leaves the other operand unchanged.
            let empty = part.is_empty();
            if std::mem::take(&mut paste)
                && !(empty || left_empty)
                && let Some(left) = out.pop()
            {
                let right = part.remove(0);
                out.extend(self.pasted(&left, &right, at));
            }
            left_empty = empty && (left_empty || !pasting);
            out.extend(part);
        }
        out
    }

    /// `left ## right`
    fn pasted(&mut self, left: &PpToken, right: &PpToken, at: &PpToken) -> Vec<PpToken> {
        let text = format!("{}{}", left.text, right.text);
        if !self.spend_bytes(text.len(), at.span) {
            return Vec::new();
        }
        let tokens = retokenise(&text, at.span);
        if tokens.len() != 1 {
            let message = format!("`##` produces `{text}`, which is not a single token");
            self.sink.error(Code::BadPaste, at.span, message);
        }
        tokens
    }

    /// `#argument`
    fn stringize(&mut self, tokens: &[PpToken], at: &PpToken) -> PpToken {
        let mut text = String::from("\"");
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 && token.space_before {
                text.push(' ');
            }
            let literal = matches!(
                token.kind,
                PpKind::Str | PpKind::WideStr | PpKind::Char | PpKind::WideChar
            );
            for char in token.text.chars() {
                if literal && matches!(char, '"' | '\\') {
                    text.push('\\');
                }
                text.push(char);
            }
        }
        text.push('"');
        if !self.spend_bytes(text.len(), at.span) {
            text = "\"\"".into();
        }
        PpToken { kind: PpKind::Str, text: text.into(), ..at.clone() }
    }
}
