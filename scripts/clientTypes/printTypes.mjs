// Prints the nodes of readTypes.mjs as declarations. A structure that has a name somewhere is printed once, under
// that name, wherever it occurs: a route's body, a schema, an exported type.

const WIDTH = 110
/** Shorter structures are spelled out where they are used. */
const MIN_NAMED_LENGTH = 60
const MIN_COMMON_FIELDS = 4

const key = (node) => keys.get(node) ?? remember(node, keyOf(node))
const keys = new WeakMap()
const remember = (node, text) => {
  keys.set(node, text)
  return text
}

/** Equal for equal types, whatever they are called. */
function keyOf(node) {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'ref':
      return `#${node.name}`
    case 'named':
      return node.args.length ? `${node.name}<${node.args.map(key).join(', ')}>` : node.name
    case 'array':
      return `${node.isReadonly ? 'readonly ' : ''}(${key(node.item)})[]`
    case 'tuple':
      return `[${node.items.map((one) => `${one.isOptional ? '?' : ''}${key(one.type)}`).join(', ')}]`
    case 'union':
      return node.parts.map(key).sort().join(' | ')
    case 'all':
      return node.parts.map(key).sort().join(' & ')
    case 'call':
      return `(${node.parameters.map((one) => `${one.isRest ? '...' : ''}${one.isOptional ? '?' : ''}${key(one.type)}`).join(', ')}) => ${
        node.result ? key(node.result) : `is ${key(node.predicate.type)}`
      }`
    case 'object': {
      const fields = node.fields.map(
        (one) =>
          `${one.isReadonly ? 'readonly ' : ''}${one.name}${one.isOptional ? '?' : ''}: ${key(one.type)}`,
      )
      const indexes = node.indexes.map((one) => `[${key(one.key)}]: ${key(one.type)}`)
      return `{ ${[...indexes, ...fields.sort()].join('; ')} }`
    }
    default:
      throw new Error(`no such node: ${node.kind}`)
  }
}

