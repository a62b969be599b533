import { readFileSync } from 'node:fs'
import {
  type Address,
  delegationTypedData,
  encodeDisable,
  endAllCall,
  erc20Abi,
  type Hex,
  NATIVE,
  type OrderList,
  orderTypedData,
  permit2Abi,
  permitTypedData,
  sessionRoot,
} from '@pit/chain'
import { bindingHash, challengeStatement, createBinding, siweMessage } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { TypedData } from '../account.ts'
import { pinsOf } from '../pins.ts'
import { hashing } from '../verify/grant.ts'
import { reviewSigning } from './reviewSigning.ts'
import type { SigningRequest, WalletTransaction } from './terms.ts'

const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const [WALLET, EXECUTOR, COSIGNER, RETURN, THIEF] = [at('1'), at('2'), at('3'), at('4'), at('5')]
const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), { cosigner: COSIGNER })
const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
const NOW_S = 1_800_000_000
const context = { pins, wallet: WALLET, returnAddress: RETURN, host: 'pit.example' }
const review = (request: SigningRequest) => reviewSigning(context, request)
const asJson = (data: object): TypedData =>
  JSON.parse(JSON.stringify(data, (_, one) => (typeof one === 'bigint' ? one.toString() : one)))
const typed = (data: object) => review({ kind: 'typedData', payload: asJson(data) })

const binding = createBinding({
  wallet: WALLET,
  executor: EXECUTOR,
  cosigner: COSIGNER,
  router: pins.router,
  feeRecipient: pins.feeRecipient,
  tokens: [NATIVE, USDG],
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
  expires_at: NOW_S + 3_600,
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: [], shield: false, policies: [] },
})
const root = sessionRoot(pins.addresses, {
  binding,
  bindingHash: bindingHash(hashing.keccakText, binding),
  eth: { dayWei: 8n * 10n ** 15n, tradeWei: 4n * 10n ** 15n },
  nowS: NOW_S,
})

describe('a sign-in message', () => {
  const message = (domain: string, wallet = WALLET) =>
    siweMessage({
      ...{ domain, uri: `https://${domain}`, version: '1', chainId: 4663, nonce: 'abcdefgh1234' },
      address: wallet,
      statement: challengeStatement('sign-in'),
      issuedAtS: NOW_S,
      expiresAtS: NOW_S + 300,
    })
  it('is signed for the page that asks', () => {
    expect(review({ kind: 'message', payload: message('pit.example') }).title).toBe('Sign in to pit.example')
  })
  it.each([
    ['another site', message('evil.example')],
    ['another wallet', message('pit.example', THIEF)],
    ['free text', 'I owe you everything'],
    ['an empty text', ''],
  ])('is refused: %s', (_, payload) => {
    expect(() => review({ kind: 'message', payload })).toThrow('Not signed')
  })
})

describe('a delegation', () => {
  const data = delegationTypedData(pins.addresses, root)
  it('is shown with its executor, its ETH and its end', () => {
    const { lines } = typed(data)
    expect(lines.join(' ')).toContain(EXECUTOR)
    expect(lines.join(' ')).toContain('0.008 ETH a day and 0.004 ETH a trade')
    expect(lines.join(' ')).toContain('2027-01-15 09:00 UTC')
  })
  it.each([
    ['of another wallet', { message: { ...data.message, delegator: THIEF } }],
    ['to another co-signer', { message: { ...data.message, delegate: THIEF } }],
    ['without its caveats', { message: { ...data.message, caveats: [] } }],
    ['without one caveat', { message: { ...data.message, caveats: data.message.caveats.slice(1) } }],
    ['for another manager', { domain: { ...data.domain, verifyingContract: THIEF } }],
    ['on another chain', { domain: { ...data.domain, chainId: 1 } }],
    ['with another field', { message: { ...data.message, extra: 1 } }],
    ['of other types', { types: { ...data.types, Caveat: [...data.types.Caveat].reverse() } }],
    ['under another name', { primaryType: 'Mail' }],
  ])('is refused: %s', (_, change) => {
    expect(() => typed({ ...data, ...change })).toThrow('Not signed')
  })
})

