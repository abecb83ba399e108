//! The walk from a syntax tree to facts: its state, and the visit of one node by its role. Definitions, expressions, scopes
//! and types are lowered by the sibling modules; what only one language has is its [`LoweringDialect`]'s.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::TreeCursor;

use crate::{
    facts::{
        DefFlags, DefId, Expr, ExprId, FileFacts, FileOmission, LambdaId, MemberUse, Reference,
        ReferenceKind, ScopeId, Sym, TypeExpr, TypeId,
    },
    lowering::{LoweringDialect, comment_type_tree::CommentTypeTree},
    syntax::{
        SyntaxNode, SyntaxTree,
        grammar_table::{GrammarTable, Role, Slot, SyntaxNodeRule},
        syntax_node::MAX_LEVELS,
        syntax_node_fields::SyntaxNodeFields,
    },
};

/// Visits inside one another; what lies deeper is put off and visited from the top.
const MAX_DEPTH: u32 = 150;
/// Levels of the tree below the node that a visit starts at from which on nodes are put off as well.
const MAX_LEVELS_DOWN: u32 = MAX_LEVELS / 4 * 3;
/// Levels further down to which names and what is short are visited all the same: a call needs its callee at once.
const FURTHER_DOWN: u32 = 24;
/// Bytes of what is short.
const SHORT: usize = 80;
/// Scopes inside one another; what lies deeper is left out.
const MAX_SCOPES: u32 = 256;
/// Bytes of a name that are kept.
const MAX_NAME: usize = 2_000;
/// Limit of the parts of a qualified name: building the names of all its prefixes takes quadratic time.
pub(crate) const MAX_PARTS: usize = 64;

/// The target of the values of `return`.
#[derive(Clone, Copy)]
pub(crate) enum ReturnTarget {
    File,
    Def(DefId),
    Lambda(LambdaId),
}

/// The position of the walk.
#[derive(Clone, Copy)]
pub(crate) struct LoweringPosition {
    pub(crate) scope: ScopeId,
    /// The definition that what is met belongs to.
    pub(crate) owner: Option<DefId>,
    pub(crate) body: ReturnTarget,
    /// Marks for the next definition: `export`, modifiers that stand around it.
    pub(crate) marks: DefFlags,
    /// The type of `this` here, where a condition narrows it.
    pub(crate) this: TypeId,
    /// The function whose own value stands for `this` here, where functions construct objects.
    pub(crate) constructor: Option<DefId>,
    /// Scopes around.
    pub(crate) scopes: u32,
}

/// The walk over one file.
pub(crate) struct LoweringContext<'t> {
    pub(crate) source: &'t str,
    pub(crate) syntax: &'t SyntaxTree<'t>,
    pub(crate) table: &'static GrammarTable,
    pub(crate) dialect: &'static dyn LoweringDialect,
    pub(crate) facts: FileFacts,
    pub(crate) at: LoweringPosition,
    /// The comment or attribute that ends right above: text and its last row.
    pub(crate) doc: Option<(String, usize)>,
    /// Members by type and name, for values assigned to them later.
    pub(crate) members: FxHashMap<(DefId, Sym), DefId>,
    pub(crate) globals: FxHashMap<Sym, DefId>,
    /// Macros of the file by name, in languages where their calls are read with them.
    pub(crate) macros: FxHashMap<Sym, SyntaxNode<'t>>,
    /// Names that are bound in the file's own scope, by the first bindings: how many of them.
    pub(super) file_names: (FxHashSet<Sym>, usize),
    pub(crate) type_depth: u32,
    /// Type parameters that stand before the definition that has them.
    pub(crate) pending_types: Vec<Sym>,
    /// The type of the value that is lowered next, for a member that is named without its type.
    pub(crate) expected: ExprId,
    /// Functions that declare what `this` is.
    pub(crate) typed_this: FxHashSet<ScopeId>,
    /// The types that comments tell, in languages where they do.
    pub(crate) comment_types: Option<&'t CommentTypeTree<'t>>,
    /// Decorators whose definition follows, by their places among the references.
    pub(crate) waiting_decorators: Vec<usize>,
    /// The row of the node that was visited last.
    pub(crate) row: usize,
    symbols: FxHashMap<Box<str>, Sym>,
    /// The visited nodes that the grammar could not parse.
    errors: FxHashSet<usize>,
    depth: u32,
    put_off: Vec<(SyntaxNode<'t>, LoweringPosition)>,
    /// Cursors that are free for reuse.
    cursors: RefCell<Vec<TreeCursor<'t>>>,
}

