import { type Address, newAddress, pause } from './addresses.ts'
import { createEndpoint } from './endpoint.ts'
import { type AddressHealth, RpcUnreachable } from './types.ts'
import { saysBusy } from './words.ts'

export interface PassThroughOptions {
  urls: readonly string[]
  /** Health of the addresses, from the main connections. */
  health(): readonly Pick<AddressHealth, 'state'>[]
  /** Connections per address, and so concurrent calls of these callers on a node. */
  maxConnections: number
  /** Running calls and those that wait for a connection. */
  maxCalls: number
}

/** Reads for anonymous callers. */
export interface PassThrough {
  request(
    method: string,
    params: readonly unknown[],
    bound: { timeoutMs: number; maxAnswerBytes: number },
  ): Promise<unknown>
  close(): void
}

/**
 * Each call is sent once, to the first address that works, over separate connections: a flood here uses
 * neither the connections nor the retry pauses of the service’s own reads.
 */
export function createPassThrough(options: PassThroughOptions): PassThrough {
  const { urls, health, maxConnections, maxCalls } = options
  const addresses = urls.map((url) => newAddress(createEndpoint(url, { maxConnections })))
  let calls = 0

  function pick(): Address {
    const states = health()
    const nowMs = performance.now()
    const usable = addresses.find(
      ({ pausedUntilMs }, i) => pausedUntilMs <= nowMs && (states[i]?.state ?? 'up') === 'up',
    )
    if (!usable) throw new RpcUnreachable('no node available', { why: 'busy' })
    return usable
  }

  async function send(
    address: Address,
    [method, params]: readonly [string, readonly unknown[]],
    { timeoutMs, maxAnswerBytes }: { timeoutMs: number; maxAnswerBytes: number },
  ): Promise<unknown> {
    const terms = { boundMs: timeoutMs, alone: true, maxAnswerBytes }
    const [answer] = await address.endpoint.exchange([[method, params]], terms)
    if (answer?.ok) {
      address.refusals = 0
      return answer.result
    }
    if (answer && saysBusy(answer.error))
      throw new RpcUnreachable(answer.error.message, { cause: answer.error, why: 'busy' })
    throw answer?.error ?? new RpcUnreachable(`${method}: no answer`)
  }

  return {
    async request(method, params, bound) {
      if (calls >= maxCalls) throw new RpcUnreachable('too many concurrent calls', { why: 'busy' })
      const address = pick()
      calls += 1
      try {
        return await send(address, [method, params], bound)
      } catch (error) {
        if (error instanceof RpcUnreachable && error.why === 'busy')
          pause(address, performance.now(), error.retryAfterMs)
        throw error
      } finally {
        calls -= 1
      }
    },
    close() {
      for (const { endpoint } of addresses) endpoint.close()
    },
  }
}
