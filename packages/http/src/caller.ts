import type { IncomingHttpHeaders } from 'node:http'
import type { AnyRoute, BucketId, PitError } from '@pit/protocol'

/** The part of a key that the edge reads. */
export interface EdgeKey {
  keyId: number
}

export interface EdgeCaller<Key extends EdgeKey = EdgeKey, Place = unknown> {
  requestId: string
  /** The client's address: the socket's, or the right-most untrusted hop behind a trusted proxy. */
  address: string
  key: Key | null
  /** The service's own result for the client's place. */
  place?: Place
}

export interface Client {
  address: string
  /** The connection comes from a trusted proxy, so its headers count. */
  isProxied: boolean
  headers: IncomingHttpHeaders
}

/** `known` accepts only keys this process has seen valid before; `any` queries the store for others. */
export type Authenticate<Key extends EdgeKey> = (
  bearer: string,
  which: 'known' | 'any',
) => Promise<Key | null> | Key | null

/** The service's own rules at the edge. They reject by throwing. */
export interface Gate<Key extends EdgeKey, Place> {
  /** Before the route is known. The result is the caller's `place`. */
  admitClient(client: Client): Place
  authenticate: Authenticate<Key>
  /** Before the key's rates are drawn. */
  admitKey(key: Key, route: AnyRoute): void
  /** The refusal for an expected outage; null for a defect. */
  outageOf(error: unknown, route: AnyRoute | null): PitError | null
}

/** Draws from a route's `lateBuckets`, which apply only once the handler has read the request. */
export type Charge = (caller: EdgeCaller, buckets: readonly BucketId[]) => Promise<void>

/** A serialised response. */
export interface RawAnswer {
  serialised: string | Buffer
  contentType?: string
  /** Overrides the route's status: health responds with 503 when down. */
  status?: number
}
export const isRawAnswer = (answer: unknown): answer is RawAnswer =>
  typeof answer === 'object' && answer !== null && 'serialised' in answer
