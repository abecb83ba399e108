//! The code graph of Go: which types implement interfaces that embed those of other modules.

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, NodeQuery};

use crate::{
    questions::{one, related},
    support::{edges, graph_of},
};

const PROJECT: &str = r#"
//- /go.mod
module shop
go 1.22
//- /reply.go
package shop

import (
	"io"
	"net/http"

	"example.com/wire"
)

type Reply interface {
	http.ResponseWriter
	Status() int
}

type Stream interface {
	Send(text string) error
	Last() int
	wire.Stream
}

type Named interface {
	io.Closer
	Name() string
}

// It embeds the same interface.
type plain struct {
	http.ResponseWriter
	status int
}

func (p *plain) Status() int { return p.status }

// It is said to be one.
type whole struct{ n int }

var _ Reply = (*whole)(nil)

func (w *whole) Header() http.Header         { return nil }
func (w *whole) Write(b []byte) (int, error) { return 0, nil }
func (w *whole) WriteHeader(code int)        {}
func (w *whole) Status() int                 { return w.n }

type made struct{}

var _ Reply = &made{}

func (m *made) Status() int { return 1 }

type counted struct{}

var _ Reply = counted{}

func (c counted) Status() int { return 1 }

// One method alone says nothing.
type order struct{}

func (o *order) Status() int { return 2 }

type client struct{ wire.Stream }

func (c *client) Send(text string) error { return nil }
func (c *client) Last() int              { return 0 }

type perhaps struct{}

func (p *perhaps) Send(text string) error { return nil }
func (p *perhaps) Last() int              { return 0 }

type other struct{ wire.Stream }

func (o *other) Send(number int) error { return nil }
func (o *other) Last() int             { return 0 }

type file struct{}

func (f *file) Close() error { return nil }
func (f *file) Name() string { return "" }

type label struct{}

func (l *label) Name() string { return "" }

func use(reply Reply) int { return reply.Status() }
"#;

#[test]
fn what_embeds_an_interface_of_another_module_is_implemented() {
    let graph = graph_of(PROJECT);
    let implementers = |name: &str| {
        let all = edges(&graph, EdgeKind::Implements).into_iter();
        let of = |edge: String| {
            edge.split_once(&format!(" -> shop.{name}"))
                .map(|(from, sure)| format!("{}{sure}", from.trim_start_matches("shop.")))
        };
        let types = all.filter_map(of).filter(|it| !it.contains('.'));
        types.collect::<Vec<_>>()
    };
    assert_eq!(implementers("Reply"), ["counted", "made", "plain", "whole"]);
    assert_eq!(implementers("Stream"), ["client", "perhaps ?"]);
    assert_eq!(implementers("Named"), ["file"]);
    let callers = related(&graph, NodeQuery::Callers, "whole.Status");
    let callers: Vec<_> = callers.iter().map(|it| (it.node, it.through)).collect();
    assert_eq!(callers, [(one(&graph, "use"), Some(one(&graph, "Reply.Status")))]);
}
