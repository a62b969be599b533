/**
 * The store's face: PostgreSQL SQL, on PGlite or PostgreSQL alike. int8 reads as a number (an unsafe one throws),
 * numeric as a string, jsonb parsed, bytea as Uint8Array; bigint values may be passed as parameters.
 */
export interface Sql {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export interface Db extends Sql {
  /** Runs alone on one connection; commits when `run` resolves, rolls back when it throws. */
  transaction<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** Several statements without values (migrations). */
  exec(script: string): Promise<void>
  /** Answers when the store does; throws when it does not within the bound. */
  ping(timeoutMs: number): Promise<void>
  engine: 'pglite' | 'postgres'
  close(): Promise<void>
}