describe('other typed data', () => {
  const permit = (spender: Address) =>
    permitTypedData(
      { chainId: 4663, permit2: pins.permit2 },
      {
        details: { token: USDG, amount: 25_000_000n, expiration: NOW_S, nonce: 0 },
        spender,
        sigDeadline: BigInt(NOW_S),
      },
    )
  it('a permit is signed for the pinned router only', () => {
    expect(typed(permit(pins.router)).lines).toEqual(['Up to 25 USDG, until 2027-01-15 08:00 UTC.'])
    expect(() => typed(permit(THIEF))).toThrow('another spender')
  })
  it('orders are shown in words', () => {
    const list: OrderList = {
      session: `0x${'6'.repeat(64)}`,
      nonce: `0x${'7'.repeat(64)}`,
      replaces: [],
      orders: [
        {
          ...{ tokenIn: USDG, tokenOut: NATIVE, amountIn: 10_000_000n, minAmountOut: 1n },
          trigger: { kind: 'at_or_below', token: NATIVE, priceE18: 2_000n * 10n ** 18n, trailBps: 0 },
          ...{ maxSlippageBps: 50, slices: 1, everyS: 0, startsAt: 0, expiresAt: NOW_S, group: 0, parent: 0 },
        },
      ],
    }
    const [line] = typed(orderTypedData(pins.addresses, list)).lines
    expect(line).toContain('Sell up to 10 USDG')
    expect(line).toContain('at or below 2,000 USD')
  })
})

describe('an authorization', () => {
  const of = (address: Address, chainId = 4663) =>
    review({ kind: 'authorization', payload: { address, chainId, nonce: 3 } })
  it('is signed for the pinned delegator only', () => {
    expect(of(pins.addresses.delegator)).toMatchObject({ authorization: { nonce: 3 } })
    expect(() => of(THIEF)).toThrow('Not signed')
    expect(() => of(pins.addresses.delegator, 1)).toThrow('Not signed')
  })
})

describe('a transaction', () => {
  const of = (to: string, data: Hex, change: Partial<WalletTransaction> = {}) =>
    review({
      kind: 'transaction',
      payload: {
        ...{ to, data, value: '0x0', gas: '0x10000', nonce: '0x0' },
        ...{ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' },
        ...change,
      },
    })
  const transfer = (to: Address) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 5_000_000n] })
  const approve = (spender: Address, amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
  const lockdown = encodeFunctionData({
    abi: permit2Abi,
    functionName: 'lockdown',
    args: [[{ token: USDG, spender: pins.router }]],
  })

  it('to the return address is part of the return', () => {
    expect(of(USDG, transfer(RETURN))).toMatchObject({
      isReturn: true,
      lines: [`5 USDG to ${RETURN}.`, expect.any(String)],
    })
    expect(of(RETURN, '0x', { value: '1000' }).isReturn).toBe(true)
  })
  it.each([
    ['ending a session', pins.addresses.manager, encodeDisable(root)],
    ['ending all sessions', endAllCall(pins.addresses).to, endAllCall(pins.addresses).data],
    ['an approval of nothing', USDG, approve(THIEF, 0n)],
    ['a lockdown', pins.permit2, lockdown],
  ])('%s is part of the return', (_, to, data) => {
    expect(of(to, data).isReturn).toBe(true)
  })
  it('an approval is not, and names a stranger', () => {
    expect(of(USDG, approve(pins.permit2, 1n))).toMatchObject({ isReturn: false, warnings: [] })
    expect(of(USDG, approve(THIEF, 1n)).warnings).toEqual([
      `${THIEF} is not a pinned contract. Check its address.`,
    ])
  })
  it('pays a fee to the pinned recipient', () => {
    expect(of(USDG, transfer(pins.feeRecipient))).toMatchObject({ isReturn: false, title: 'Pay a fee' })
  })
  it.each([
    ['ETH to a stranger', THIEF, '0x', { value: '1' }],
    ['a token to a stranger', USDG, transfer(THIEF), {}],
    ['an unknown call', USDG, '0xdeadbeef', {}],
    ['a call with ETH and data', RETURN, '0xdeadbeef', { value: '1' }],
    ['a router call that cannot be read', pins.router, '0x3593564c', {}],
    ['a batch that pays a stranger', WALLET, '0xe9ae5c53', {}],
    [
      'the end of another wallet’s session',
      pins.addresses.manager,
      encodeDisable({ ...root, delegator: THIEF }),
      {},
    ],
    ['a gas limit of the whole block', RETURN, '0x', { gas: '1000000000' }],
    ['a malformed number', RETURN, '0x', { gas: 'x' }],
  ] as const)('is refused: %s', (_, to, data, change) => {
    expect(() => of(to, data, change)).toThrow('Not signed')
  })
})
