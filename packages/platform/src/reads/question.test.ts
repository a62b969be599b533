import { describe, expect, it } from 'vitest'
import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '../rpc/index.ts'
import { askCall, askCallOrRevert, askCode, askEther, askNonce } from './accounts.ts'
import { needAll, readAll, readOne } from './question.ts'

const A = `0x${'a1'.repeat(20)}` as const
const refusal = (code: number) => new RpcError('eth_call', code, 'refused', undefined)

/** A node with scripted responses, in order; errors reject. */
function nodeWith(...results: unknown[]) {
  const requests: (readonly RpcCall[])[] = []
  const bounds: unknown[] = []
  const rpc: Pick<Rpc, 'request' | 'batch'> = {
    async request<T>(...call: [string, (readonly unknown[])?, object?]) {
      requests.push([[call[0], call[1] ?? []]])
      bounds.push(call[2])
      const result = results.shift()
      if (result instanceof Error) throw result
      return result as T
    },
    async batch(calls, options) {
      requests.push(calls)
      bounds.push(options)
      return calls.map(() => {
        const result = results.shift()
        return result instanceof RpcError ? { ok: false, error: result } : { ok: true, result }
      })
    },
  }
  return { rpc, requests, bounds }
}

describe('many questions', () => {
  it('go out in one batch, and each response is parsed by its own question', async () => {
    const { rpc, requests, bounds } = nodeWith('0x7', '0xff', '0x6000')
    const questions = [askNonce(A, 'pending'), askEther(A, 16), askCode(A)] as const
    const [nonce, wei, code] = await readAll(rpc, questions, { timeoutMs: 9 })
    const next: number | undefined = nonce
    expect([next, wei, code]).toEqual([7, 255n, '0x6000'])
    expect(requests).toEqual([
      [
        ['eth_getTransactionCount', [A, 'pending']],
        ['eth_getBalance', [A, '0x10']],
        ['eth_getCode', [A, 'latest']],
      ],
    ])
    expect(bounds).toEqual([{ timeoutMs: 9 }])
  })

  it('are undefined if rejected or unreadable, without affecting the others', async () => {
    const { rpc } = nodeWith(refusal(-32_000), 'soon', '0x', '0x5')
    const questions = [askEther(A), askEther(A), askEther(A), askEther(A)]
    expect(await readAll(rpc, questions)).toEqual([undefined, undefined, undefined, 5n])
  })

  it('go out in pages if requested, and not at all if there are none', async () => {
    const { rpc, requests } = nodeWith(...Array.from({ length: 5 }, (_, i) => `0x${i}`))
    const questions = Array.from({ length: 5 }, () => askEther(A))
    expect(await readAll(rpc, questions, { perRequest: 2 })).toEqual([0n, 1n, 2n, 3n, 4n])
    expect(requests.map((calls) => calls.length)).toEqual([2, 2, 1])
    expect(await readAll(rpc, [])).toEqual([])
    expect(requests).toHaveLength(3)
  })

  it('that all need a response fail with the node’s error, or as unreadable', async () => {
    const [nonce, wei] = await needAll(nodeWith('0x1', '0x2').rpc, [askNonce(A), askEther(A)])
    const both: [number, bigint] = [nonce, wei]
    expect(both).toEqual([1, 2n])
    const refused = needAll(nodeWith('0x1', refusal(-32_005)).rpc, [askEther(A), askEther(A)])
    await expect(refused).rejects.toMatchObject({ code: -32_005 })
    const unreadable = needAll(nodeWith('0x1', null).rpc, [askEther(A), askEther(A)])
    await expect(unreadable).rejects.toMatchObject({ why: 'unreadable' })
  })
})

describe('one question', () => {
  it('returns its result or throws the node’s error', async () => {
    const { rpc, bounds } = nodeWith('0x5')
    expect(await readOne(rpc, askEther(A), { timeoutMs: 3 })).toBe(5n)
    expect(bounds).toEqual([{ timeoutMs: 3 }])
    await expect(readOne(nodeWith(refusal(-32_000)).rpc, askEther(A))).rejects.toBeInstanceOf(RpcError)
    const unreadable = readOne(nodeWith(null).rpc, askEther(A))
    await expect(unreadable).rejects.toBeInstanceOf(RpcUnreachable)
  })

  it('tells a revert from a refusal', async () => {
    const question = askCallOrRevert({ to: A, data: '0x' })
    expect(await readOne(nodeWith('0x01').rpc, question)).toEqual({ reverted: false, data: '0x01' })
    expect(await readOne(nodeWith(refusal(3)).rpc, question)).toEqual({
      reverted: true,
      reason: 'eth_call: refused',
    })
    await expect(readOne(nodeWith(refusal(-32_000)).rpc, question)).rejects.toBeInstanceOf(RpcError)
    expect(await readAll(nodeWith(refusal(3), refusal(-32_000)).rpc, [question, question])).toEqual([
      { reverted: true, reason: 'eth_call: refused' },
      undefined,
    ])
    await expect(readOne(nodeWith(refusal(3)).rpc, askCall({ to: A, data: '0x' }))).rejects.toThrow()
  })
})
