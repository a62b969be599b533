import { readFileSync } from 'node:fs'
import { type Address, type Hex, NATIVE, parseSignedTx } from '@pit/chain'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { fromViem } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { openNode } from '../own/node.ts'
import { type Rpc, RpcFailure } from '../own/rpc.ts'
import { pinsOf } from '../pins.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { sendBack } from './sendBack.ts'
import type { SendBackItem } from './sendBackPlan.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const account = fromViem(privateKeyToAccount(`0x${'11'.repeat(32)}`))
const [USDG, OTHER] = [...pins.tokens].flatMap(([address, { core }]) =>
  core !== null && address !== NATIVE && address !== pins.weth ? [address] : [],
) as [Address, Address]
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const [RETURN, STUCK] = [at('4'), at('6')]
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A node on which transfers, approvals and the nonce take effect as they are sent. */
function chain({ balances, failsAfter = 99 }: { balances: Map<Address, bigint>; failsAfter?: number }) {
  const sent: { to: Address; data: string; value: bigint }[] = []
  const state = { allowance: 7n, nonce: 0n }
  const take = (raw: Hex): Hex => {
    const parsed = parseSignedTx(raw)
    if (!parsed.ok) throw new Error('unreadable')
    const { to, data, value } = parsed.tx
    if (sent.length >= failsAfter) throw new Error('the page was closed')
    sent.push({ to: to!, data, value })
    if (data.startsWith('0xa9059cbb')) balances.set(to!, 0n)
    if (data.startsWith('0x095ea7b3')) state.allowance = 0n
    if (data.startsWith('0xf5743c4c')) state.nonce += 1n
    return raw
  }
  const call = ({ to, data }: { to: Address; data: Hex }): Hex => {
    if (to === pins.addresses.enforcers.Nonce) return word(state.nonce)
    if (to === pins.permit2) return `0x${'0'.repeat(192)}`
    if (data.startsWith('0xdd62ed3e')) return word(to === USDG ? state.allowance : 0n)
    return word(balances.get(to) ?? 0n)
  }
  const rpc: Rpc = {
    all: async (calls) =>
      calls.map(({ method, params }) => {
        const [request] = params as [{ to: Address; data: Hex }]
        if (method === 'eth_call') return call(request)
        if (method === 'eth_estimateGas')
          return request.to === STUCK ? new RpcFailure('execution reverted') : '0x5208'
        if (method === 'eth_getCode') return '0xef0100'
        if (method === 'eth_getBalance') return '0xde0b6b3a7640000'
        if (method === 'eth_sendRawTransaction') return take(params[0] as Hex)
        if (method === 'eth_getBlockByNumber') return { timestamp: '0x1', baseFeePerGas: '0x7' }
        if (method === 'eth_getTransactionCount') return `0x${sent.length.toString(16)}`
        if (method === 'eth_getTransactionReceipt')
          return { status: '0x1', blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] }
        return new RpcFailure(`no ${method}`)
      }),
  }
  return { rpc, sent }
}

const depsOn = (rpc: Rpc): ClientDeps => ({
  api: {
    'me.sessions': async () => {
      throw new PitRefusal('INTERNAL', 'The service failed.')
    },
  } as never,
  account,
  endingAccount: account,
  pins,
  rpc: openNode(rpc, pins, () => 1_000),
  nowMs: () => 1_000,
  sleep: async () => {},
  records: openRecords(memoryRecords(), account.address),
  checked: async () => {},
})

const held = () =>
  new Map<Address, bigint>([
    [USDG, 5_000_000n],
    [OTHER, 1n],
    [STUCK, 9n],
  ])
const REQUEST = { to: RETURN, tokens: [STUCK], dust: [OTHER] }

