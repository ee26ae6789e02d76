//! Doc comments as descriptions.

use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result};

/// The text of the doc comment: the lines of a paragraph joined by a space,
/// paragraphs parted by a line break. Empty without a comment.
pub(crate) fn text(attrs: &[Attribute]) -> Result<String> {
    let mut text = String::new();
    let mut gap = false;
    for attr in attrs {
        let Meta::NameValue(meta) = &attr.meta else {
            continue;
        };
        if !meta.path.is_ident("doc") {
            continue;
        }
        let Expr::Lit(ExprLit {
            lit: Lit::Str(doc), ..
        }) = &meta.value
        else {
            return Err(Error::new_spanned(
                &meta.value,
                "a description is read from a plain doc comment",
            ));
        };
        let doc = doc.value();
        let block = doc.contains('\n');
        for line in doc.split('\n') {
            let line = line.trim();
            let line = match line.strip_prefix('*') {
                Some(rest) if block => rest.trim_start(),
                _ => line,
            };
            if line.is_empty() {
                gap = true;
                continue;
            }
            if !text.is_empty() {
                text.push(if gap { '\n' } else { ' ' });
            }
            text.push_str(line);
            gap = false;
        }
    }
    Ok(text)
}
