import { hashPermit } from '@pit/chain'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import type { TradeToken } from '../types.ts'
import {
  crypto,
  open,
  PERMIT2,
  ROUTER,
  ran,
  refusalOf,
  simulateParams,
  TOKEN,
  tx,
  WALLET,
} from './test/scripted.ts'

describe('a node', () => {
  it('without a usable response is RPC_UNAVAILABLE, with what is missing', async () => {
    const simulate = (thrown: () => unknown) =>
      refusalOf(open(thrown).simulator.simulatePlan(simulateParams()))
    const refuse = (code: number) => () => {
      throw new RpcError('eth_simulateV1', code, 'some secret http://10.0.0.1 of the node', undefined)
    }
    const without = await simulate(refuse(-32601))
    expect(without).toMatchObject({ code: 'RPC_UNAVAILABLE', status: 502 })
    expect(without.message).toContain('no eth_simulateV1')
    for (const code of [-32602, -32603, -32000, -38026]) {
      const refused = await simulate(refuse(code))
      expect(refused.code).toBe('RPC_UNAVAILABLE')
      expect(refused.message).not.toContain('secret')
    }
    const unreachable = await simulate(() => {
      throw new RpcUnreachable('eth_simulateV1: no answer')
    })
    expect(unreachable.code).toBe('RPC_UNAVAILABLE')
    const block = ran([10n, 0n], [{}], [110n, 1n])[0]!
    for (const nonsense of [
      null,
      {},
      [],
      [null],
      [{ ...block, calls: block.calls.slice(1) }],
      [{ ...block, number: 'soon' }],
      [{ ...block, calls: block.calls.map((call) => ({ ...call, status: '0x2' })) }],
      [{ ...block, calls: block.calls.map((call) => ({ ...call, gasUsed: undefined })) }],
      [block, block],
    ])
      expect((await simulate(() => nonsense)).code).toBe('RPC_UNAVAILABLE')
  })

  it('may reject a plan as impossible, which is a result', async () => {
    const { simulator } = open(() => {
      throw new RpcError('eth_simulateV1', -38014, 'err: insufficient funds', undefined)
    })
    expect(await simulator.simulatePlan(simulateParams())).toMatchObject({
      ok: false,
      block: 41,
      amountOut: null,
      gasTotal: null,
      error: 'insufficient ETH for value and gas',
    })
    const cheap = open(() => ran([10n, 0n], [{}], [110n, 1n]))
    const low = { kind: 'swap' as const, tx: tx({ maxFeePerGasWei: 6n }) }
    expect((await cheap.simulator.simulatePlan(simulateParams({ transactions: [low] }))).error).toBe(
      'the fee cap is below the base fee',
    )
  })

  it('whose head is ahead of ours chooses the block time', async () => {
    const { simulator, sent, blockSent } = open(() => {
      if (sent.length === 1) throw new RpcError('eth_simulateV1', -38021, 'order', undefined)
      return ran([10n, 0n], [{}], [110n, 1n])
    })
    expect((await simulator.simulatePlan(simulateParams())).ok).toBe(true)
    expect(blockSent(1).blockOverrides).toEqual({ baseFeePerGas: '0x7' })
  })

  it('that does not respond times out', async () => {
    const { simulator } = open(() => new Promise(() => {}), { timeoutMs: 30 })
    expect((await refusalOf(simulator.simulatePlan(simulateParams()))).code).toBe('RPC_UNAVAILABLE')
    const token = { address: NATIVE_TOKEN, stock: false } as unknown as TradeToken
    const wallet = simulator.readWallet({ wallet: WALLET, tokenIn: token, tokenOut: token, curve: null })
    expect((await refusalOf(wallet)).code).toBe('RPC_UNAVAILABLE')
  })
})

describe('the synthetic wallet', () => {
  const permit = {
    details: { token: TOKEN, amount: 5n, expiration: 7, nonce: 0 },
    spender: ROUTER,
    sigDeadline: 9n,
  }

  it('signs what is simulated, with a different key per process', () => {
    const [one, two] = [open(() => null).simulator.synthetic, open(() => null).simulator.synthetic]
    const hash = hashPermit(crypto, { chainId: 4663, permit2: PERMIT2 }, permit)
    expect(crypto.recover(hash, one.signPermit(permit))).toBe(one.wallet)
    expect(one.wallet).not.toBe(two.wallet)
  })

  it('is drawn again if the bytes are not a valid key, a limited number of times', () => {
    let draws = 0
    const randomBytes = (size: number) => new Uint8Array(size).fill(draws++ < 2 ? 255 : 1)
    expect(open(() => null, { randomBytes }).simulator.synthetic.wallet).toMatch(/^0x/)
    expect(draws).toBe(3)
    expect(() => open(() => null, { randomBytes: (size) => new Uint8Array(size) })).toThrow(/randomness/)
  })
})
