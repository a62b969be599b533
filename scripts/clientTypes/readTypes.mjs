// Reads the public types of @pit/client with the compiler, as plain nodes: what a type is made of, the name of a
// type that has one, and the doc comments. The routes' schema types are resolved, so no schema library is left.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

// The workspace's compiler has no interface to programs; the API documents' tests bring one that has.
const ts = createRequire(resolve('packages/api-docs/package.json'))('typescript')

const { SymbolFlags, TypeFlags } = ts
const OPTIONAL_PARAMETER = 1 << 14
const READONLY = 8
const CLIENT = '/client/src/createClient.ts'

/**
 * Nodes: { kind: 'text', text }, { kind: 'ref', id }, { kind: 'array', item, isReadonly }, { kind: 'tuple', items },
 * { kind: 'union' | 'all', parts }, { kind: 'object', indexes, fields }, { kind: 'call', … }, { kind: 'named', name, args }.
 */
export function readTypes(entry, schemaFile) {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
  const program = ts.createProgram([entry, schemaFile], {
    ...options,
    incremental: false,
    tsBuildInfoFile: undefined,
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const symbolsOf = (file) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).map((symbol) => ({
      name: symbol.name,
      symbol: symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      isType: symbol.declarations.some(
        (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
      ),
    }))
  const exported = symbolsOf(entry)
  const reader = createReader(checker, source, new Map(exported.map(({ symbol, name }) => [symbol, name])))
  const declared = exported.map((one) => reader.declaration(one))
  const schemas = symbolsOf(schemaFile).flatMap(({ name, symbol }) => {
    if (!(symbol.flags & SymbolFlags.Variable)) return []
    const property = checker.getTypeOfSymbolAtLocation(symbol, source).getProperty('static')
    return property ? [{ name, node: reader.read(checker.getTypeOfSymbolAtLocation(property, source)) }] : []
  })
  return { declared, schemas, internal: reader.internal }
}

function createReader(checker, source, exportedNames) {
  const open = new Set()
  const nodes = new Map()
  /** Types of the workspace that have a name and are not exported: by name, read once. */
  const internal = new Map()

  const fileOf = (symbol) => symbol?.declarations?.[0]?.getSourceFile().fileName ?? ''
  const isOfLanguage = (symbol) =>
    /\/typescript\/lib\/|\/@types\/node\/|\/undici-types\//.test(fileOf(symbol))
  const isOfViem = (symbol) => /\/node_modules\/(viem|abitype|ox)\//.test(fileOf(symbol))
  const isOurs = (symbol) => /\/packages\/(client|chain|protocol)\/src\//.test(fileOf(symbol))
  const packageOf = (symbol) => {
    const [, name] = /\/packages\/(\w+)\//.exec(fileOf(symbol))
    return name[0].toUpperCase() + name.slice(1)
  }
  const text = (value) => ({ kind: 'text', text: value })
  const typeOf = (symbol) => checker.getTypeOfSymbolAtLocation(symbol, source)

  function docOf(symbol) {
    for (const declaration of symbol?.declarations ?? []) {
      const doc = commentOf(declaration) ?? commentOf(statementOf(declaration)) ?? commentOfBound(declaration)
      if (doc) return doc
    }
    return null
  }
  const statementOf = (declaration) =>
    ts.isVariableDeclaration(declaration) ? declaration.parent.parent : undefined
  function commentOf(declaration) {
    const doc = declaration?.jsDoc?.at(-1)
    if (!doc) return null
    return doc
      .getText()
      .replace(/^\/\*\*|\*\/$/g, '')
      .split('\n')
      .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
      .join('\n')
      .trim()
  }
  /** A verb of the client is `bind(deps, verb)`: its comment is the function's. */
  function commentOfBound(declaration) {
    if (!ts.isPropertyAssignment(declaration) || !declaration.getSourceFile().fileName.endsWith(CLIENT))
      return null
    const value = declaration.initializer
    const target = value && ts.isCallExpression(value) ? value.arguments.at(-1) : value
    if (!target || !(ts.isIdentifier(target) || ts.isPropertyAccessExpression(target))) return null
    const symbol = checker.getSymbolAtLocation(target)
    if (!symbol) return null
    return docOf(symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  }

  /** The name of a type that is declared apart from its use; null if it has none. */
  function nameOf(type) {
    const { aliasSymbol, aliasTypeArguments, symbol } = type
    if (aliasSymbol && isOfViem(aliasSymbol))
      return {
        kind: 'named',
        name: `import('viem').${aliasSymbol.name}`,
        args: (aliasTypeArguments ?? []).map((one) => read(one)),
      }
    if (aliasSymbol && !aliasTypeArguments && isOurs(aliasSymbol)) return reference(aliasSymbol, type)
    const isInterface = symbol && symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)
    if (isInterface && isOurs(symbol) && !type.typeParameters && checker.getTypeArguments(type).length === 0)
      return reference(symbol, type)
    if (!symbol || !isOfLanguage(symbol)) return null
    if (symbol.flags & SymbolFlags.Function) return text(`typeof ${symbol.name}`)
    if (!isInterface) return null
    return { kind: 'named', name: symbol.name, args: checker.getTypeArguments(type).map((one) => read(one)) }
  }

  function reference(symbol, type) {
    const publicName = exportedNames.get(symbol)
    if (publicName) return { kind: 'ref', name: publicName }
    let name = symbol.name
    if (internal.has(name) && internal.get(name).symbol !== symbol) name = `${packageOf(symbol)}${name}`
    if (!internal.has(name)) {
      const entry = { symbol, name, doc: docOf(symbol), node: null }
      internal.set(name, entry)
      entry.node = readStructure(type)
    }
    return { kind: 'ref', name }
  }

  function read(type) {
    const cachedNode = nodes.get(type)
    if (cachedNode) return cachedNode
    const node = readFresh(type)
    nodes.set(type, node)
    return node
  }

  function readFresh(type) {
    const simple = TypeFlags.Intrinsic | TypeFlags.Literal | TypeFlags.TypeParameter
    if (type.flags & TypeFlags.Boolean) return text('boolean')
    if (type.flags & simple && !type.isUnion()) return text(checker.typeToString(type))
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type)
      return { kind: 'array', isReadonly: type.symbol.name === 'ReadonlyArray', item: read(item) }
    }
    if (checker.isTupleType(type)) return readTuple(type)
    const named = nameOf(type)
    if (named) return named
    if (type.flags & TypeFlags.TemplateLiteral) return text(checker.typeToString(type))
    return readStructure(type)
  }

  /** With names, which editors show, and optional places as such. */
  function readTuple(type) {
    const { elementFlags, labeledElementDeclarations: labels } = type.target
    const items = checker.getTypeArguments(type).map((item, i) => {
      const isOptional = Boolean(elementFlags[i] & ts.ElementFlags.Optional)
      const label = labels?.[i]?.name
      const name = label && ts.isIdentifier(label) ? label.text : i === 0 ? 'params' : 'options'
      return { name, isOptional, type: isOptional ? withoutUndefined(item) : read(item) }
    })
    return { kind: 'tuple', items }
  }

  function readStructure(type) {
    if (open.has(type)) throw new Error(`${checker.typeToString(type)} contains itself and has no name`)
    open.add(type)
    try {
      if (type.isUnion()) return readUnion(type.types)
      if (type.isIntersection() && type.types.some(({ flags }) => !(flags & TypeFlags.Object)))
        return { kind: 'all', parts: type.types.map((one) => read(one)) }
      if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection))) return text(checker.typeToString(type))
      const calls = type.getCallSignatures()
      const properties = checker.getPropertiesOfType(type)
      if (calls.length > 0 && properties.length === 0) {
        if (calls.length > 1) return { kind: 'all', parts: calls.map(readCall) }
        return readCall(calls[0])
      }
      const indexes = checker.getIndexInfosOfType(type).map(({ isReadonly, keyType, type: value }) => ({
        isReadonly,
        key: read(keyType),
        type: read(value),
      }))
      return { kind: 'object', indexes, fields: properties.map(readField) }
    } finally {
      open.delete(type)
    }
  }

  function readUnion(types) {
    const isBoolean = types.filter((one) => one.flags & TypeFlags.BooleanLiteral).length === 2
    const rest = isBoolean ? types.filter((one) => !(one.flags & TypeFlags.BooleanLiteral)) : types
    // The compiler's order depends on what it saw before; null and undefined go last.
    const isNothing = (one) => one.flags & (TypeFlags.Null | TypeFlags.Undefined)
    const parts = [
      ...rest.filter((one) => !isNothing(one)).map((one) => read(one)),
      ...(isBoolean ? [text('boolean')] : []),
      ...rest.filter(isNothing).map((one) => read(one)),
    ]
    return parts.length === 1 ? parts[0] : { kind: 'union', parts }
  }

  const withoutUndefined = (type) => {
    if (!type.isUnion()) return read(type)
    const rest = type.types.filter((one) => !(one.flags & TypeFlags.Undefined))
    if (rest.length === type.types.length) return read(type)
    return rest.length === 1 ? read(rest[0]) : readUnion(rest)
  }

  function readField(symbol) {
    const type = typeOf(symbol)
    const isOptional = Boolean(symbol.flags & SymbolFlags.Optional)
    const isLoose = isOptional && type.isUnion() && type.types.some((one) => one.flags & TypeFlags.Undefined)
    const node = isOptional ? withoutUndefined(type) : read(type)
    return {
      name: symbol.name,
      doc: docOf(symbol),
      isOptional,
      isReadonly: Boolean((ts.getCheckFlags?.(symbol) ?? 0) & READONLY || isDeclaredReadonly(symbol)),
      isMethod: Boolean(symbol.flags & SymbolFlags.Method),
      // A request built with `undefined` in it is sent without the field.
      type: isLoose ? { kind: 'union', parts: [...partsOf(node), text('undefined')] } : node,
    }
  }
  const partsOf = (node) => (node.kind === 'union' ? node.parts : [node])
  const isDeclaredReadonly = ({ declarations = [] }) =>
    declarations.some((one) => ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Readonly)

  function readCall(signature) {
    const parameters = signature.getParameters().map((parameter, i) => {
      const declaration = parameter.valueDeclaration
      const type = checker.getTypeOfSymbolAtLocation(parameter, declaration ?? source)
      const isParameter = declaration && ts.isParameter(declaration)
      // Parameters from a tuple have no separate declaration.
      const isOptional = Boolean(
        isParameter
          ? checker.isOptionalParameter(declaration)
          : ts.getCheckFlags(parameter) & OPTIONAL_PARAMETER,
      )
      return {
        name: /^(?!__)\w+$/.test(parameter.name) ? parameter.name : i === 0 ? 'params' : 'options',
        isRest: Boolean(isParameter && declaration.dotDotDotToken),
        isOptional,
        type: isOptional ? withoutUndefined(type) : read(type),
      }
    })
    const predicate = checker.getTypePredicateOfSignature(signature)
    const [first] = parameters
    const isSpread = parameters.length === 1 && first.isRest && first.type.kind === 'tuple'
    return {
      kind: 'call',
      generics: (signature.getTypeParameters() ?? []).map(readGeneric),
      parameters: isSpread ? first.type.items.map((one) => ({ ...one, isRest: false })) : parameters,
      result: predicate ? null : read(signature.getReturnType()),
      predicate: predicate ? { name: predicate.parameterName, type: read(predicate.type) } : null,
    }
  }

  function readGeneric(one) {
    const constraint = one.getConstraint()
    return { name: checker.typeToString(one), constraint: constraint ? read(constraint) : null }
  }

  function declaration({ name, symbol, isType }) {
    const doc = docOf(symbol)
    if (symbol.flags & SymbolFlags.Class) {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      const [made] = typeOf(symbol).getConstructSignatures()
      const own = checker.getPropertiesOfType(type).filter((one) => !isOfLanguage(one))
      return { form: 'class', name, doc, make: readCall(made), fields: own.map(readField) }
    }
    if (!isType && symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable)) {
      const type = typeOf(symbol)
      const [call] = type.getCallSignatures()
      return call
        ? { form: 'function', name, doc, call: readCall(call) }
        : { form: 'const', name, doc, node: read(type) }
    }
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const own = symbol.declarations.find(ts.isTypeAliasDeclaration)
    if (own?.typeParameters) return { form: 'generic', name, doc }
    const generics = (type.typeParameters ?? []).map(readGeneric)
    return { form: 'type', name, doc, generics, node: readTop(type) }
  }
  /** A type by its parts, even if an alias of it has a name elsewhere. */
  function readTop(type) {
    const simple = TypeFlags.Intrinsic | TypeFlags.Literal
    return type.flags & simple && !type.isUnion() ? text(checker.typeToString(type)) : readStructure(type)
  }

  return { read, declaration, internal }
}
