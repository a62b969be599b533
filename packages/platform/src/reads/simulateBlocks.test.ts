import type { Address, Hex } from '@pit/chain'
import { isPitError } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type Rpc, RpcError, RpcUnreachable } from '../rpc/index.ts'
import { NotRunnable, type SimBlock, simulateBlocks } from './simulateBlocks.ts'

const at = (byte: string): Address => `0x${byte.repeat(20)}`
const [WALLET, ROUTER, TOKEN] = [at('a1'), at('91'), at('70')]
const ETHER_LOGS = at('ee')
const word = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const block: SimBlock = { calls: [{ to: ROUTER, data: '0x12', gas: 300_000 }] }
const ran = { status: '0x1', gasUsed: '0x5208', returnData: '0x', logs: [] }
const answerOf = (...calls: object[]) => [{ number: '0x2a', baseFeePerGas: '0x7', calls }]

function nodeOf(script: () => unknown) {
  const sent: unknown[][] = []
  const rpc: Pick<Rpc, 'request'> = {
    async request<T>(...call: [string, (readonly unknown[])?, object?]) {
      sent.push(call)
      return script() as T
    },
  }
  const run = (blocks: SimBlock[] = [block], terms = {}) =>
    simulateBlocks(rpc, blocks, { timeoutMs: 9, ...terms })
  return { run, sent }
}
const thrownBy = (script: () => unknown) =>
  nodeOf(script)
    .run()
    .then(
      () => new Error('it passed'),
      (error: Error) => error,
    )

describe('a node', () => {
  it('throws RPC_UNAVAILABLE with the reason if the response is unusable', async () => {
    const unavailable = async (script: () => unknown): Promise<string> => {
      const error = await thrownBy(script)
      expect(isPitError(error) && error.code).toBe('RPC_UNAVAILABLE')
      return error.message
    }
    const refuse = (code: number) => () => {
      throw new RpcError('eth_simulateV1', code, 'some secret http://10.0.0.1 of the node', undefined)
    }
    expect(await unavailable(refuse(-32_601))).toContain('no eth_simulateV1')
    for (const code of [-32_602, -32_603, -32_000, -38_026])
      expect(await unavailable(refuse(code))).not.toContain('secret')
    await unavailable(() => {
      throw new RpcUnreachable('eth_simulateV1: no answer')
    })
    const [good] = answerOf(ran)
    for (const nonsense of [
      null,
      {},
      [],
      [null],
      [{ ...good, calls: [] }],
      [{ ...good, number: 'soon' }],
      answerOf({ ...ran, status: '0x2' }),
      answerOf({ ...ran, gasUsed: undefined }),
      [good, good],
    ])
      await unavailable(() => nonsense)
  })

  it('distinguishes calls that cannot run', async () => {
    const refuse = (code: number, message: string) =>
      thrownBy(() => {
        throw new RpcError('eth_simulateV1', code, message, undefined)
      })
    const funds = await refuse(-38_014, 'err: insufficient funds')
    expect(funds).toBeInstanceOf(NotRunnable)
    expect(funds).toMatchObject({ code: -38_014, message: 'insufficient ETH for value and gas' })
    expect(await refuse(-38_021, 'order')).toMatchObject({ code: -38_021 })
    expect(await refuse(-32_003, 'rejected <b>')).toMatchObject({
      code: -32_003,
      message: 'eth_simulateV1: rejected b',
    })
  })
})

