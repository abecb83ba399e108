//! Overload resolution: by the labels of a call's arguments, in languages that have them, and by the types of the
//! arguments.

mod argument_compatibility;
mod by_argument_labels;
mod by_argument_types;
mod overriding_methods;
