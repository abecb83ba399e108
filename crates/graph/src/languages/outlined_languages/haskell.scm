(declarations (signature name: (variable) @name) @definition.function)
(declarations (signature names: (binding_list name: (variable) @name)) @definition.function)
(class_declarations (signature name: (variable) @name) @definition.function)
(declarations (function name: (variable) @name) @definition.function)
(declarations (bind name: (variable) @name) @definition.function)
(data_type name: (name) @name) @definition.type
(newtype name: (name) @name) @definition.type
(type_synonym name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name) @definition.interface
(data_constructor constructor: (prefix name: (constructor) @name)) @definition.variant
(data_constructor constructor: (record name: (constructor) @name)) @definition.variant
(newtype_constructor name: (constructor) @name) @definition.variant
(field name: (field_name (variable) @name)) @definition.field
[(comment) (haddock)] @comment
(import module: (module) @import)
