//! What is known of types and functions from outside the repository: their shape (which ones hold elements, wrap a value, hand
//! an element to a function), never their definitions. Each language's folder says it as text, one line a shape:
//!
//! ```text
//! type.row            Vec VecDeque HashSet
//! row.element         first last pop
//! row_callback.first  map filter
//! ```
//!
//! The word before the dot says what the names stand for, the word behind it what they give. The lines of all languages count
//! together: a library often takes the names of another language's.

use std::str::FromStr;

use rustc_hash::FxHashMap;
use strum::EnumString;

/// Shapes by name.
pub(crate) type Shapes<S> = FxHashMap<&'static str, S>;

/// The shapes of outside types, methods and functions.
#[derive(Debug, Default)]
pub(crate) struct LibraryTable {
    pub(crate) types: Shapes<OutsideTypeShape>,
    /// Methods of what holds elements in a row.
    pub(crate) rows: Shapes<SequenceMethod>,
    /// Parameters of functions that such methods take.
    pub(crate) row_callbacks: Shapes<CallbackParameter>,
    /// Methods of what holds one value that has to be taken out.
    pub(crate) wrappers: Shapes<WrapperMethod>,
    pub(crate) wrapper_callbacks: Shapes<CallbackParameter>,
    /// Methods of what will hold a value.
    pub(crate) awaitables: Shapes<AwaitableMethod>,
    pub(crate) awaitable_callbacks: Shapes<CallbackParameter>,
    /// Methods of what holds values by keys.
    pub(crate) maps: Shapes<MapTypeMethod>,
    pub(crate) map_callbacks: Shapes<CallbackParameter>,
    /// Methods of whatever else holds something.
    pub(crate) holders: Shapes<ContainerMethod>,
    pub(crate) holder_callbacks: Shapes<CallbackParameter>,
    /// Methods of every type.
    pub(crate) any: Shapes<AnyMethod>,
    pub(crate) functions: Shapes<FunctionShape>,
}

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum OutsideTypeShape {
    /// It stands for its first argument.
    Transparent,
    /// It holds elements in a row.
    Row,
    /// It holds one value that has to be taken out.
    Wrapper,
    /// It will hold a value.
    Awaitable,
    /// It makes a text from parts.
    TextBuilder,
    /// A plain value: none of these is another, or can be called.
    Plain,
}

/// What a method of a row gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SequenceMethod {
    /// A row of the same elements.
    Same,
    Element,
    /// A row of what the given function gives.
    Mapped,
    /// A row of the elements of what it gives.
    FlatMapped,
    /// A row of what it gives, without an optional around it.
    UnwrappedMapped,
    /// Pairs with the elements of another row.
    Zipped,
    /// Pairs of a number and an element.
    Numbered,
    /// What the given start is.
    Folded,
}

/// Which parameter of a function that a method is given gets what its receiver holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CallbackParameter {
    First,
    Second,
    /// The second, of a function that is given as any argument.
    Folded,
    Every,
    /// The first one gets the error.
    Error,
}

/// What a method of a wrapper gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum WrapperMethod {
    Value,
    /// A wrapper of the same value.
    Same,
    /// A row of the value.
    Row,
    /// A wrapper of what the given function gives.
    Mapped,
    /// What the given function gives.
    Chained,
    /// What the function that is given second gives.
    MapOr,
}

/// What a method of a value that will be there gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AwaitableMethod {
    Same,
    /// What the given function gives.
    Chained,
}

/// What a method of a map gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum MapTypeMethod {
    Value,
    Values,
    Keys,
    Entries,
}

/// What a method of another type with type arguments gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ContainerMethod {
    Same,
    /// What the given function gives.
    Chained,
    /// The same type, of what the given function gives.
    Mapped,
    /// The same type, of the given value.
    Replaced,
}

/// What a method of any type gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AnyMethod {
    Same,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum FunctionShape {
    /// What its first argument is.
    Same,
    /// What it was called on; its first argument when it was called on nothing.
    Receiver,
    /// What the function that is given last gives.
    ResultOfLast,
    /// What the given function gives.
    Called,
    /// That, with what sets it.
    State,
    RowOfArguments,
    /// A row of the elements of its first argument.
    RowOfElements,
    Element,
    /// Pairs of a number and an element.
    Numbered,
    /// Tuples of the elements of all arguments.
    Zipped,
    /// A row of the elements of its second argument.
    Filtered,
    /// A row of the values of a map.
    Values,
    /// The type of its first argument.
    Class,
}

impl LibraryTable {
    /// Adds the lines of a language, and returns those that can't be read. Names that another language said first keep their
    /// shape.
    pub(crate) fn add(&mut self, lines: &'static str) -> Vec<&'static str> {
        let lines = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.filter(|line| self.add_line(line).is_none()).collect()
    }

    fn add_line(&mut self, line: &'static str) -> Option<()> {
        let (what, names) = line.split_once(' ')?;
        let (group, shape) = what.split_once('.')?;
        let names = names.split_whitespace();
        match group {
            "type" => insert(&mut self.types, shape, names),
            "row" => insert(&mut self.rows, shape, names),
            "row_callback" => insert(&mut self.row_callbacks, shape, names),
            "wrapper" => insert(&mut self.wrappers, shape, names),
            "wrapper_callback" => insert(&mut self.wrapper_callbacks, shape, names),
            "awaitable" => insert(&mut self.awaitables, shape, names),
            "awaitable_callback" => insert(&mut self.awaitable_callbacks, shape, names),
            "map" => insert(&mut self.maps, shape, names),
            "map_callback" => insert(&mut self.map_callbacks, shape, names),
            "holder" => insert(&mut self.holders, shape, names),
            "holder_callback" => insert(&mut self.holder_callbacks, shape, names),
            "any" => insert(&mut self.any, shape, names),
            "function" => insert(&mut self.functions, shape, names),
            _ => None,
        }
    }

    /// Whether a type of this name has the shape.
    pub(crate) fn is(&self, name: &str, shape: OutsideTypeShape) -> bool {
        self.types.get(name) == Some(&shape)
    }
}

fn insert<S: Copy + FromStr>(
    shapes: &mut Shapes<S>,
    shape: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<()> {
    let shape = shape.parse::<S>().ok()?;
    for name in names {
        shapes.entry(name).or_insert(shape);
    }
    Some(())
}
