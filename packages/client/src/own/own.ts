/** In types only; no value has this property. */
interface OwnMark {
  readonly __own: 'derived by this client'
}

/**
 * A value that this client derived itself: from bytes that it signs, its own node, its pins or its user's input.
 * Texts and numbers of a server are never of this type. Marked at every depth.
 */
export type Own<T> = T extends OwnMark
  ? T
  : T extends string | number | bigint
    ? T & OwnMark
    : T extends boolean | null | undefined | ((...args: never[]) => unknown)
      ? T
      : T extends ReadonlyMap<infer Key, infer Value>
        ? ReadonlyMap<Key, Own<Value>>
        : T extends readonly unknown[]
          ? { readonly [I in keyof T]: Own<T[I]> }
          : { readonly [Name in keyof T]: Own<T[Name]> }

/**
 * A text for a confirmation.
 * @public
 */
export type OwnText = Own<string>
/**
 * An amount in atoms that this client derived itself.
 * @public
 */
export type OwnAtoms = Own<bigint>
/**
 * A value that `say` and `inText` turn into text.
 * @public
 */
export type OwnValue = Own<string | number | bigint>

/**
 * Marks a derived value. Only readers of signed bytes, the own node, pins and input may call it: the package does
 * not export it, and `own.test.ts` lists its callers.
 */
export const own = <T>(value: T): Own<T> => value as Own<T>

/**
 * A text of the program's own words and own values: say`At least ${amount}`.
 * @public
 */
export const say = (parts: TemplateStringsArray, ...values: readonly OwnValue[]): OwnText =>
  own(String.raw({ raw: parts }, ...values))

/**
 * An own value as text, by a pure format.
 * @public
 */
export const inText = <V extends OwnValue>(value: V, format: (value: V) => string): OwnText =>
  own(format(value))

/**
 * Own texts as one.
 * @public
 */
export const joined = (texts: readonly OwnText[], between = ', '): OwnText => own(texts.join(between))
