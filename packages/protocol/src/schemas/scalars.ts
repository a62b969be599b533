import {
  FormatRegistry,
  type ObjectOptions,
  type SchemaOptions,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { PATTERNS } from '../patterns.ts'
import { Address } from '../profile.ts'
import { hasInvisible } from '../visibleText.ts'

/** The same schema with a sentence for the reader; symbols (optional, kind) survive the spread. */
export const says = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

/**
 * An object of an answer: its type has these fields and no others, yet it is not closed, since later versions
 * may add some. `checkAnswer` holds what is answered today to exactly these.
 */
export const Answer = <T extends TProperties>(properties: T, options: ObjectOptions = {}) =>
  Type.Object(properties, options)

/** A request object that refuses fields it does not know. */
export const Exact = <T extends TProperties>(properties: T, options: SchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The description stands beside the choice, where readers and generators look for it. */
export const Nullable = <T extends TSchema>(schema: T, description = schema.description) => {
  const { description: _, ...bare } = schema
  const inner = schema.title === undefined ? (bare as unknown as T) : schema
  return Type.Union([inner, Type.Null()], description === undefined ? {} : { description })
}

/** Values by a name that the answer itself gives: a symbol, an address, a code. */
export const MapOf = <T extends TSchema>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description })

/** Any object here; its owner checks it as `shown`, and can name the field at fault. */
export const CheckedLater = <T>(shown: TSchema & { static: T }, description: string) =>
  Type.Unsafe<T>({ ...Open(description), shown })

type ExactlyOneOf<T, Name extends PropertyKey> = {
  [One in Name & keyof T]: { [Given in One]-?: Exclude<T[Given], undefined> } & {
    [Other in Exclude<Name, One>]?: never
  }
}[Name & keyof T]
/** A request with exactly one of these optional fields; `checkWith` enforces it, and the type has a variant for each. */
export const ExactlyOne = <T extends TProperties, const Names extends readonly (keyof T & string)[]>(
  names: Names,
  properties: T,
) =>
  Exact(properties, { exactlyOne: names }) as TObject<T> & {
    static: ExactlyOneOf<TObject<T>['static'], Names[number]>
  }

/** An object whose other fields depend on one: each form has its value of that field, and what goes with it. */
export const WithForms = <T extends TProperties, Form>(
  object: TObject<T>,
  forms: readonly (TSchema & { static: Form })[],
) => ({ ...object, forms }) as unknown as TObject<T> & { static: Form }

export const OneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      description === undefined ? {} : { description },
    ),
  )

/** Values to which a later version may add: a client decodes others by the pattern, and its own rule refuses them. */
export const Growing = <const T extends readonly string[]>(values: T, decodedBy: string) => ({
  ...OneOf(values),
  decodedBy,
})

export const Text = (description: string, options: SchemaOptions & { maxLength?: number } = {}) =>
  Type.String({ description, ...options })
/** A name for people. TypeBox knows the format by the time the schema is used. */
export function Name(description: string, options: { maxLength: number }) {
  FormatRegistry.Set('name', (text) => !hasInvisible(text))
  return Type.String({ description: `${description}; no invisible characters`, format: 'name', ...options })
}
/** A code, kind or state of an answer, to which later versions may add. */
export const Code = (description: string) => Type.String({ description, pattern: PATTERNS.word })
export const Pair = (description: string) => Type.String({ description, pattern: PATTERNS.pair })
export const Flag = (description: string) => Type.Boolean({ description })
export const Count = (description: string) => Type.Integer({ description, minimum: 0 })
export const Whole = (description: string) => Type.Integer({ description })
export const Num = (description: string) => Type.Number({ description })

/** Amounts on chain: a decimal string of the token's smallest unit; 78 digits hold a uint256. */
export const Atoms = (description: string) =>
  Type.String({ description, pattern: PATTERNS.atoms, examples: ['1000000'] })
/** Whole tokens. */
export const Decimal = (description: string) =>
  Type.String({ description: `${description}; a decimal`, pattern: '^-?[0-9]{1,78}(\\.[0-9]{1,36})?$' })