/** `names`: [{ name, node, doc? }], the first name of a structure counts. */
export function createPrinter(names) {
  const nameOfKey = new Map()
  const named = new Map()
  for (const one of names) {
    if (named.has(one.name)) continue
    named.set(one.name, one)
    const structure = key(one.node)
    const isStructure = one.node.kind === 'object' || one.node.kind === 'union' || one.node.kind === 'call'
    if (isStructure && structure.length >= MIN_NAMED_LENGTH && !nameOfKey.has(structure))
      nameOfKey.set(structure, one.name)
  }
  const used = new Set()

  const use = (name) => {
    used.add(name)
    return name
  }

  function type(node, top = null) {
    if (node.kind === 'ref') return use(node.name)
    const name = nameOfKey.get(key(node))
    if (name !== undefined && name !== top) return use(name)
    switch (node.kind) {
      case 'text':
        return node.text
      case 'named':
        return node.args.length ? `${node.name}<${node.args.map((one) => type(one)).join(', ')}>` : node.name
      case 'array': {
        const item = type(node.item)
        return `${node.isReadonly ? 'readonly ' : ''}${isSimple(item) ? item : `(${item})`}[]`
      }
      case 'tuple':
        return `[${node.items.map((one) => `${one.name}${one.isOptional ? '?' : ''}: ${type(one.type)}`).join(', ')}]`
      case 'union':
        return union(node)
      case 'all':
        return node.parts.map((one) => `(${type(one)})`).join(' & ')
      case 'call':
        return call(node, ' => ')
      default:
        return object(node)
    }
  }

  function union({ parts }) {
    const common = commonFields(parts)
    if (common.length >= MIN_COMMON_FIELDS) {
      const names = new Set(common.map(({ name }) => name))
      const rests = parts.map((one) => ({
        ...one,
        fields: one.fields.filter(({ name }) => !names.has(name)),
      }))
      const variants = rests.map((one) => `  | ${indent(object(one)).trimStart()}`).join('\n')
      return `${object({ indexes: [], fields: common })} & (\n${variants}\n)`
    }
    const texts = parts.map((one) => {
      const text = type(one)
      return one.kind === 'call' || one.kind === 'all' ? `(${text})` : text
    })
    const line = texts.join(' | ')
    return line.length <= WIDTH - 20 && !line.includes('\n')
      ? line
      : `\n${texts.map((one) => `  | ${indent(one).trimStart()}`).join('\n')}`
  }

  function call({ generics, parameters, result, predicate }, arrow) {
    const list = parameters.map(
      (one) =>
        `${one.isRest ? '...' : ''}${one.name}${one.isOptional && !one.isRest ? '?' : ''}: ${type(one.type)}`,
    )
    const answer = predicate ? `${predicate.name} is ${type(predicate.type)}` : type(result)
    return `${genericsText(generics)}(${list.join(', ')})${arrow}${answer}`
  }

  function genericsText(generics = []) {
    const texts = generics.map(
      ({ name, constraint }) => `${name}${constraint ? ` extends ${type(constraint)}` : ''}`,
    )
    return texts.length === 0 ? '' : `<${texts.join(', ')}>`
  }

  function object({ indexes, fields }) {
    const lines = [
      ...indexes.map(
        (one) => `${one.isReadonly ? 'readonly ' : ''}[key: ${type(one.key)}]: ${type(one.type)}`,
      ),
      ...fields.map(field),
    ]
    if (lines.length === 0) return '{}'
    const line = `{ ${lines.join('; ')} }`
    if (line.length <= WIDTH - 30 && !line.includes('\n')) return line
    return `{\n${lines.map(indent).join('\n')}\n}`
  }

  function field({ name, doc, isOptional, isReadonly, isMethod, type: node }) {
    const label = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    const mark = `${isReadonly ? 'readonly ' : ''}${label}${isOptional ? '?' : ''}`
    const text = isMethod && node.kind === 'call' ? `${mark}${call(node, ': ')}` : `${mark}: ${type(node)}`
    return `${comment(doc)}${text}`
  }

  function declare(one) {
    const head = comment(one.doc)
    if (one.form === 'function') return `${head}export declare function ${one.name}${call(one.call, ': ')}`
    if (one.form === 'const') return `${head}export declare const ${one.name}: ${type(one.node)}`
    if (one.form === 'class') {
      const make = call(one.make, ': ').replace(/\): .*$/s, ')')
      const lines = [`constructor${make}`, ...one.fields.map(field)]
      return `${head}export declare class ${one.name} extends Error {\n${lines.map(indent).join('\n')}\n}`
    }
    if (one.form === 'generic')
      return `${head}export type ${one.name}<Id extends keyof Api> = NonNullable<Parameters<Api[Id]>[0]>`
    const text = type(one.node, one.name)
    if (one.node.kind === 'object' && text.startsWith('{')) {
      const isFlat = !text.includes('\n') && text !== '{}'
      return `${head}export interface ${one.name}${genericsText(one.generics)} ${isFlat ? `{\n  ${text.slice(2, -2).replaceAll('; ', '\n  ')}\n}` : text}`
    }
    return `${head}export type ${one.name} =${text.startsWith('\n') ? '' : ' '}${text}`
  }

  /** The exported declarations, then every type they name. */
  function print(exported) {
    const done = new Set(exported.map(({ name }) => name))
    const texts = exported.map((one) => ({ name: one.name, text: declare(one) }))
    const others = []
    for (let isMore = true; isMore; ) {
      const next = [...used].filter((name) => !done.has(name))
      isMore = next.length > 0
      for (const name of next) {
        done.add(name)
        others.push({ name, text: declare({ form: 'type', ...named.get(name) }) })
      }
    }
    return { exported: texts, others: others.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }

  return { print, type, call }
}

const isSimple = (text) => /^[\w.'#]+(<[^|&]*>)?$/.test(text) || /^\{[^|]*\}$/s.test(text)
const indent = (text) => text.replace(/^(?=.)/gm, '  ')

function comment(doc) {
  if (!doc) return ''
  const lines = doc.replaceAll('*/', '* /').split('\n')
  if (lines.length === 1 && lines[0].length < WIDTH) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** Fields that every variant of a union has alike: they are printed once. */
function commonFields(parts) {
  if (parts.length < 3 || !parts.every(({ kind, indexes }) => kind === 'object' && indexes.length === 0))
    return []
  const alike = (one, other) =>
    one.name === other.name &&
    one.isOptional === other.isOptional &&
    one.isReadonly === other.isReadonly &&
    key(one.type) === key(other.type)
  const [first, ...others] = parts
  return first.fields.filter((field) =>
    others.every(({ fields }) => fields.some((other) => alike(field, other))),
  )
}

/** Declarations without their comments: the report that a change of the interface shows in. */
export const withoutComments = (text) => text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, '')
