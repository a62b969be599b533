/**
 * The store's interface: PostgreSQL SQL, on PGlite or PostgreSQL. int8 reads as a number (an unsafe one
 * throws), numeric as a string, jsonb parsed, bytea as Uint8Array. Parameters may be bigint, and a JSON array
 * is passed as its text (a plain array is a PostgreSQL array).
 */
export interface Sql {
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Row[]>
}

export interface QueryOptions {
  /**
   * A prepared statement: the embedded store plans it once. For short, frequent statements of fixed text
   * whose best plan does not depend on the values. PostgreSQL plans each time, as connection poolers require;
   * so do both inside a transaction.
   */
  prepared?: boolean
}

export interface Db extends Sql {
  /**
   * Runs alone on one connection; commits when `run` resolves, rolls back when it throws. Retries `run` after
   * a deadlock or serialization failure, so `run` must have no side effects besides SQL. Use only the `sql`
   * passed in: on the embedded store `db` itself waits for the transaction to end.
   */
  transaction<T>(run: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Several statements without values (migrations); timeout ten minutes. */
  exec(script: string): Promise<void>
  /**
   * Runs alone on one connection without a transaction, for statements that cannot be in one (building an
   * index while the table is used); timeout ten minutes each. A failure does not undo earlier statements.
   */
  session<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** Resolves when the store answers; throws on timeout. */
  ping(timeoutMs: number): Promise<void>
  /** Receives `notify channel` from any process on the same store. Resolves once it listens. */
  listen(channel: string, listener: Listener): Promise<StopListening>
  engine: 'pglite' | 'postgres'
  close(): Promise<void>
}

export interface TransactionOptions {
  /** Per statement; the store's default if absent. */
  statementTimeoutMs?: number
  /** Every statement sees the snapshot of the first one. */
  snapshot?: boolean
}

export interface Listener {
  received(payload: string): void
  /** Messages may be missed from now until `back`. */
  lost(): void
  back(): void
}
export type StopListening = () => Promise<void>

/** The part of pino that the store uses. */
export interface StoreLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface StoreOptions {
  /** A longer statement is cancelled. */
  statementTimeoutMs?: number
  /** A transaction idle for longer is rolled back. */
  idleInTransactionMs?: number
  logger?: StoreLogger
}