it('ends sessions, then approvals, then moves tokens, ETH last, without the service', async () => {
  const { rpc, sent } = chain({ balances: held() })
  const { steps, left } = await sendBack(depsOn(rpc), REQUEST)
  expect(sent.map(({ to, data }) => [to, data.slice(0, 10)])).toEqual([
    [pins.addresses.enforcers.Nonce, '0xf5743c4c'],
    [USDG, '0x095ea7b3'],
    [USDG, '0xa9059cbb'],
    [RETURN, '0x'],
  ])
  // All but the fee: 26,250 gas at twice the base fee.
  expect(sent.at(-1)!.value).toBe(10n ** 18n - 26_250n * 14n)
  expect(steps.filter(({ state }) => state === 'done')).toHaveLength(4)
  expect(left.map(({ kind, why }) => [kind, why])).toEqual([
    ['token', expect.stringContaining('is worth less than its gas')],
    ['token', expect.stringContaining('execution reverted')],
  ])
})

it('continues after an interruption with what is left on the chain', async () => {
  const balances = held()
  const first = chain({ balances, failsAfter: 3 })
  await sendBack(depsOn(first.rpc), REQUEST).catch(() => {})
  expect(first.sent).toHaveLength(3)
  const second = chain({ balances })
  await sendBack(depsOn(second.rpc), REQUEST)
  expect(second.sent.filter(({ data }) => data.startsWith('0xa9059cbb'))).toEqual([])
  expect(second.sent.at(-1)!.to).toBe(RETURN)
})

it('ends with the owner’s own no', async () => {
  const { rpc, sent } = chain({ balances: held() })
  const declining = { ...account, signTransaction: () => Promise.reject(new Error('Declined.')) }
  await expect(sendBack({ ...depsOn(rpc), endingAccount: declining }, REQUEST)).rejects.toThrow('Declined.')
  expect(sent).toEqual([])
})

it('lists every amount and receiver before anything is signed', async () => {
  const { rpc, sent } = chain({ balances: held() })
  const items: SendBackItem[] = []
  const confirm = (list: readonly SendBackItem[]) => {
    items.push(...list)
    return false
  }
  await expect(sendBack(depsOn(rpc), REQUEST, { confirm })).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
  expect(sent).toEqual([])
  expect(items).toEqual([
    { kind: 'session', name: 'all sessions with controls', id: null },
    { kind: 'approval', name: 'USDG', token: USDG },
    { kind: 'token', name: 'USDG', token: USDG, atoms: 5_000_000n, amount: '5 USDG', to: RETURN },
    { kind: 'token', name: STUCK, token: STUCK, atoms: 9n, amount: `9 atoms of ${STUCK}`, to: RETURN },
    { kind: 'ether', name: 'ETH', token: NATIVE, atoms: 10n ** 18n, amount: '1 ETH less gas', to: RETURN },
  ])
})

it('sends no more of a token than was confirmed', async () => {
  const balances = held()
  const { rpc, sent } = chain({ balances })
  const confirm = () => {
    balances.set(USDG, 7_000_000n)
    return true
  }
  const { left } = await sendBack(depsOn(rpc), REQUEST, { confirm })
  const [transfer] = sent.filter(({ data }) => data.startsWith('0xa9059cbb'))
  expect(BigInt(`0x${transfer!.data.slice(74)}`)).toBe(5_000_000n)
  expect(left.map(({ why }) => why)).toContain('2 USDG arrived after the list was read.')
})

it('names a balance that the node could not read', async () => {
  const { rpc } = chain({ balances: held() })
  const failing: Rpc = {
    all: async (calls) => {
      const answers = await rpc.all(calls)
      return answers.map((answer, i) => {
        const [request] = calls[i]!.params as [{ to: Address; data: Hex }]
        const isBalance = request.to === USDG && request.data?.startsWith('0x70a08231')
        return isBalance ? new RpcFailure('header not found', { code: -32_000 }) : answer
      })
    },
  }
  const { left } = await sendBack(depsOn(failing), REQUEST)
  expect(left).toContainEqual(
    expect.objectContaining({ kind: 'token', name: 'USDG', why: expect.stringContaining('could not read') }),
  )
})
