//! The shapes of types and functions from outside the repository: which ones hold elements, wrap a value, or pass an
//! element to a function. Each language's folder lists them as text, one line a shape:
//!
//! ```text
//! type.row            Vec VecDeque HashSet
//! row.element         first last pop
//! row_callback.first  map filter
//! property.held       value
//! redraw.setState     render build
//! use.map             dict
//! ```
//!
//! The word before the dot is the kind of the names, the word after it their result; behind `redraw.` stand a request and
//! the methods that a framework runs for it, behind `use.` the type that a form of the language has. A function may be named with its type: `List.of`. The lines of all languages are one
//! table, since libraries often borrow names from those of other languages.

use std::str::FromStr;

use rustc_hash::{FxHashMap, FxHashSet};
use strum::EnumString;

use crate::{facts::RECEIVER, resolve::inference_results::Ty};

/// Shapes by name.
pub(crate) type ShapesByName<S> = FxHashMap<&'static str, S>;

/// The shapes of outside types, methods and functions.
#[derive(Debug, Default)]
pub(crate) struct LibraryApiTable {
    pub(crate) types: ShapesByName<LibraryTypeShape>,
    /// Methods of what holds elements in a row.
    pub(crate) rows: ShapesByName<SequenceMethodResult>,
    /// Parameters of functions that such methods take.
    pub(crate) row_callbacks: ShapesByName<CallbackParameter>,
    /// Methods of what holds one value that has to be taken out.
    pub(crate) wrappers: ShapesByName<WrapperMethodResult>,
    pub(crate) wrapper_callbacks: ShapesByName<CallbackParameter>,
    /// Methods of what will hold a value.
    pub(crate) awaitables: ShapesByName<AwaitableMethodResult>,
    pub(crate) awaitable_callbacks: ShapesByName<CallbackParameter>,
    /// Methods of what holds values by keys.
    pub(crate) maps: ShapesByName<MapMethodResult>,
    pub(crate) map_callbacks: ShapesByName<CallbackParameter>,
    /// Methods of whatever else holds something.
    pub(crate) holders: ShapesByName<ContainerMethodResult>,
    pub(crate) holder_callbacks: ShapesByName<CallbackParameter>,
    /// Methods of every type.
    pub(crate) any: ShapesByName<AnyTypeMethodResult>,
    pub(crate) functions: ShapesByName<LibraryFunctionResult>,
    /// Types and protocols whose extensions hold for what has elements in a row, in order.
    pub(crate) extended_by_rows: Vec<&'static str>,
    /// Properties of outside types with one type argument, which the property has as its type: a value that is computed on
    /// demand, or is there when the work is done.
    pub(crate) held: FxHashSet<&'static str>,
    /// Properties of what holds elements in a row.
    pub(crate) row_properties: ShapesByName<SequenceMethodResult>,
    /// Methods of a row that take an element.
    pub(crate) takers: FxHashSet<&'static str>,
    /// What such methods take under a label.
    pub(crate) row_labels: ShapesByName<SequenceMethodResult>,
    /// Methods that put an element of a row, or a value of a map, into a variable that they are given.
    pub(crate) row_setters: FxHashSet<&'static str>,
    pub(crate) map_setters: FxHashSet<&'static str>,
    /// Properties of what holds values by keys.
    pub(crate) map_properties: ShapesByName<MapMethodResult>,
    /// Properties of ranges that are of the type between the bounds.
    pub(crate) bounds: FxHashSet<&'static str>,
    /// Properties of what is like a tuple, by the place of the part, and those that are followed by its number from 1.
    parts: FxHashMap<&'static str, usize>,
    numbered_parts: Vec<&'static str>,
    /// Methods of pairs, by the place of the part.
    pub(crate) part_methods: FxHashMap<&'static str, usize>,
    /// Cases of wrappers that hold a type argument, by its place.
    pub(crate) cases: FxHashMap<&'static str, usize>,
    /// Types of values that a form of the language makes without naming the type.
    pub(crate) used: FxHashMap<LibraryTypeUse, &'static str>,
    /// Plain values, and the types from elsewhere that they have above them.
    pub(crate) plain_values: ShapesByName<PlainValue>,
    pub(crate) above_plain: ShapesByName<AbovePlainValues>,
    /// Types that all others build on.
    pub(crate) roots: FxHashSet<&'static str>,
    /// Methods by which a framework draws a component that is made of a class, where it is named by its tag.
    pub(crate) drawn_by: Vec<&'static str>,
    /// Methods by which a base outside the repository is asked to draw anew or to run again, with the methods of the class
    /// that it then runs.
    pub(crate) redraws: FxHashMap<&'static str, Vec<&'static str>>,
}

