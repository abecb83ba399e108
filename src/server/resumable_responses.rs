//! Keeps the events of MCP calls for clients whose connection breaks: a client that sends the ID of its last event gets
//! the later ones, even after the call has ended. The sessions of `rmcp` drop a call with its answer.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{Stream, StreamExt, stream};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};
use tokio::sync::watch;

/// Bytes of calls that have ended and are kept, for all sessions of a root.
const MAX_ENDED_BYTES: usize = 16 << 20;
/// Bytes of an event besides its message.
const EVENT_BYTES: usize = 256;
/// Most events of one call that are kept. Events before the answer only report progress.
const MAX_EVENTS: usize = 256;

/// The calls of all sessions.
#[derive(Default)]
pub(super) struct ResumableResponses {
    calls: Mutex<KeptCalls>,
}

#[derive(Default)]
struct KeptCalls {
    of: HashMap<SessionId, HashMap<u64, Arc<CallEvents>>>,
    /// Calls of each session that have not ended.
    running: HashMap<SessionId, usize>,
    /// Calls that have ended and their bytes, oldest first.
    ended: VecDeque<(SessionId, u64, usize)>,
    ended_bytes: usize,
}

/// The events of one call.
struct CallEvents {
    events: Mutex<VecDeque<(usize, ServerSseMessage)>>,
    /// Whether the call has ended; marked as changed for every event.
    has_ended: watch::Sender<bool>,
}

impl ResumableResponses {
    /// Begins a session. Calls of unknown sessions are not kept.
    pub(super) fn begin(&self, session: SessionId) {
        self.calls().of.entry(session).or_default();
    }

    /// Returns the events of `call`, which is read to its end even without a listener.
    pub(super) fn keep<S>(
        self: &Arc<Self>,
        session: &SessionId,
        call: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + 'static,
    {
        let kept = Arc::new(CallEvents::new());
        *self.calls().running.entry(session.clone()).or_default() += 1;
        let (responses, session, events) = (Arc::clone(self), session.clone(), Arc::clone(&kept));
        tokio::spawn(async move {
            let mut call = std::pin::pin!(call);
            let mut number = None;
            while let Some(event) = call.next().await {
                let Some((index, of_call)) = event.event_id.as_deref().and_then(parse) else {
                    continue;
                };
                if number.is_none() {
                    responses.add(&session, of_call, &events);
                }
                number = Some(of_call);
                events.add(index, event);
            }
            events.has_ended.send_replace(true);
            responses.count_end(&session);
            if let Some(number) = number {
                responses.end(&session, number, events.bytes());
            }
        });
        kept.after(None)
    }

    /// Returns the events of a call after the event with the ID `last_event`; `None` when no call that is kept has it.
    pub(super) fn after(
        &self,
        session: &SessionId,
        last_event: &str,
    ) -> Option<impl Stream<Item = ServerSseMessage> + Send + Sync + use<>> {
        let (index, number) = parse(last_event)?;
        let call = Arc::clone(self.calls().of.get(session)?.get(&number)?);
        Some(call.after(Some(index)))
    }

    /// Whether a call of the session has not ended.
    pub(super) fn is_running(&self, session: &SessionId) -> bool {
        self.calls().running.contains_key(session)
    }

    /// Removes a session.
    pub(super) fn forget(&self, session: &SessionId) {
        let mut calls = self.calls();
        calls.of.remove(session);
        let mut freed = 0;
        calls.ended.retain(|(of, _, bytes)| {
            freed += if of == session { *bytes } else { 0 };
            of != session
        });
        calls.ended_bytes -= freed;
    }

    fn calls(&self) -> MutexGuard<'_, KeptCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_end(&self, session: &SessionId) {
        let mut calls = self.calls();
        if let Some(running) = calls.running.get_mut(session) {
            *running -= 1;
            if *running == 0 {
                calls.running.remove(session);
            }
        }
    }

    fn add(&self, session: &SessionId, number: u64, call: &Arc<CallEvents>) {
        if let Some(calls) = self.calls().of.get_mut(session) {
            calls.insert(number, Arc::clone(call));
        }
    }

    /// Records the end of a call, and drops the oldest calls over the limit.
    fn end(&self, session: &SessionId, number: u64, bytes: usize) {
        let mut calls = self.calls();
        if !calls.of.contains_key(session) {
            return;
        }
        calls.ended.push_back((session.clone(), number, bytes));
        calls.ended_bytes += bytes;
        while calls.ended_bytes > MAX_ENDED_BYTES {
            let Some((session, oldest, bytes)) = calls.ended.pop_front() else { break };
            calls.ended_bytes -= bytes;
            if let Some(of_session) = calls.of.get_mut(&session) {
                of_session.remove(&oldest);
            }
        }
    }
}

impl CallEvents {
    fn new() -> Self {
        Self { events: Mutex::default(), has_ended: watch::Sender::new(false) }
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<(usize, ServerSseMessage)>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, index: usize, event: ServerSseMessage) {
        let mut events = self.events();
        events.push_back((index, event));
        if events.len() > MAX_EVENTS {
            events.pop_front();
        }
        drop(events);
        self.has_ended.send_replace(false);
    }

    fn next(&self, after: Option<usize>) -> Option<(usize, ServerSseMessage)> {
        let is_next = |(index, _): &&(usize, ServerSseMessage)| after.is_none_or(|it| *index > it);
        self.events().iter().find(is_next).cloned()
    }

    /// Returns the size of the messages as they are sent.
    fn bytes(&self) -> usize {
        let size = |(_, event): &(usize, ServerSseMessage)| {
            let message = serde_json::to_vec(&event.message.as_deref());
            message.map_or(0, |message| message.len()) + EVENT_BYTES
        };
        self.events().iter().map(size).sum()
    }

    /// Returns the events after the one with the index `last`, including future ones.
    fn after(
        self: Arc<Self>,
        last: Option<usize>,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        let changes = self.has_ended.subscribe();
        stream::unfold((self, changes, last), |(call, mut changes, last)| async move {
            loop {
                let has_ended = *changes.borrow_and_update();
                if let Some((index, event)) = call.next(last) {
                    return Some((event, (call, changes, Some(index))));
                }
                if has_ended || changes.changed().await.is_err() {
                    return None;
                }
            }
        })
    }
}

/// Reads the ID of an event of a call: `index/call`.
fn parse(id: &str) -> Option<(usize, u64)> {
    let (index, call) = id.split_once('/')?;
    Some((index.parse().ok()?, call.parse().ok()?))
}
