//! The expressions of `#if` and `#elif`.

use crate::lexer::{PpKind, PpToken};
use crate::limits::MAX_NESTING;
use crate::source::Span;

/// The error in an expression, and its span.
pub(super) type Problem = (Option<Span>, String);

/// Evaluates an expression whose macros are expanded and whose `defined` operators are replaced.
pub(super) fn evaluate(tokens: &[PpToken]) -> Result<bool, Problem> {
    let mut parser = Evaluator { tokens, pos: 0, depth: 0 };
    let value = parser.ternary(true)?;
    match parser.peek() {
        None => Ok(value != 0),
        Some(token) => Err((Some(token.span), format!("`{}` is unexpected here", token.text))),
    }
}

struct Evaluator<'t> {
    tokens: &'t [PpToken],
    pos: usize,
    depth: usize,
}

/// The binary operators, by increasing precedence.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'t> Evaluator<'t> {
    fn peek(&self) -> Option<&'t PpToken> {
        self.tokens.get(self.pos)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_punct(text));
        self.pos += usize::from(found);
        found
    }

    fn missing<T>(&self, what: &str) -> Result<T, Problem> {
        let span = self.peek().or_else(|| self.tokens.last()).map(|token| token.span);
        Err((span, what.to_owned()))
    }

    /// `condition ? a : b`. Where `live` is false, the value is discarded and divisions by zero are
    /// ignored.
    fn ternary(&mut self, live: bool) -> Result<i64, Problem> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return self.missing("the expression nests too deep");
        }
        let condition = self.binary(0, live)?;
        let value = if self.eat("?") {
            let yes = self.ternary(live && condition != 0)?;
            if !self.eat(":") {
                return self.missing("`:` is missing after `?`");
            }
            let no = self.ternary(live && condition == 0)?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize, live: bool) -> Result<i64, Problem> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(live) };
        let mut left = self.binary(level + 1, live)?;
        while let Some(token) = self.peek()
            && token.kind == PpKind::Punct
            && let Some(operator) = operators.iter().find(|operator| ***operator == *token.text)
        {
            self.pos += 1;
            let right_live = match *operator {
                "||" => live && left == 0,
                "&&" => live && left != 0,
                _ => live,
            };
            let right = self.binary(level + 1, right_live)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if !right_live => 0,
                None => return Err((Some(token.span), "division by zero".into())),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<i64, Problem> {
        let mut operators = Vec::new();
        while let Some(token) = self.peek()
            && token.kind == PpKind::Punct
            && matches!(&*token.text, "-" | "+" | "!" | "~")
        {
            operators.push(&*token.text);
            self.pos += 1;
        }
        let mut value = self.primary(live)?;
        for operator in operators.into_iter().rev() {
            value = match operator {
                "-" => value.wrapping_neg(),
                "!" => i64::from(value == 0),
                "~" => !value,
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<i64, Problem> {
        let Some(token) = self.peek() else {
            return self.missing("the expression is incomplete");
        };
        self.pos += 1;
        match token.kind {
            // An identifier that is not a macro counts as 0.
            PpKind::Ident => Ok(0),
            PpKind::Number => number(&token.text)
                .ok_or_else(|| (Some(token.span), format!("`{}` is not an integer", token.text))),
            PpKind::Char if token.text.chars().count() == 3 => {
                Ok(token.text.chars().nth(1).map_or(0, |char| i64::from(u32::from(char))))
            }
            _ if token.is_punct("(") => {
                let value = self.ternary(live)?;
                if !self.eat(")") {
                    return self.missing("`)` is missing");
                }
                Ok(value)
            }
            _ => {
                self.pos -= 1;
                self.missing(&format!("`{}` is not a value", token.text))
            }
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    // Values above the signed range wrap, as they do in C.
    u64::from_str_radix(digits, radix).ok().map(u64::cast_signed)
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let shift = || u32::try_from(right.clamp(0, 63)).unwrap_or(63);
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        "<=" => i64::from(left <= right),
        ">" => i64::from(left > right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(shift()),
        ">>" => left.wrapping_shr(shift()),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" if right != 0 => left.wrapping_div(right),
        "%" if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}
