/** Changes a node's handling of a call: its parameters and its result. */
export interface Habits {
  /** The parameters to use. Throws if the node rejects the call. */
  before(method: string, params: unknown[]): unknown[]
  after(method: string, params: unknown[], result: unknown): unknown
}

/** Index of the block parameter of methods that read state. */
export const STATE_READS: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
}

export const numberIn = (tag: unknown): number | null =>
  typeof tag === 'string' && /^0x[0-9a-f]{1,13}$/i.test(tag) ? Number(tag) : null

export const toTag = (number: number): string => `0x${number.toString(16)}`

/** Applies several in sequence. */
export const allOf = (...habits: Habits[]): Habits => ({
  before: (method, params) => habits.reduce((asked, { before }) => before(method, asked), params),
  after: (method, params, result) => habits.reduce((told, { after }) => after(method, params, told), result),
})
