(object_type_definition (name) @name) @definition.type
(interface_type_definition (name) @name) @definition.interface
(input_object_type_definition (name) @name) @definition.type
(enum_type_definition (name) @name) @definition.enum
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(field_definition . (name) @name) @definition.field
(operation_definition (name) @name) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.function
(comment) @comment