/// The shape of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum LibraryTypeShape {
    /// It stands for its first argument.
    Transparent,
    /// It holds elements in a row.
    Row,
    /// It holds one value that has to be taken out.
    Wrapper,
    /// It will hold a value.
    Awaitable,
    /// It holds one value for each of its arguments.
    Tuple,
    /// It makes a text from parts.
    TextBuilder,
    /// A plain value: none of these is another, or can be called.
    Plain,
    /// It has two bounds.
    Range,
    /// A function that takes its arguments but the last, which it gives.
    Function,
    /// A function that takes its arguments.
    Consumer,
    /// A function that takes and gives its argument.
    Operator,
}

/// What a form of a language makes an outside type for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum LibraryTypeUse {
    Map,
    Error,
    /// What is known of a value that was awaited beside others.
    Settled,
}

/// The kinds of plain values, boxed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum PlainValue {
    /// A number whose range is not known.
    Number,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    Text,
    Letter,
    Truth,
}

/// The plain values that a type is above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AbovePlainValues {
    All,
    Texts,
    Numbers,
}

/// The result of a method of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SequenceMethodResult {
    /// A row of the same elements.
    Same,
    /// Rows of the same elements, by one argument: groups, chunks.
    Rows,
    Element,
    /// An `Optional` of an element.
    Optional,
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

/// The parameter of a callback that receives elements of the method's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CallbackParameter {
    First,
    Second,
    /// The second parameter of a callback, whichever argument the callback is. The first one gets what the other argument is.
    Folded,
    /// The same; where there is no other argument the first parameter gets an element, too.
    Reduced,
    Every,
    /// The first one gets a key with its value.
    Entry,
    /// The first one gets the error.
    Error,
}

/// The result of a method of a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum WrapperMethodResult {
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

/// The result of a method of a future or promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AwaitableMethodResult {
    Same,
    Value,
    /// The same type, of what the given function gives.
    Mapped,
    /// What the given function gives.
    Chained,
}

/// The result of a method of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum MapMethodResult {
    Value,
    Key,
    Values,
    Keys,
    Entries,
}

/// The result of a method of another generic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ContainerMethodResult {
    Same,
    /// What the given function gives.
    Chained,
    /// The same type, of what the given function gives.
    Mapped,
    /// The same type, of the given value.
    Replaced,
}

/// The result of a method of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AnyTypeMethodResult {
    Same,
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum LibraryFunctionResult {
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
    /// A map of the pairs in its first argument.
    MapOfPairs,
    /// A map of what its first argument gives.
    MapOfResults,
    /// What entering its first argument gives.
    Entered,
    Element,
    /// Pairs of a number and an element.
    Numbered,
    /// Tuples of the elements of all arguments.
    Zipped,
    /// A row of the elements of its second argument.
    Filtered,
    /// A row of the values of a map.
    Values,
    /// A row of the pairs of a map.
    Entries,
    /// What will hold a row of what the elements of its first argument will hold.
    AllAwaited,
    /// What will hold what one of them will hold.
    OneAwaited,
    /// What will hold a row of what is known of each of them.
    EachAwaited,
    /// The type of its first argument.
    Class,
    /// Its first type argument.
    TypeArgument,
    /// A row of its first type argument.
    RowOfTypeArgument,
    /// `Option` of its first argument.
    Option,
    /// `Optional` of its first argument.
    Optional,
    /// `Result` of its first argument.
    Result,
}

