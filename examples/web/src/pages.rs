//! The pages: they call the object, and wait for it in tasks.

use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use zorb::{Pending, SystemException};

use crate::shop::Stock;
use crate::shop::stock::NumberError;

/// How long a page waits for the object, unless its path says that. The call is cancelled after that.
const LIMIT: Duration = Duration::from_secs(30);

pub(crate) fn of(stock: Stock) -> Router {
    Router::new()
        .route("/{article}", get(number))
        .route("/{article}/deliver/{number}", post(deliver))
        .route("/{article}/wait/{milliseconds}", get(wait))
        .with_state(stock)
}

async fn number(
    State(stock): State<Stock>,
    Path(article): Path<String>,
) -> Result<String, Unavailable> {
    let pending = send(move || stock.send_number(&article)).await?;
    let number = timeout(LIMIT, pending).await??;
    Ok(number.to_string())
}

async fn deliver(
    State(stock): State<Stock>,
    Path((article, number)): Path<(String, i32)>,
) -> Result<String, Unavailable> {
    let pending = send(move || stock.send_deliver(&article, number)).await?;
    let number = timeout(LIMIT, pending).await??;
    Ok(number.to_string())
}

async fn wait(
    State(stock): State<Stock>,
    Path((article, milliseconds)): Path<(String, u64)>,
) -> Result<String, Unavailable> {
    let pending = send(move || stock.send_wait_for(&article)).await?;
    let number = timeout(Duration::from_millis(milliseconds), pending).await??;
    Ok(number.to_string())
}

/// Sends a call. That may take time: the first call connects, and a server may be slow to read.
async fn send<T: Send + 'static, E: Send + 'static>(
    send: impl FnOnce() -> Pending<T, E> + Send + 'static,
) -> Result<Pending<T, E>, JoinError> {
    spawn_blocking(send).await
}

/// Why a page shows nothing.
struct Unavailable(StatusCode, String);

impl IntoResponse for Unavailable {
    fn into_response(self) -> Response {
        (self.0, self.1).into_response()
    }
}

impl From<NumberError> for Unavailable {
    fn from(error: NumberError) -> Self {
        match error {
            NumberError::UnknownArticle(unknown) => Self(StatusCode::NOT_FOUND, unknown.article),
            NumberError::System(error) => error.into(),
        }
    }
}

impl From<SystemException> for Unavailable {
    fn from(error: SystemException) -> Self {
        Self(StatusCode::BAD_GATEWAY, error.to_string())
    }
}

impl From<Elapsed> for Unavailable {
    fn from(error: Elapsed) -> Self {
        Self(StatusCode::GATEWAY_TIMEOUT, error.to_string())
    }
}

impl From<JoinError> for Unavailable {
    fn from(error: JoinError) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}
