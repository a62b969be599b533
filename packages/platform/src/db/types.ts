/**
 * The store's face: PostgreSQL SQL, on PGlite or PostgreSQL alike. int8 reads as a number (an unsafe one
 * throws), numeric as a string, jsonb parsed, bytea as Uint8Array; bigint values may be passed as parameters,
 * and a JSON array as its text (a plain array is a PostgreSQL array).
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
   * The embedded store reads and plans the statement once and keeps that: for short ones of a fixed text that
   * run many times a second, whose best plan does not depend on the values. PostgreSQL plans each anew, as
   * poolers before it want it; so does either inside a transaction.
   */
  kept?: boolean
}

export interface Db extends Sql {
  /**
   * Runs alone on one connection; commits when `run` resolves, rolls back when it throws. A deadlock or a
   * serialization failure runs it again, so `run` does nothing that SQL cannot take back. Inside, use only
   * the `sql` handed in: on the embedded store `db` itself waits for the transaction to end.
   */
  transaction<T>(run: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Several statements without values (migrations); as long as they take, up to ten minutes. */
  exec(script: string): Promise<void>
  /**
   * Runs alone on one connection without a transaction, for statements that cannot be in one (an index made
   * while the table is used); each as long as it takes, up to ten minutes. What was done before a failure
   * stays done.
   */
  session<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** Answers when the store does; throws when it does not within the bound. */
  ping(timeoutMs: number): Promise<void>
  /** Hears `notify channel`, from any process on the same store. Resolves once it listens. */
  listen(channel: string, listener: Listener): Promise<StopListening>
  engine: 'pglite' | 'postgres'
  close(): Promise<void>
}

export interface TransactionOptions {
  /** Of each statement; the store's own bound when absent. */
  statementTimeoutMs?: number
  /** Every statement sees the store as the first one did: what others write meanwhile is not there. */
  onePicture?: boolean
}

export interface Listener {
  heard(payload: string): void
  /** From now until `back`, messages may be missed. */
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
  /** A statement that takes longer is cancelled. */
  statementTimeoutMs?: number
  /** A transaction that asks nothing for this long is rolled back. */
  idleInTransactionMs?: number
  logger?: StoreLogger
}