export const Policy = (description: string) => Type.String({ description, pattern: PATTERNS.word })
export const ModelId = (description: string) => Type.String({ description, pattern: PATTERNS.modelId })
/** A token as an answer names it. */
export const TokenName = (description: string) => Type.String({ description, pattern: PATTERNS.tokenName })
/** An amount that may be negative: a change, a gain. */
export const SignedAtoms = (description: string) =>
  Type.String({ description, pattern: '^(0|-?[1-9][0-9]{0,77})$' })
export const Usd = (description: string) => Type.Number({ description })
export const Bps = (description: string) => Type.Integer({ description })
export const UnixS = (description: string) =>
  Type.Integer({ description: `${description}; unix seconds`, minimum: 0, maximum: 9_999_999_999 })
export const Wallet = (description: string) => says(Address, description)
export const Hex = (description: string) => Type.String({ description, pattern: '^0x([0-9a-fA-F]{2})*$' })
export const TxHash = (description: string) => Type.String({ description, pattern: PATTERNS.hash })
export const Signature = (description: string) =>
  Type.String({ description: `${description}; 0x and 130 hex digits`, pattern: '^0x[0-9a-fA-F]{130}$' })
/**
 * Contract wallets sign with longer hex, compact ones with 64 bytes: they pass here, and BAD_SIGNATURE says
 * why not.
 */
export const SignInSignature = (description: string) =>
  Type.String({
    description: `${description}; 0x and 130 hex digits (longer ones, as contract wallets send, are BAD_SIGNATURE)`,
    pattern: '^0x([0-9a-fA-F]{2}){64,8192}$',
  })
/** The same where any length is BAD_SIGNATURE. */
export const AnySignature = (description: string) =>
  Type.String({
    description: `${description}; 0x and 130 hex digits (any other length is BAD_SIGNATURE)`,
    pattern: '^0x[0-9a-fA-F]{0,16384}$',
  })
/** A core symbol or an address. Other symbols pass here and are refused by name later, with a better code. */
export const TokenRef = (description: string) =>
  Type.String({
    description: `${description}; a core symbol or a 0x address`,
    pattern: '^(0x[0-9a-fA-F]{40}|(?!0[xX])[^\\u0000-\\u001f\\u007f]{1,64})$',
  })
/** Opaque ids of sessions, agents, routes and nonces. */
export const Id = (description: string) => Type.String({ description, pattern: PATTERNS.id })
/** A registry agent's id: a decimal, sent as a string or as a number. */
export const AgentIdIn = (description: string) =>
  Type.Union([Type.String({ pattern: PATTERNS.agentId }), Type.Integer({ minimum: 0 })], {
    description,
  })
/** Query flags are `1` or absent. */
export const QueryFlag = (description: string) => Type.Optional(Type.Literal('1', { description }))
/**
 * Optional for the caller; `withDefaults` fills it in, so it is never undefined in a handler.
 */
export const ByDefault = <T extends TSchema, const D>(value: D, schema: T) =>
  Type.Optional({ ...schema, default: value }) as unknown as T & { readonly default: D }
/** The type that a caller sends: fields with a default are optional. */
export type Sent<S extends TSchema> = S extends { anyOf: (infer Variant extends TSchema)[] }
  ? SentObject<Variant>
  : SentObject<S>
type SentObject<S extends TSchema> =
  S extends TObject<infer Fields> ? LeftOut<S['static'], DefaultedKeys<Fields>> : never
type LeftOut<T, Names extends PropertyKey> = T extends unknown
  ? Omit<T, Names> & { [Name in keyof T & Names]?: T[Name] }
  : never
type DefaultedKeys<Fields extends TProperties> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly default: unknown } ? Name : never
}[keyof Fields]
export const Limit = (max: number, byDefault: number) =>
  ByDefault(byDefault, Type.Integer({ description: `how many, 1 to ${max}`, minimum: 1, maximum: max }))
/** A row id to page on from: rows older than it. */
export const Before = (what: string) =>
  Type.Optional(Type.Integer({ description: `only ${what} older than this id`, minimum: 1 }))
/** An object defined by a third party, with unknown fields. */
export const Open = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })
export const Anything = (description: string) => Type.Unknown({ description })
/** Names one intended trade or agent, so that a retry is known as one. */
export const ClientId = Type.Optional(
  Type.String({
    description:
      'your own id for this one intention; send the same id again when you retry: the same request is ' +
      'answered as before and counted once, another one is refused',
    pattern: '^[A-Za-z0-9._:-]{1,64}$',
  }),
)
