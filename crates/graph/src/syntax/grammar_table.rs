//! The grammar tables: for each node kind of a grammar the role it plays and where its parts are. Written as text, one
//! line a kind (`languages/<language>/grammar.table`), and compiled once into an array that is indexed by the grammar's
//! kind number.
//!
//! ```text
//! call_expression   call   object=function args=arguments
//! ```
//!
//! A part is a field's name, `:kind` (first named child of that kind), `#n` (n-th named child), `$` (last named child) or
//! `.` (the node itself); `a|b` takes the first that is there. A table that several grammars share marks what only some of
//! them have: `?kind`, `field?`.

use rustc_hash::FxHashMap;
use tree_sitter::Language as Grammar;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[$inner])* $variant),+ }

        impl $name {
            fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// What a node is to the extractor.
    Role {
        /// Nothing by itself: its children are visited.
        Plain = "plain",
        /// Stands for its only part: parentheses, a reference operator.
        Pass = "pass",
        Skip = "skip",
        /// Skipped, and no argument among types.
        Erased = "erased",
        Comment = "comment",
        /// Left to the language's own code.
        Special = "special",
        Function = "function",
        Class = "class",
        Struct = "struct",
        Interface = "interface",
        Trait = "trait",
        Enum = "enum",
        Alias = "alias",
        Namespace = "namespace",
        Field = "field",
        Variant = "variant",
        Variable = "variable",
        Param = "param",
        /// Type arguments, written after the type that they belong to.
        TypeArgs = "targs",
        /// Parts of a type's heading that name its supertypes.
        Inherits = "inherits",
        Implements = "implements",
        Block = "block",
        Foreach = "foreach",
        Return = "return",
        Assign = "assign",
        Decorator = "decorator",
        Ident = "ident",
        Call = "call",
        Member = "member",
        Index = "index",
        New = "new",
        Await = "await",
        Unwrap = "unwrap",
        Cast = "cast",
        This = "this",
        Super = "super",
        Lambda = "lambda",
        /// What keeps or hands on the values in it, and is none itself: a pair of a table, a list of results.
        Kept = "kept",
        Array = "array",
        Tuple = "tuple",
        Either = "either",
        Str = "string",
        Number = "number",
        Bool = "bool",
        TypeName = "tname",
        TypePath = "tpath",
        TypeGeneric = "tgeneric",
        TypeArray = "tarray",
        TypeTuple = "ttuple",
        TypeUnion = "tunion",
        TypeFunction = "tfunction",
        TypeThis = "tthis",
    }
}

words! {
    /// A part of a node.
    Slot {
        Name = "name",
        Type = "type",
        Value = "value",
        Body = "body",
        Params = "params",
        TypeParams = "tparams",
        Supers = "supers",
        Object = "object",
        Args = "args",
        Alt = "alt",
    }
}

pub(crate) const SLOTS: usize = 10;

#[derive(Clone, Debug)]
pub(super) enum ChildSelector {
    Field(u16),
    Kind(u16),
    Nth(u16),
    Last,
    Itself,
}

/// One way to find a part.
#[derive(Clone, Debug)]
pub(super) struct SyntaxChildSelector {
    pub(super) slot: u8,
    /// Nothing else is taken for the slot when this is there.
    pub(super) is_first: bool,
    pub(super) selector: ChildSelector,
}

#[derive(Clone, Debug)]
pub(crate) struct SyntaxNodeRule {
    pub(crate) role: Role,
    pub(super) choices: Vec<SyntaxChildSelector>,
    /// The slots that children have to be looked at for, one bit each: with the first choice of all of them the rest of the
    /// children says nothing more. None when it does.
    pub(super) wanted: Option<u16>,
}

