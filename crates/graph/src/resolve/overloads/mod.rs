//! Overload resolution: by the labels of a call's arguments, in languages that have them, and by the types of the
//! arguments.

mod argument_compatibility;
mod argument_label_overloads;
mod argument_type_overloads;
mod overriding_methods;