impl<'t> LoweringContext<'t> {
    pub(crate) fn new(
        syntax: &'t SyntaxTree<'t>,
        dialect: &'static dyn LoweringDialect,
        facts: FileFacts,
    ) -> Self {
        let at = LoweringPosition {
            scope: ScopeId(0),
            owner: None,
            body: ReturnTarget::File,
            marks: DefFlags::default(),
            this: TypeId::UNKNOWN,
            constructor: None,
            scopes: 0,
        };
        let symbols = FxHashMap::default();
        Self {
            source: syntax.source(),
            syntax,
            table: syntax.table(),
            dialect,
            facts,
            at,
            doc: None,
            members: FxHashMap::default(),
            globals: FxHashMap::default(),
            macros: FxHashMap::default(),
            file_names: (FxHashSet::default(), 0),
            type_depth: 0,
            pending_types: Vec::new(),
            waiting_decorators: Vec::new(),
            row: 0,
            expected: ExprId::UNKNOWN,
            typed_this: FxHashSet::default(),
            comment_types: None,
            symbols,
            errors: FxHashSet::default(),
            depth: 0,
            put_off: Vec::new(),
            cursors: RefCell::default(),
        }
    }

    /// Visits the whole tree and returns its facts.
    pub(crate) fn run(mut self, root: SyntaxNode<'t>) -> FileFacts {
        self.comment_declarations();
        self.children(root);
        while let Some((node, at)) = self.put_off.pop() {
            self.at = at;
            self.depth = 0;
            self.syntax.start_at(node);
            self.node(node);
        }
        self.mark_told_types();
        if self.syntax.is_cut() {
            self.facts.omission = Some(FileOmission::Nesting);
        }
        self.facts.package.truncate(MAX_PARTS);
        self.facts.bindings.sort_by_key(|b| (b.scope, b.name, b.from));
        self.facts
    }