impl SyntaxNodeRule {
    fn new(role: Role, selectors: Vec<(u8, ChildSelector)>) -> Self {
        let (mut met, mut wanted) = (0u16, Some(0u16));
        let mut choices = Vec::with_capacity(selectors.len());
        for (slot, selector) in selectors {
            let is_first = met & 1 << slot == 0;
            met |= 1 << slot;
            wanted = match selector {
                ChildSelector::Last => None,
                ChildSelector::Itself => wanted,
                _ if is_first => wanted.map(|wanted| wanted | 1 << slot),
                _ => wanted,
            };
            choices.push(SyntaxChildSelector { slot, is_first, selector });
        }
        Self { role, choices, wanted }
    }
}

/// One grammar's table.
#[derive(Debug)]
pub(crate) struct GrammarTable {
    pub(super) rules: Vec<Option<SyntaxNodeRule>>,
    /// What nodes and fields are called, by number and the other way round: to ask the grammar takes long.
    kinds: Vec<Box<str>>,
    fields: FxHashMap<Box<str>, u16>,
    /// Lines that name a kind or field that the grammar hasn't got.
    pub(crate) faults: Vec<String>,
}

impl GrammarTable {
    pub(crate) fn compile(grammar: &Grammar, text: &str) -> Self {
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let kind = |id| grammar.node_kind_for_id(id).unwrap_or_default().into();
        let fields = 1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        let mut table = Self {
            rules: vec![None; grammar.node_kind_count()],
            kinds: (0..count).map(kind).collect(),
            fields: fields
                .filter_map(|id| Some((grammar.field_name_for_id(id)?.into(), id)))
                .collect(),
            faults: Vec::new(),
        };
        for line in text.lines() {
            let line = line.split(" //").next().unwrap_or_default().trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            if table.line(grammar, line).is_none() {
                table.faults.push(line.to_owned());
            }
        }
        table
    }

    fn line(&mut self, grammar: &Grammar, line: &str) -> Option<()> {
        let mut words = line.split_whitespace();
        let kind = words.next()?;
        let (kind, optional) = kind.strip_prefix('?').map_or((kind, false), |kind| (kind, true));
        let role = Role::parse(words.next()?)?;
        let mut selectors = Vec::new();
        for part in words {
            let (slot, choices) = part.split_once('=')?;
            let slot = Slot::parse(slot)? as u8;
            for choice in choices.split('|') {
                match (selector(grammar, choice.trim_end_matches('?')), choice.ends_with('?')) {
                    (Some(selector), _) => selectors.push((slot, selector)),
                    (None, true) => {}
                    (None, false) => return None,
                }
            }
        }
        let rule = SyntaxNodeRule::new(role, selectors);
        let mut known = false;
        // A grammar may have several numbers for one name (aliases).
        for id in 0..grammar.node_kind_count() {
            let id = u16::try_from(id).ok()?;
            if grammar.node_kind_is_named(id) && grammar.node_kind_for_id(id) == Some(kind) {
                self.rules[usize::from(id)] = Some(rule.clone());
                known = true;
            }
        }
        (known || optional).then_some(())
    }

    /// Returns the kind of a node in its grammar.
    pub(crate) fn kind(&self, node: tree_sitter::Node<'_>) -> &str {
        // Text that couldn't be parsed has a number beyond all others.
        self.kinds.get(usize::from(node.kind_id())).map_or("ERROR", |kind| kind)
    }

    /// The number of a field of the grammar.
    pub(crate) fn field(&self, name: &str) -> Option<u16> {
        self.fields.get(name).copied()
    }
}

fn selector(grammar: &Grammar, word: &str) -> Option<ChildSelector> {
    if word == "." {
        return Some(ChildSelector::Itself);
    }
    if word == "$" {
        return Some(ChildSelector::Last);
    }
    if let Some(n) = word.strip_prefix('#') {
        return n.parse().ok().map(ChildSelector::Nth);
    }
    if let Some(kind) = word.strip_prefix(':') {
        let id = grammar.id_for_node_kind(kind, true);
        return (id != 0).then_some(ChildSelector::Kind(id));
    }
    grammar.field_id_for_name(word).map(|id| ChildSelector::Field(id.get()))
}
