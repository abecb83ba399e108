(module_definition (module_binding (module_name) @name)) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition (class_binding (class_name) @name)) @definition.class
(method_definition (method_name) @name) @definition.method
(type_definition (type_binding name: (type_constructor) @name) @definition.type)
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.variant
(type_binding body: (variant_declaration (constructor_declaration (constructor_name) @name) @definition.variant))
(field_declaration (field_name) @name) @definition.field
(value_definition (let_binding pattern: (value_name) @name (parameter)) @definition.function)
(value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @definition.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.variable))
(external (value_name) @name) @definition.function
(comment) @comment
