//! Reduces items to what users see: no bodies, values, private fields or documentation.

use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

/// The item as users see it; `None` if it is private.
pub(super) fn outline(item: &Item) -> Option<Item> {
    let mut item = item.clone();
    match &mut item {
        Item::Const(item) => {
            *item.expr = nothing();
            visible(&mut item.attrs, &item.vis)?;
        }
        Item::Enum(item) => {
            visible(&mut item.attrs, &item.vis)?;
            for variant in &mut item.variants {
                shown(&mut variant.attrs);
                for field in &mut variant.fields {
                    shown(&mut field.attrs);
                }
            }
        }
        Item::Fn(item) => {
            item.block.stmts.clear();
            visible(&mut item.attrs, &item.vis)?;
        }
        Item::Macro(item) => {
            let exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
            item.mac.tokens = proc_macro2::TokenStream::new();
            return (shown(&mut item.attrs) && exported).then_some(Item::Macro(item.clone()));
        }
        Item::Static(item) => {
            *item.expr = nothing();
            visible(&mut item.attrs, &item.vis)?;
        }
        Item::Struct(item) => {
            visible(&mut item.attrs, &item.vis)?;
            public_fields(&mut item.fields);
        }
        Item::Trait(item) => {
            visible(&mut item.attrs, &item.vis)?;
            item.items.retain_mut(trait_item);
        }
        Item::Type(item) => visible(&mut item.attrs, &item.vis)?,
        _ => return None,
    }
    Some(item)
}

/// An `impl` block: the public part of an inherent one, the head of a trait's. `None` if empty.
pub(super) fn outline_impl(block: &syn::ItemImpl) -> Option<Item> {
    let mut block = block.clone();
    if !shown(&mut block.attrs) {
        return None;
    }
    if block.trait_.is_some() {
        block.items.retain(|item| matches!(item, ImplItem::Type(_)));
        return Some(Item::Impl(block));
    }
    block.items.retain_mut(|item| match item {
        ImplItem::Const(item) => {
            item.expr = nothing();
            visible(&mut item.attrs, &item.vis).is_some()
        }
        ImplItem::Fn(item) => {
            item.block.stmts.clear();
            visible(&mut item.attrs, &item.vis).is_some()
        }
        ImplItem::Type(item) => visible(&mut item.attrs, &item.vis).is_some(),
        _ => false,
    });
    (!block.items.is_empty()).then_some(Item::Impl(block))
}

fn trait_item(item: &mut TraitItem) -> bool {
    match item {
        TraitItem::Const(item) => {
            item.default = item.default.as_ref().map(|(equals, _)| (*equals, nothing()));
            shown(&mut item.attrs)
        }
        TraitItem::Fn(item) => {
            item.default.iter_mut().for_each(|body| body.stmts.clear());
            shown(&mut item.attrs)
        }
        TraitItem::Type(item) => shown(&mut item.attrs),
        _ => false,
    }
}

fn public_fields(fields: &mut Fields) {
    for field in fields.iter_mut() {
        shown(&mut field.attrs);
        if !is_public(&field.vis) {
            field.vis = Visibility::Inherited;
            field.ty = syn::Type::Infer(syn::TypeInfer {
                attrs: Vec::new(),
                underscore_token: Default::default(),
            });
        }
    }
    if let Fields::Named(named) = fields {
        let fields = std::mem::take(&mut named.named);
        named.named = fields.into_iter().filter(|field| is_public(&field.vis)).collect();
    }
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn visible(attributes: &mut Vec<Attribute>, visibility: &Visibility) -> Option<()> {
    (shown(attributes) && is_public(visibility)).then_some(())
}

/// Retains the attributes that matter to users; `false` if the item is hidden.
pub(super) fn shown(attributes: &mut Vec<Attribute>) -> bool {
    let hidden = is_hidden(attributes);
    let seen = ["cfg", "derive", "must_use", "non_exhaustive", "repr"];
    attributes.retain(|attribute| seen.iter().any(|name| attribute.path().is_ident(name)));
    !hidden
}

/// `#[doc(hidden)]`.
pub(super) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            list.path.is_ident("doc") && list.tokens.to_string().contains("hidden")
        }
        _ => false,
    })
}

/// `_`, in place of a value.
fn nothing() -> syn::Expr {
    syn::Expr::Infer(syn::ExprInfer { attrs: Vec::new(), underscore_token: Default::default() })
}
