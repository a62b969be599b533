/** Keys of a sidecar request and response are snake_case, as in the API; the client's own are camelCase. */

const CAMEL = /^[a-z][a-z0-9]*(?:[A-Z][a-zA-Z0-9]*)$/
const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/

const snakeOf = (key: string): string =>
  CAMEL.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key
const camelOf = (key: string): string =>
  SNAKE.test(key) ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : key

type SnakeOf<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeOf<Tail>}`
    : `_${Lowercase<Head>}${SnakeOf<Tail>}`
  : S
type KeyOf<T> = T extends unknown ? keyof T & string : never
/** Keys of a parameter of the client as the sidecar names them. */
export type WireKey<Params> = SnakeOf<KeyOf<Params>>

/** A JSON value with snake_case keys; bigint values become decimal strings. */
export const toSnake = (value: unknown): unknown => convert(value, snakeOf)
/** The same value with camelCase keys. */
export const toCamel = <T>(value: unknown): T => convert(value, camelOf) as T

function convert(value: unknown, nameOf: (key: string) => string): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return convert(Object.fromEntries(value), nameOf)
  if (Array.isArray(value)) return value.map((one) => convert(one, nameOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined && typeof one !== 'function')
      .map(([key, one]) => [nameOf(key), convert(one, nameOf)]),
  )
}