    pub(crate) fn text<'n>(&self, node: SyntaxNode<'n>) -> &'n str {
        let _ = self;
        node.text()
    }

    /// Takes memory for something that is kept; once none is left, there are no further nodes either.
    pub(crate) fn allocate(&self, bytes: usize) {
        // A refusal ends all work on the file, see `SyntaxTree`.
        let _ = self.syntax.budget().allocate(bytes as u64);
    }

    pub(crate) fn sym(&mut self, text: &str) -> Sym {
        let text = clipped(text, MAX_NAME);
        if let Some(sym) = self.symbols.get(text) {
            return *sym;
        }
        self.allocate(2 * text.len() + 64);
        let sym = Sym(index(self.facts.names.len()));
        self.facts.names.push(text.into());
        self.symbols.insert(text.into(), sym);
        sym
    }

    /// The parts of a dotted name.
    pub(crate) fn dotted(&mut self, name: &str) -> Vec<Sym> {
        let budget = self.syntax.budget();
        let parts = name.split('.').map(str::trim).filter(|part| !part.is_empty());
        parts.take_while(|_| budget.spend(1).is_ok()).map(|part| self.sym(part)).collect()
    }

    pub(crate) fn dotted_of(&mut self, node: SyntaxNode<'t>) -> Vec<Sym> {
        let text = self.text(node);
        self.dotted(text)
    }

    pub(crate) fn sym_of(&mut self, node: SyntaxNode<'t>) -> Sym {
        let text = self.text(node);
        self.sym(text)
    }

    /// Returns the symbol of a name, or that of the empty text.
    pub(crate) fn sym_of_optional(&mut self, name: Option<SyntaxNode<'t>>) -> Sym {
        let text = name.map_or("", |name| self.text(name));
        self.sym(text)
    }

    pub(crate) fn push(&mut self, expr: Expr) -> ExprId {
        self.allocate(size_of::<Expr>());
        let object = if let Expr::Member { object, .. } = expr { Some(object) } else { None };
        self.facts.exprs.push(expr);
        let id = ExprId(index(self.facts.exprs.len() - 1));
        if object.is_some_and(|object| self.facts.names_type(object)) {
            self.use_member(id);
        }
        id
    }

    /// Notes that a member is reached by the name of what may be a type, or a name that may be a case's.
    pub(crate) fn use_member(&mut self, member: ExprId) {
        self.allocate(size_of::<MemberUse>());
        let (line, from) = (index(self.row) + 1, self.at.owner);
        self.facts.member_uses.push(MemberUse { member, line, from });
    }

    pub(crate) fn push_type(&mut self, ty: TypeExpr) -> TypeId {
        self.allocate(size_of::<TypeExpr>());
        self.facts.types.push(ty);
        TypeId(index(self.facts.types.len() - 1))
    }

    pub(crate) fn name_expr(&mut self, node: SyntaxNode<'t>) -> ExprId {
        let name = self.sym_of(node);
        let (scope, pos) = (self.at.scope, index(node.start_byte()));
        let id = self.push(Expr::Name { name, scope, pos });
        if self.dialect.names_cases() && is_constant(self.facts.text(name)) {
            self.use_member(id);
        }
        id
    }

    pub(crate) fn resolve_expr(
        &mut self,
        kind: ReferenceKind,
        target: ExprId,
        args: usize,
        row: usize,
    ) {
        if target.is_known() {
            let (args, line) = (u16::try_from(args).unwrap_or(u16::MAX), index(row) + 1);
            self.allocate(size_of::<Reference>());
            self.facts.refs.push(Reference { kind, target, args, line, from: self.at.owner });
        }
    }

    /// Visits every named child.
    pub(crate) fn children(&mut self, node: SyntaxNode<'t>) {
        let mut cursor = self.cursor(node);
        let mut more = cursor.goto_first_child();
        while more && let Some(child) = node.child_at(&cursor) {
            if child.is_named() {
                self.node(child);
            }
            more = cursor.goto_next_sibling();
        }
        self.cursors.borrow_mut().push(cursor);
    }

    /// Lowers a node of any kind, and returns its value.
    pub(crate) fn node(&mut self, node: SyntaxNode<'t>) -> ExprId {
        if self.at.scopes > MAX_SCOPES {
            self.syntax.cut();
            return ExprId::UNKNOWN;
        }
        if node.is_error() {
            self.errors.insert(node.id());
        }
        if self.is_too_deep(node) {
            self.allocate(size_of::<(SyntaxNode<'t>, LoweringPosition)>());
            self.put_off.push((node, self.at));
            return ExprId::UNKNOWN;
        }
        self.depth += 1;
        self.row = node.start_position().row;
        let value = self.visit(node);
        if node.has_error() {
            self.unread_children(node);
        }
        self.depth -= 1;
        value
    }

    fn is_too_deep(&self, node: SyntaxNode<'t>) -> bool {
        let is_above = |further: u32| {
            self.depth < MAX_DEPTH + further && node.levels() < MAX_LEVELS_DOWN + further
        };
        let may_go_further =
            || node.byte_range().len() <= SHORT || self.table.role(node) == Role::Member;
        !(is_above(0) || is_above(FURTHER_DOWN) && may_go_further())
    }

    /// Visits the children that the grammar could not read, where the visit of the node did not expect them.
    pub(crate) fn unread_children(&mut self, node: SyntaxNode<'t>) {
        for child in node.children().filter(SyntaxNode::is_error) {
            if !self.errors.contains(&child.id()) {
                self.node(child);
            }
        }
    }

    fn visit(&mut self, node: SyntaxNode<'t>) -> ExprId {
        let table = self.table;
        let Some(rule) = table.rule(node) else {
            self.children(node);
            return ExprId::UNKNOWN;
        };
        match rule.role {
            Role::Skip | Role::Erased => ExprId::UNKNOWN,
            Role::Comment => {
                self.comment(node);
                ExprId::UNKNOWN
            }
            Role::Special => self.dialect.special(self, node),
            Role::Plain => {
                self.children(node);
                ExprId::UNKNOWN
            }
            Role::Pass => {
                let parts = self.parts_by(rule, node);
                let value = match parts.get(Slot::Value) {
                    Some(value) => self.node(value),
                    None => self.last_child(node),
                };
                let asserted = self.comment_assertion(node);
                if asserted.is_known() { self.push(Expr::Typed(asserted)) } else { value }
            }
            Role::Block => self.in_block(|lower| lower.last_child(node)),
            role if is_definition(role) => self.definition(role, node, &self.parts_by(rule, node)),
            role => {
                let parts = self.parts_by(rule, node);
                self.expression(role, node, &parts)
            }
        }
    }

    /// Returns the kind of a node in its grammar.
    pub(crate) fn kind(&self, node: SyntaxNode<'_>) -> &'static str {
        let _ = self;
        node.kind()
    }

    /// The first child in a field of the grammar.
    pub(crate) fn in_field<'n>(&self, node: SyntaxNode<'n>, name: &str) -> Option<SyntaxNode<'n>> {
        let _ = self;
        node.field(name)
    }

    /// Lowers the child in a field of the grammar.
    pub(crate) fn child(&mut self, node: SyntaxNode<'t>, field: &str) -> ExprId {
        self.in_field(node, field).map_or(ExprId::UNKNOWN, |child| self.node(child))
    }

    /// Visits every named child and returns the value of the last one.
    pub(crate) fn last_child(&mut self, node: SyntaxNode<'t>) -> ExprId {
        let mut cursor = self.cursor(node);
        let mut value = ExprId::UNKNOWN;
        let mut more = cursor.goto_first_child();
        while more && let Some(child) = node.child_at(&cursor) {
            if child.is_extra() {
                self.node(child);
            } else if child.is_named() {
                value = self.node(child);
            }
            more = cursor.goto_next_sibling();
        }
        self.cursors.borrow_mut().push(cursor);
        value
    }

    pub(crate) fn parts(&self, node: SyntaxNode<'t>) -> Option<SyntaxNodeFields<'t>> {
        self.table.rule(node).map(|rule| self.parts_by(rule, node))
    }

    /// The parts of a node with this rule.
    pub(crate) fn parts_by(
        &self,
        rule: &SyntaxNodeRule,
        node: SyntaxNode<'t>,
    ) -> SyntaxNodeFields<'t> {
        let mut cursor = self.cursor(node);
        let parts = GrammarTable::parts(rule, node, &mut cursor);
        self.cursors.borrow_mut().push(cursor);
        parts
    }

    /// A cursor at `node`, used before if possible: to make one takes long.
    fn cursor(&self, node: SyntaxNode<'t>) -> TreeCursor<'t> {
        match self.cursors.borrow_mut().pop() {
            Some(mut cursor) => {
                cursor.reset(node.raw());
                cursor
            }
            None => node.raw().walk(),
        }
    }
}

/// The children with a name, without comments.
pub(crate) fn kids<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    node.named_children().filter(|child| !child.is_extra()).collect()
}

/// The first child with a name that is of this kind.
pub(crate) fn find<'t>(node: SyntaxNode<'t>, kind: &str) -> Option<SyntaxNode<'t>> {
    node.named_children().find(|child| child.kind() == kind)
}

/// Whether a name is written in capitals, as constants are.
fn is_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// A size or offset as the facts keep it; files over 4 GiB never come here.
pub(crate) fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

pub(crate) fn is_definition(role: Role) -> bool {
    use Role::{
        Alias, Class, Enum, Field, Function, Interface, Namespace, Struct, Trait, Variable, Variant,
    };
    matches!(
        role,
        Function
            | Class
            | Struct
            | Interface
            | Trait
            | Enum
            | Alias
            | Namespace
            | Field
            | Variant
            | Variable
    )
}

/// The start of a text, at most so many bytes.
fn clipped(text: &str, most: usize) -> &str {
    if text.len() <= most { text } else { &text[..text.floor_char_boundary(most)] }
}
