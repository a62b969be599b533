import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity } from '../jobs/activity.ts'
import { type Address, foreign, healthOf, inOrder, measureLag, newAddress, pause } from './addresses.ts'
import { askInTurn } from './askInTurn.ts'
import { createEndpoint } from './endpoint.ts'
import { followHeads, type Heads } from './heads.ts'
import {
  type AddressHealth,
  isRead,
  type Rpc,
  type RpcAnswer,
  type RpcCall,
  RpcUnreachable,
} from './types.ts'
import { blockNamed, headTold, saysBusy, saysNoMethod } from './words.ts'

export interface RpcOptions {
  /** One address, or several with the preferred one first. */
  url: string | readonly string[]
  timeoutMs?: number
  /** With several addresses, one on another chain is never used. */
  chainId?: number
  /** WebSocket for new blocks. `probe`: try the preferred address. */
  heads?: { url: string } | 'probe'
  /** An idle process has no subscription to new blocks. */
  activity?: Pick<Activity, 'isIdle' | 'onReturn'>
  /** Called when an address changes state. */
  onChange?(health: AddressHealth): void
}

export type AddressedRpc = Rpc & { addresses(): AddressHealth[] }

const WATCH_EVERY_MS = 2_000
const PROBE_BOUND_MS = 2_000

/**
 * JSON-RPC over one or several addresses. Reads move on to the next address if one fails, stays silent for
 * its share of the timeout, or is behind the requested block; anything that changes state is sent once.
 */
