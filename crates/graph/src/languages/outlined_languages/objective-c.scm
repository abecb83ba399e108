(class_interface . (identifier) @name) @definition.class
(class_implementation . (identifier) @name) @definition.class
(protocol_declaration . (identifier) @name) @definition.interface
(method_declaration (method_type) . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name) @definition.method
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @definition.field
(property_declaration
  (struct_declaration (struct_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.field
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(type_definition declarator: (type_identifier) @name) @definition.type
(comment) @comment
