// Writes a package's public types into one file: every type is spelled out where it is used, except those the
// package itself exports, the language's own and viem's. The workspace's packages and the schemas that the
// routes' types are made from stay behind.
import { createRequire } from 'node:module'

// The workspace's compiler has no interface to programs; the API documents' tests bring one that has.
const ts = createRequire(new URL('../packages/api-docs/package.json', import.meta.url))('typescript')

const { SymbolFlags, TypeFlags } = ts
const OPTIONAL_PARAMETER = 1 << 14

export function declarationsOf(entry) {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
  const program = ts.createProgram([entry], { ...options, incremental: false, tsBuildInfoFile: undefined })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((symbol) => ({
    name: symbol.name,
    symbol: symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    isType: symbol.declarations.some(
      (one) => ts.isExportSpecifier(one) && ts.isTypeOnlyExportDeclaration(one),
    ),
  }))
  const printer = createPrinter(checker, new Map(exported.map(({ name, symbol }) => [symbol, name])), source)
  const lines = exported.map((one) => printer.declare(one))
  return `${lines.join('\n')}\n`
}

function createPrinter(checker, names, source) {
  const open = new Set()

  const fileOf = (symbol) => symbol?.declarations?.[0]?.getSourceFile().fileName ?? ''
  const isOfLanguage = (symbol) =>
    /\/typescript\/lib\/|\/@types\/node\/|\/undici-types\//.test(fileOf(symbol))
  const isOfViem = (symbol) => /\/node_modules\/(viem|abitype|ox)\//.test(fileOf(symbol))
  const printArguments = (list) => (list?.length ? `<${list.map((one) => print(one)).join(', ')}>` : '')

  /** The name of a type that is not spelled out; null if it has none. */
  function named(type) {
    const { aliasSymbol, aliasTypeArguments, symbol } = type
    if (names.has(aliasSymbol) && !aliasTypeArguments) return names.get(aliasSymbol)
    if (names.has(symbol) && type.flags & TypeFlags.Object && !type.typeParameters) {
      if (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)) return names.get(symbol)
    }
    if (aliasSymbol && isOfViem(aliasSymbol))
      return `import('viem').${aliasSymbol.name}${printArguments(aliasTypeArguments)}`
    if (!symbol || !isOfLanguage(symbol)) return null
    if (symbol.flags & SymbolFlags.Function) return `typeof ${symbol.name}`
    if (!(symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class))) return null
    return `${symbol.name}${printArguments(checker.getTypeArguments(type))}`
  }

  function print(type, isTop = false) {
    const simple =
      TypeFlags.Intrinsic | TypeFlags.Literal | TypeFlags.TemplateLiteral | TypeFlags.TypeParameter
    if (type.flags & TypeFlags.Boolean) return 'boolean'
    if (type.flags & simple && !type.isUnion()) return checker.typeToString(type)
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type)
      return `${type.symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}(${print(item)})[]`
    }
    if (checker.isTupleType(type)) return tuple(type)
    const name = isTop ? null : named(type)
    if (name) return name
    if (open.has(type)) return 'unknown'
    open.add(type)
    try {
      return spelled(type)
    } finally {
      open.delete(type)
    }
  }

  /** With names, which editors show, and optional places as such. */
  function tuple(type) {
    const { elementFlags, labeledElementDeclarations: labels } = type.target
    const items = checker.getTypeArguments(type).map((item, i) => {
      const isOptional = elementFlags[i] & ts.ElementFlags.Optional
      const label = labels?.[i]?.name
      const name = label && ts.isIdentifier(label) ? label.text : `arg${i}`
      return `${name}${isOptional ? '?' : ''}: ${isOptional ? withoutUndefined(item) : print(item)}`
    })
    return `[${items.join(', ')}]`
  }

  function spelled(type) {
    if (type.isUnion()) return union(type.types)
    if (type.isIntersection() && type.types.some(({ flags }) => !(flags & TypeFlags.Object)))
      return type.types.map((one) => `(${print(one)})`).join(' & ')
    if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection))) return checker.typeToString(type)
    const calls = type.getCallSignatures()
    const fields = checker.getPropertiesOfType(type)
    if (calls.length > 0 && fields.length === 0)
      return calls.map((one) => `(${signature(one, ' => ')})`).join(' & ')
    const indexes = checker
      .getIndexInfosOfType(type)
      .map((one) => `${one.isReadonly ? 'readonly ' : ''}[key: ${print(one.keyType)}]: ${print(one.type)}`)
    return `{ ${[...indexes, ...fields.map(field)].join('; ')} }`
  }

  function union(types) {
    const isBoolean = types.filter((one) => one.flags & TypeFlags.BooleanLiteral).length === 2
    const rest = isBoolean ? types.filter((one) => !(one.flags & TypeFlags.BooleanLiteral)) : types
    const parts = rest.map((one) => `(${print(one)})`)
    return [...(isBoolean ? ['boolean'] : []), ...parts].join(' | ')
  }

  function field(symbol) {
    const type = checker.getTypeOfSymbolAtLocation(symbol, source)
    const isOptional = symbol.flags & SymbolFlags.Optional
    const shown = isOptional ? withoutUndefined(type) : print(type)
    const isReadonly = ts.getCheckFlags?.(symbol) & 8 || isDeclaredReadonly(symbol)
    const key = /^[A-Za-z_$][\w$]*$/.test(symbol.name) ? symbol.name : JSON.stringify(symbol.name)
    const isLoose = isOptional && type.isUnion() && type.types.some((one) => one.flags & TypeFlags.Undefined)
    return `${isReadonly ? 'readonly ' : ''}${key}${isOptional ? '?' : ''}: ${shown}${isLoose ? ' | undefined' : ''}`
  }
  const isDeclaredReadonly = ({ declarations = [] }) =>
    declarations.some((one) => ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Readonly)
  const withoutUndefined = (type) =>
    type.isUnion() ? union(type.types.filter((one) => !(one.flags & TypeFlags.Undefined))) : print(type)

  function signature(one, arrow) {
    const parameters = one.getParameters().map((parameter) => {
      const declared = parameter.valueDeclaration
      const type = checker.getTypeOfSymbolAtLocation(parameter, declared ?? source)
      const isRest = declared && ts.isParameter(declared) && declared.dotDotDotToken
      // Parameters from a tuple have no separate declaration.
      const isOptional =
        declared && ts.isParameter(declared)
          ? checker.isOptionalParameter(declared)
          : ts.getCheckFlags(parameter) & OPTIONAL_PARAMETER
      const name = /^\w+$/.test(parameter.name) ? parameter.name : 'options'
      return `${isRest ? '...' : ''}${name}${isOptional && !isRest ? '?' : ''}: ${isOptional ? withoutUndefined(type) : print(type)}`
    })
    const own = one.getTypeParameters()?.map((parameter) => checker.typeToString(parameter)) ?? []
    const predicate = checker.getTypePredicateOfSignature(one)
    const answer = predicate
      ? `${predicate.parameterName} is ${print(predicate.type)}`
      : print(one.getReturnType())
    return `${own.length ? `<${own.join(', ')}>` : ''}(${parameters.join(', ')})${arrow}${answer}`
  }

  function declare({ name, symbol, isType }) {
    if (symbol.flags & SymbolFlags.Class) return declareClass(name, symbol)
    const isValue = !isType && symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable)
    if (isValue) {
      const type = checker.getTypeOfSymbolAtLocation(symbol, source)
      const [call] = type.getCallSignatures()
      if (call) return `export declare function ${name}${signature(call, ': ')}`
      return `export declare const ${name}: ${print(type)}`
    }
    // The only generic type: the input of a route's method.
    if (name === 'Ask') return 'export type Ask<Id extends keyof Api> = NonNullable<Parameters<Api[Id]>[0]>'
    return `export type ${name} = ${print(checker.getDeclaredTypeOfSymbol(symbol), true)}`
  }

  function declareClass(name, symbol) {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const own = checker.getPropertiesOfType(type).filter((one) => !isOfLanguage(one))
    const [made] = checker.getTypeOfSymbolAtLocation(symbol, source).getConstructSignatures()
    const make = signature(made, ': ').replace(/\): .*$/s, ')')
    return `export declare class ${name} extends Error { ${[`constructor${make}`, ...own.map(field)].join('; ')} }`
  }

  return { declare }
}