export function createRpc(options: RpcOptions): AddressedRpc {
  const { timeoutMs = 5_000, chainId } = options
  const urls = [options.url].flat()
  const addresses = urls.map((url) => newAddress(createEndpoint(url)))
  const isAlone = addresses.length === 1
  const reportedStates = new Map<Address, AddressHealth['state']>()
  const verifying = new Map<Address, Promise<void>>()

  function reportState(address: Address): void {
    const health = healthOf(address, performance.now())
    if ((reportedStates.get(address) ?? 'up') === health.state) return
    reportedStates.set(address, health.state)
    options.onChange?.(health)
  }

  /** One request to one address; updates the address's health. */
  async function exchange(
    address: Address,
    calls: readonly RpcCall[],
    terms: { boundMs: number; alone: boolean },
  ): Promise<RpcAnswer[]> {
    try {
      const answers = await address.endpoint.exchange(calls, terms)
      const busy = answers.find((answer) => !answer.ok && saysBusy(answer.error))
      if (busy && !busy.ok) throw new RpcUnreachable(busy.error.message, { cause: busy.error, why: 'busy' })
      address.refusals = 0
      for (const [i, answer] of answers.entries()) {
        const call = calls[i]!
        if (!answer.ok && saysNoMethod(answer.error)) address.lacks.add(call[0])
        if (answer.ok) address.head = headTold(call, answer.result) ?? address.head
      }
      return answers
    } catch (error) {
      if (error instanceof RpcUnreachable && error.why === 'busy') {
        pause(address, performance.now(), error.retryAfterMs)
      } else {
        address.failed += 1
        // A large or slow request says little about the node: a probe decides.
        address.isDown = !isAlone
        void probe(address)
      }
      reportState(address)
      throw error
    }
  }

  /** An address receives no requests before it has proved its chain. */
  function verify(address: Address, boundMs: number): Promise<void> {
    if (isAlone || chainId === undefined || address.chain === 'right') return Promise.resolve()
    if (address.chain === 'foreign') return Promise.reject(foreign(address, chainId))
    const under = verifying.get(address) ?? readChain(address, chainId, boundMs)
    verifying.set(address, under)
    return under
  }
  async function readChain(address: Address, expected: number, boundMs: number): Promise<void> {
    try {
      const [answer] = await exchange(address, [['eth_chainId', []]], { boundMs, alone: true })
      if (!answer?.ok) throw new RpcUnreachable(`${address.endpoint.name} did not report its chain`)
      address.chain = Number(answer.result) === expected ? 'right' : 'foreign'
      reportState(address)
      if (address.chain === 'foreign') throw foreign(address, expected)
    } finally {
      verifying.delete(address)
    }
  }

  const probing = new Set<Address>()
  /** Probes reachability, chain and head of an address. */
  async function probe(address: Address): Promise<void> {
    if (isAlone || probing.has(address) || address.pausedUntilMs > performance.now()) return
    probing.add(address)
    try {
      // A different node may have come back.
      if (address.isDown || address.chain === 'foreign') address.chain = 'unread'
      const terms = { boundMs: PROBE_BOUND_MS, alone: true }
      const [answer] = await address.endpoint.exchange([['eth_blockNumber', []]], terms)
      if (!answer?.ok) throw new Error('no head')
      address.head = headTold(['eth_blockNumber', []], answer.result)
      await verify(address, PROBE_BOUND_MS)
      address.isDown = false
    } catch (error) {
      if (error instanceof RpcUnreachable && error.why === 'busy')
        pause(address, performance.now(), error.retryAfterMs)
      else if (address.chain !== 'foreign') address.isDown = true
    } finally {
      probing.delete(address)
      reportState(address)
    }
  }

  async function watch(): Promise<void> {
    await Promise.all(addresses.map(probe))
    measureLag(addresses)
    for (const address of addresses) reportState(address)
  }
  const watching = isAlone ? undefined : setInterval(() => void watch(), WATCH_EVERY_MS).unref()
  if (!isAlone) void watch()

  /** A node without the requested block would answer for an earlier one, or with fewer logs. */
  async function reach(address: Address, block: number, boundMs: number): Promise<void> {
    if (isAlone || (address.head !== null && address.head >= block)) return
    await exchange(address, [['eth_blockNumber', []]], { boundMs, alone: true })
    if (address.head !== null && address.head >= block) return
    throw new RpcUnreachable(`${address.endpoint.name} is behind block ${block}`, { why: 'behind' })
  }

  interface Ask {
    calls: readonly RpcCall[]
    alone: boolean
    untilMs: number
  }

  async function askOne(address: Address, { calls, alone, untilMs }: Ask): Promise<RpcAnswer[]> {
    const left = () => Math.max(1, untilMs - performance.now())
    const waitMs = address.pausedUntilMs - performance.now()
    if (waitMs > 0) {
      if (waitMs >= left()) throw new RpcUnreachable(`${address.endpoint.name} is busy`, { why: 'busy' })
      await sleep(waitMs)
    }
    await verify(address, left())
    const named = Math.max(-1, ...calls.map((call) => blockNamed(call) ?? -1))
    if (named >= 0) await reach(address, named, left())
    return exchange(address, calls, { boundMs: left(), alone })
  }

  /** Sends once to the best address; tries another only if nothing was sent. */
  async function sendOnce(input: Ask): Promise<RpcAnswer[]> {
    let last: unknown = null
    for (const address of inOrder(addresses, input.calls, performance.now())) {
      try {
        await verify(address, Math.max(1, input.untilMs - performance.now()))
        const boundMs = Math.max(1, input.untilMs - performance.now())
        return await exchange(address, input.calls, { boundMs, alone: input.alone })
      } catch (error) {
        last = error
        if (!(error instanceof RpcUnreachable && error.unsent)) throw error
      }
    }
    throw last ?? new RpcUnreachable('no address to send to', { unsent: true })
  }

  function askAnyone(input: Ask): Promise<RpcAnswer[]> {
    const order = inOrder(addresses, input.calls, performance.now())
    if (order.length === 0) throw foreign(addresses[0]!, chainId ?? 0)
    return askInTurn(order, input.untilMs, (address) => askOne(address, input))
  }

  /** If all are rate limiting, waits for the pause, within the call's timeout. */
  async function askPatiently(input: Ask): Promise<RpcAnswer[]> {
    for (;;) {
      try {
        return await askAnyone(input)
      } catch (error) {
        const leftMs = input.untilMs - performance.now()
        const nextMs = Math.min(...addresses.map(({ pausedUntilMs }) => pausedUntilMs)) - performance.now()
        const isBusy = error instanceof RpcUnreachable && error.why === 'busy'
        if (!isBusy || nextMs >= leftMs) throw error
        await sleep(Math.max(1, nextMs))
      }
    }
  }

  const askAll = (calls: readonly RpcCall[], terms: { boundMs: number; alone: boolean }) => {
    const input = { calls, alone: terms.alone, untilMs: performance.now() + terms.boundMs }
    return calls.every(isRead) ? askPatiently(input) : sendOnce(input)
  }

  const heads: Heads | null = options.heads
    ? followHeads({
        ...headsAt(options.heads, urls[0]!),
        chainId: chainId ?? null,
        activity: options.activity,
      })
    : null

  return {
    async request<T>(method: string, params: readonly unknown[] = [], bound: { timeoutMs?: number } = {}) {
      const boundMs = bound.timeoutMs ?? timeoutMs
      const [answer] = await askAll([[method, params]], { boundMs, alone: true })
      if (!answer?.ok) throw answer?.error ?? new RpcUnreachable(`${method}: no answer`)
      return answer.result as T
    },
    batch: async (calls, bound = {}) =>
      calls.length === 0 ? [] : askAll(calls, { boundMs: bound.timeoutMs ?? timeoutMs, alone: false }),
    ...(heads && { onHead: heads.onHead, hearsHeads: heads.isAlive }),
    addresses: () => addresses.map((address) => healthOf(address, performance.now())),
    close() {
      clearInterval(watching)
      heads?.close()
      for (const { endpoint } of addresses) endpoint.close()
    },
  }
}

const headsAt = (heads: NonNullable<RpcOptions['heads']>, preferred: string) =>
  heads === 'probe'
    ? { url: preferred.replace(/^http/, 'ws'), isGuess: true }
    : { url: heads.url, isGuess: false }
