//! MCP sessions in memory, with a limit: clients that disconnect without ending their session do not fill the memory.
//! `mcp` owns the state of a session; a client whose connection breaks gets the rest of an answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures::{Stream, StreamExt};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};

use super::resumable_responses::ResumableResponses;

/// Sessions of one root. When there are too many, the session that was idle the longest ends, and one whose call is running
/// only if all are; its client gets status 404 for its next message and begins a new session, as the protocol says.
pub(super) struct LimitedSessions {
    sessions: LocalSessionManager,
    max_sessions: usize,
    last_used: Mutex<HashMap<SessionId, Instant>>,
    responses: Arc<ResumableResponses>,
}

impl LimitedSessions {
    /// Keeps at most `max_sessions`, each until it has been idle for `idle`.
    pub(super) fn new(max_sessions: u32, idle: Duration) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(idle);
        let max_sessions = usize::try_from(max_sessions.max(1)).unwrap_or(usize::MAX);
        Self { sessions, max_sessions, last_used: Mutex::default(), responses: Arc::default() }
    }

    fn last_used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self, id: &SessionId) {
        if let Some(last) = self.last_used().get_mut(id) {
            *last = Instant::now();
        }
    }

    /// Adds a session, and returns the sessions that must end.
    fn add(&self, id: SessionId) -> Vec<SessionId> {
        let mut last_used = self.last_used();
        let mut ended = Vec::new();
        while last_used.len() >= self.max_sessions {
            let idle_longest =
                |(id, last): &(&SessionId, &Instant)| (self.responses.is_running(id), **last);
            let Some((oldest, _)) = last_used.iter().min_by_key(idle_longest) else { break };
            let oldest = oldest.clone();
            last_used.remove(&oldest);
            ended.push(oldest);
        }
        last_used.insert(id, Instant::now());
        ended
    }
}

impl SessionManager for LimitedSessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.sessions.create_session().await?;
        self.responses.begin(id.clone());
        for ended in self.add(id.clone()) {
            // The new session is good even if another did not end well.
            drop(self.close_session(&ended).await);
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.last_used().remove(id);
        self.responses.forget(id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        let call = self.sessions.create_stream(id, message).await?;
        Ok(self.responses.keep(id, call))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.touch(id);
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        self.sessions.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        match self.responses.after(id, &last_event_id) {
            Some(call) => Ok(call.left_stream()),
            None => Ok(self.sessions.resume(id, last_event_id).await?.right_stream()),
        }
    }
}