describe('blocks', () => {
  it('sends calls in the format of eth_simulateV1', async () => {
    const { run, sent } = nodeOf(() => answerOf(ran, ran))
    const authorization = {
      chainId: 4663,
      address: ROUTER,
      nonce: 3,
      yParity: 1,
      r: word(9n),
      s: word(10n),
    } as const
    await run([
      {
        calls: [
          { to: ROUTER, data: '0x12', gas: 300_000 },
          {
            from: WALLET,
            to: ROUTER,
            data: '0x34',
            gas: 16,
            valueWei: 5n,
            maxFeePerGasWei: 14n,
            authorizations: [authorization as never],
          },
        ],
        overrides: { [WALLET]: { balanceWei: 255n }, [TOKEN]: { words: { [word(1n)]: 2n } } },
        baseFeeWei: 7n,
        timeS: 100,
      },
    ])
    expect(sent).toEqual([
      [
        'eth_simulateV1',
        [
          {
            blockStateCalls: [
              {
                blockOverrides: { baseFeePerGas: '0x7', time: '0x64' },
                stateOverrides: {
                  [WALLET]: { balance: '0xff' },
                  [TOKEN]: { stateDiff: { [word(1n)]: word(2n) } },
                },
                calls: [
                  { to: ROUTER, input: '0x12', gas: '0x493e0' },
                  {
                    from: WALLET,
                    to: ROUTER,
                    input: '0x34',
                    gas: '0x10',
                    value: '0x5',
                    maxFeePerGas: '0xe',
                    maxPriorityFeePerGas: '0x0',
                    authorizationList: [
                      {
                        chainId: '0x1237',
                        address: ROUTER,
                        nonce: '0x3',
                        yParity: '0x1',
                        r: '0x9',
                        s: '0xa',
                      },
                    ],
                  },
                ],
              },
            ],
            traceTransfers: false,
            validation: false,
          },
          'latest',
        ],
        { timeoutMs: 9 },
      ],
    ])
  })

  it('pays a tip if there is one', async () => {
    const { run, sent } = nodeOf(() => answerOf(ran))
    await run([{ calls: [{ to: ROUTER, data: '0x', gas: 1, maxFeePerGasWei: 14n, tipWei: 1n }] }])
    const [payload] = sent[0]![1] as [{ blockStateCalls: { calls: object[] }[] }]
    expect(payload.blockStateCalls[0]!.calls[0]).toMatchObject({ maxPriorityFeePerGas: '0x1' })
  })

  it('returns the result, gas, logs and transfers of each call', async () => {
    const token = { address: TOKEN.toUpperCase().replace('0X', '0x'), topics: [word(1n)], data: '0x' }
    const ether = { address: ETHER_LOGS, topics: [word(1n), word(WALLET), word(ROUTER)], data: word(5n) }
    const { run } = nodeOf(() =>
      answerOf({ ...ran, returnData: '0x07', logs: [token, ether, { ...ether, topics: [] }] }),
    )
    const [first] = await run([block], { traceTransfers: true })
    expect(first).toEqual({
      number: 42,
      baseFeeWei: 7n,
      calls: [
        {
          ok: true,
          data: '0x07',
          gasUsed: 21_000,
          logs: [{ ...token, address: TOKEN }],
          etherMoves: [{ from: WALLET, to: ROUTER, atoms: 5n }],
          isCut: false,
          reason: null,
          error: null,
        },
      ],
    })
  })

  it('reports why a call failed, with its gas if there is no reason', async () => {
    const failed = { ...ran, status: '0x0', logs: [{ address: TOKEN, topics: [], data: '0x' }] }
    const paused = '0xd93c0665'
    const { run } = nodeOf(() => answerOf({ ...failed, error: { message: 'reverted', data: paused } }))
    const [spoken] = (await run())[0]!.calls
    expect(spoken).toMatchObject({ ok: false, data: paused, logs: [] })
    expect(spoken!.error).toBe(spoken!.reason)
    const [choked] = (await nodeOf(() => answerOf({ ...failed, error: { message: 'out of gas' } })).run())[0]!
      .calls
    expect(choked).toMatchObject({
      data: '0x',
      reason: 'out of gas',
      error: 'out of gas (21000 of 300000 gas used)',
    })
  })

  it('caps the logs of a call and reports that it did', async () => {
    const logs = Array.from({ length: 300 }, () => ({ address: TOKEN, topics: [], data: '0x' }))
    const { run } = nodeOf(() => answerOf({ ...ran, logs }))
    const callOf = async (terms = {}) => (await run([block], terms))[0]!.calls[0]!
    const cut = await callOf()
    expect([cut.logs.length, cut.isCut]).toEqual([256, true])
    const whole = await callOf({ maxLogs: 1_000 })
    expect([whole.logs.length, whole.isCut]).toEqual([300, false])
  })
})
