(function_declaration name: (identifier) @name) @definition.function
(variable_declaration (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration (identifier) @name (opaque_declaration)) @definition.struct
(variable_declaration (identifier) @name (union_declaration)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration (identifier) @name (error_set_declaration)) @definition.enum
(source_file (variable_declaration . (identifier) @name) @definition.variable)
(container_field name: (identifier) @name) @definition.field
(comment) @comment
((builtin_function (builtin_identifier) @_word (arguments . (string) @import))
  (#eq? @_word "@import"))