impl LibraryApiTable {
    /// Adds the lines of a language, and returns those that can't be read. Names that another language said first keep their
    /// shape.
    pub(crate) fn add(&mut self, lines: &'static str) -> Vec<&'static str> {
        let lines = lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.filter(|line| self.add_line(line).is_none()).collect()
    }

    fn add_line(&mut self, line: &'static str) -> Option<()> {
        let (what, names) = line.split_once(' ')?;
        let (group, shape) = what.split_once('.')?;
        let mut names = names.split_whitespace();
        match (group, shape) {
            ("extension", "row") => self.extended_by_rows.extend(names),
            ("property", "held") => self.held.extend(names),
            ("property", "bound") => self.bounds.extend(names),
            ("part", "numbered") => self.numbered_parts.extend(names),
            ("taken", "element") => self.takers.extend(names),
            ("set", "element") => self.row_setters.extend(names),
            ("set", "value") => self.map_setters.extend(names),
            ("value_above", "everything") => self.roots.extend(names),
            ("drawn", "tag") => self.drawn_by.extend(names),
            ("redraw", _) => self.redraws.entry(shape).or_default().extend(names),
            ("use", _) => {
                let shape = shape.parse::<LibraryTypeUse>().ok()?;
                self.used.entry(shape).or_insert(names.next()?);
            }
            _ => return self.add_shapes(group, shape, names),
        }
        Some(())
    }

    fn add_shapes(
        &mut self,
        group: &str,
        shape: &str,
        names: impl Iterator<Item = &'static str>,
    ) -> Option<()> {
        match group {
            "type" => insert(&mut self.types, shape, names),
            "row" => insert(&mut self.rows, shape, names),
            "row_property" => insert(&mut self.row_properties, shape, names),
            "row_label" => insert(&mut self.row_labels, shape, names),
            "map_property" => insert(&mut self.map_properties, shape, names),
            "part" => insert(&mut self.parts, shape, names),
            "part_method" => insert(&mut self.part_methods, shape, names),
            "case" => insert(&mut self.cases, shape, names),
            "value" => insert(&mut self.plain_values, shape, names),
            "value_above" => insert(&mut self.above_plain, shape, names),
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

    /// Returns what a function of an outside type takes at `place`.
    pub(crate) fn taken(&self, name: &str, args: &[Ty], place: u16) -> Option<Ty> {
        let takes = match self.types.get(name)? {
            LibraryTypeShape::Function => args.split_last()?.1.get(usize::from(place)),
            LibraryTypeShape::Consumer => args.get(usize::from(place)),
            LibraryTypeShape::Operator if place != RECEIVER => args.first(),
            _ => None,
        };
        takes.cloned()
    }

    /// Returns the place of a part of what is like a tuple, by its name or its number.
    pub(crate) fn part(&self, name: &str) -> Option<usize> {
        if let Some(place) = self.parts.get(name) {
            return Some(*place);
        }
        let numbers = self.numbered_parts.iter().filter_map(|word| name.strip_prefix(word));
        let mut numbered =
            numbers.filter_map(|number| number.parse::<usize>().ok()?.checked_sub(1));
        numbered.next().or_else(|| name.parse().ok())
    }

    /// Whether a type of this name has the shape.
    pub(crate) fn is(&self, name: &str, shape: LibraryTypeShape) -> bool {
        self.types.get(name) == Some(&shape)
    }
}

fn insert<S: Copy + FromStr>(
    shapes: &mut ShapesByName<S>,
    shape: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<()> {
    let shape = shape.parse::<S>().ok()?;
    for name in names {
        shapes.entry(name).or_insert(shape);
    }
    Some(())
}
