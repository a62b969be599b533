// Names the types of the routes' requests and responses, and documents their fields by the schemas' sentences.
const PLACES = ['params', 'query', 'body']
const nameOf = (id) =>
  id
    .split(/[._]/)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('')

/** Names of what each route takes and answers; fields that have no comment get their schema's description. */
export function routeNames(api, { ROUTES }) {
  return api.node.fields.flatMap((field) => {
    const route = ROUTES[field.name]
    const base = nameOf(field.name)
    field.doc ??= `${route.method} ${route.path.replace(/^\//, '/')}: ${route.summary}`
    const input = field.type.parameters[0]?.type
    const inputs = (input?.kind === 'object' ? input.fields : []).filter(({ name }) => PLACES.includes(name))
    for (const one of inputs) describe(one.type, route[one.name])
    const [answer] = field.type.result.args
    describe(answer, route.answer)
    return [
      ...inputs.map((one) => ({
        name: `${base}${one.name[0].toUpperCase()}${one.name.slice(1)}`,
        node: one.type,
        doc: `${one.name[0].toUpperCase()}${one.name.slice(1)} of \`${field.name}\`.`,
      })),
      { name: `${base}Answer`, node: answer, doc: `Response of \`${field.name}\`. ${route.summary}` },
    ]
  })
}

/** Walks a type and its schema side by side. */
export function describe(node, schema) {
  if (schema === undefined || node === undefined) return
  if (node.kind === 'array') return describe(node.item, schema.items)
  if (node.kind === 'union') {
    const variants = schema.anyOf ?? schema.forms ?? [schema]
    const objects = variants.flatMap((one) => one.anyOf ?? [one]).filter((one) => one.properties ?? one.items)
    const parts = node.parts.filter(({ kind }) => kind === 'object' || kind === 'array')
    // One variant each, or the fields of all of them.
    for (const [i, part] of parts.entries())
      describe(part, parts.length === objects.length ? objects[i] : merged(objects))
    return
  }
  if (node.kind !== 'object') return
  const whole = schema.anyOf ? merged(schema.anyOf) : schema
  const [map] = Object.values(whole.patternProperties ?? {})
  for (const index of node.indexes) describe(index.type, map)
  for (const field of node.fields) {
    const property = whole.properties?.[field.name]
    if (property === undefined) continue
    field.doc ??= sentence(property)
    describe(field.type, property)
  }
}

const merged = (variants) => ({
  properties: Object.assign({}, ...variants.map((one) => one.properties ?? {})),
  items: variants.find((one) => one.items)?.items,
})

function sentence({ description, default: fallback }) {
  const text = description ?? ''
  const more = fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}.`
  return [text, more].filter(Boolean).join(text.endsWith('.') ? ' ' : '. ') || null
}
