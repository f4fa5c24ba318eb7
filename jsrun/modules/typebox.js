// This expression makes the functions with which modules write schemas of tools. The functions return JSON Schema.
(() => {
  const optional = Symbol("optional");
  const of = (type, more) => ({ type, ...more });
  const simple = type => more => of(type, more);
  const any = more => ({ ...more });
  const object = (properties = {}, more) => {
    const required = Object.keys(properties).filter(name => !properties[name]?.[optional]);
    return of("object", { ...(required.length > 0 && { required }), properties, ...more });
  };
  const Type = {
    Any: any,
    Unknown: any,
    Unsafe: any,
    String: simple("string"),
    Number: simple("number"),
    Integer: simple("integer"),
    Boolean: simple("boolean"),
    Null: simple("null"),
    Literal: (value, more) => of(typeof value, { const: value, ...more }),
    Enum: (values, more) => ({ anyOf: Object.values(values).map(value => Type.Literal(value)), ...more }),
    Array: (items, more) => of("array", { items, ...more }),
    Tuple: (items, more) => of("array", { items, minItems: items.length, maxItems: items.length, ...more }),
    Object: object,
    Record: (_, values, more) => of("object", { additionalProperties: values, ...more }),
    Partial: ({ properties, required: _, ...rest }) => ({ ...rest, properties }),
    Union: (anyOf, more) => ({ anyOf, ...more }),
    Intersect: (allOf, more) => ({ allOf, ...more }),
    Optional: schema => ({ ...schema, [optional]: true }),
    Readonly: schema => schema,
  };
  const StringEnum = (values, more) => of("string", { enum: [...values], ...more });
  return { Type, StringEnum };
})()
