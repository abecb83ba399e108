(class_declaration name: (identifier) @name) @definition.class
(mixin_declaration (identifier) @name) @definition.class
(extension_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias (type_identifier) @name) @definition.type
(function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @definition.function
(setter_declaration signature: (setter_signature name: (identifier) @name)) @definition.function
(method_declaration signature: (method_signature (function_signature name: (identifier) @name))) @definition.method
(method_declaration signature: (method_signature (getter_signature name: (identifier) @name))) @definition.method
(method_declaration signature: (method_signature (setter_signature name: (identifier) @name))) @definition.method
(enum_entry name: (identifier) @name) @definition.variant
[(comment) (documentation_comment) (documentation_block_comment)] @comment
(import_specification uri: (_) @import)
(library_export uri: (_) @import)
(part_directive (uri) @import)
