(module_definition name: (identifier) @name) @definition.module
(function_definition (signature (call_expression . (identifier) @name))) @definition.function
(function_definition (signature (call_expression . (field_expression (identifier) @name .)))) @definition.function
(function_definition (signature (typed_expression . (call_expression . (identifier) @name)))) @definition.function
(function_definition (signature (where_expression . (call_expression . (identifier) @name)))) @definition.function
(function_definition (signature (where_expression . (typed_expression . (call_expression . (identifier) @name))))) @definition.function
(assignment . (call_expression . (identifier) @name)) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.macro
(struct_definition (type_head (identifier) @name)) @definition.struct
(struct_definition (type_head (parametrized_type_expression . (identifier) @name))) @definition.struct
(struct_definition (type_head (binary_expression . (identifier) @name))) @definition.struct
(struct_definition (type_head (binary_expression . (parametrized_type_expression . (identifier) @name)))) @definition.struct
(abstract_definition (type_head (identifier) @name)) @definition.interface
(abstract_definition (type_head (parametrized_type_expression . (identifier) @name))) @definition.interface
(abstract_definition (type_head (binary_expression . (identifier) @name))) @definition.interface
(const_statement (assignment . (identifier) @name)) @definition.variable
[(line_comment) (block_comment)] @comment
((call_expression (identifier) @_word (argument_list . (string_literal) @import))
  (#eq? @_word "include"))
