import {
  buildRoot,
  type Delegation,
  decodeRedeem,
  delegationDomainHash,
  delegationHash,
  delegationManagerAbi,
  delegationOf,
  encodeCaveat,
  encodeEnable,
  encodeRedeem,
  type Hex,
  leafId,
  NOT_ENFORCED_ON_CHAIN,
  type NotEnforced,
  ON_CHAIN_BOUNDS,
  type OnChainBound,
  ROOT_AUTHORITY,
  readLeaf,
  readSwap,
  sessionLeaf,
  v3QuoterAbi,
} from '@pit/chain'
import { encodeBatch, encodeCurveTrade, encodeErc20Approve } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { curveBuy, curveTrade, grantCurves, launchCurves, sendEth, swapEth } from './sessionChain/acts.ts'
import { allowed } from './sessionChain/allowed.ts'
import { type Attempts, openAttack } from './sessionChain/attack.ts'
import { forbiddenAmounts } from './sessionChain/forbiddenAmounts.ts'
import { forbiddenReach } from './sessionChain/forbiddenReach.ts'
import { BUDGET, CAPS, ETH, openStage, type Stage } from './sessionChain/stage.ts'

/**
 * Sessions on the real Delegation Framework, router and curves. The attacker holds the co-signer's and the
 * executor's keys: the owner's signed limits must hold against both, and everything they do not cover must be
 * documented.
 */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.it.chain.close())

const codeOf = (address: Hex): Promise<Hex> => stage.chain.request<Hex>('eth_getCode', [address, 'latest'])

describe('hashes', () => {
  const ask = <T>(functionName: string, args: unknown[] = []): Promise<T> =>
    stage.it.read<T>({ to: stage.place.manager, abi: [...delegationManagerAbi], functionName, args })

  test('match the manager’s', async () => {
    const { place, crypto } = stage
    expect(delegationDomainHash(crypto, place)).toBe(await ask('getDomainHash'))
    const session = stage.grant()
    const { root } = session
    const roots = grantCurves(stage, session, [stage.at.weth])
    const trade = curveTrade(stage, roots, {
      execution: curveBuy(stage, stage.at.weth, 5n),
      feeWei: 1n,
      sequence: 9,
    })
    const odd: Delegation = {
      ...root,
      caveats: [],
      salt: (1n << 256n) - 1n,
      authority: `0x${'01'.repeat(32)}`,
    }
    for (const one of [root, roots.curve, roots.fee, ...trade.delegations, ...trade.payment, odd]) {
      expect(delegationHash(crypto, one)).toBe(await ask('getDelegationHash', [one]))
    }
  })
})

describe('an honest session', () => {
  test('trades from its first transaction on: the wallet pays, the executor only sends', async () => {
    const { place, who, at, balance } = stage
    const session = stage.grant()
    const amountIn = CAPS.tradeWei
    const feeWei = feeOf(amountIn, 25)
    const params = {
      tokenIn: at.weth,
      tokenOut: at.usdg,
      amountIn: amountIn - feeWei,
      fee: 500,
      sqrtPriceLimitX96: 0n,
    }
    const quoter = stage.it.world.profile.contracts.v3_quoter as Hex
    const [quoted] = await stage.it.read<[bigint]>({
      to: quoter,
      abi: [...v3QuoterAbi],
      functionName: 'quoteExactInputSingle',
      args: [params],
    })
    const execution = swapEth(stage, { amountIn, amountOutMin: quoted, bps: 25 })
    const leaf = sessionLeaf(place, { root: session.read, execution, sequence: 1, nowS: stage.nowS() })
    const redemption = { delegations: [stage.sign('cosigner', leaf), session.root], execution }
    const data = encodeRedeem([redemption])

    expect(delegationOf(await codeOf(who.wallet))).toBeNull()
    expect(await stage.tryRedeem([redemption])).toBe('no reason')
    const before = [
      await balance(who.wallet),
      await balance(who.wallet, at.usdg),
      await balance(at.feeRecipient),
    ]
    const carried = await balance(who.executor)
    const receipt = await stage.send('executor', { to: place.manager, data, upgrade: 'wallet' })
    expect(receipt.status).toBe('0x1')
    expect(delegationOf(await codeOf(who.wallet))).toBe(place.delegator)
    expect(await balance(who.wallet)).toBe(before[0]! - amountIn)
    expect(await balance(who.wallet, at.usdg)).toBe(before[1]! + quoted)
    expect(await balance(at.feeRecipient)).toBe(before[2]! + feeWei)
    const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    expect(await balance(who.executor)).toBe(carried - gas)

    // The transaction itself shows all of it.
    const read = decodeRedeem(data)
    expect(read).toEqual({ ok: true, redemptions: [redemption] })
    expect(readLeaf(place, redemption.delegations[0]!)).toMatchObject({
      kind: 'router',
      execution,
      sequence: 1,
    })
    expect(readSwap(execution.data, { weth: at.weth })).toMatchObject({ amountIn, amountOutMin: quoted })
  })

  test('shares nothing with another session of the same co-signer, not even ids', async () => {
    const { place } = stage
    const execution = sendEth(stage, 1n)
    for (const session of [stage.grant(), stage.grant()]) {
      const leaf = sessionLeaf(place, { root: session.read, execution, sequence: 0, nowS: stage.nowS() })
      const receipt = await stage.redeem([
        { delegations: [stage.sign('cosigner', leaf), session.root], execution },
      ])
      expect(receipt.status).toBe('0x1')
    }
    // This is why ids include their root: the enforcer counts them per co-signer and not per session.
    const [one, other] = [stage.grant(), stage.grant()]
    const plain = (root: Delegation) =>
      stage.freeLeaf(root, { caveats: [encodeCaveat(place, { enforcer: 'Id', id: 1n })] })
    await stage.redeem([{ delegations: [plain(one.root), one.root], execution }])
    expect(await stage.tryRedeem([{ delegations: [plain(other.root), other.root], execution }])).toBe(
      'IdEnforcer:id-already-used',
    )
    expect(leafId(one.read.hash, 1)).not.toBe(leafId(other.read.hash, 1))
  })

  test('buys and sells on several curves under one root, its fee enforced', async () => {
    const { who, at, balance, it } = stage
    const curves = await launchCurves(stage)
    const roots = grantCurves(stage, stage.grant(), curves)
    let sequence = 0
    for (const curve of curves) {
      const { token } = await it.read<{ token: Hex }>({
        to: curve,
        abi: it.abi('Curve'),
        functionName: 'terms',
      })
      const execution = curveBuy(stage, curve, CAPS.tradeWei - 12_345n)
      const before = [await balance(who.wallet), await balance(at.feeRecipient)]
      const trade = curveTrade(stage, roots, { execution, feeWei: 12_345n, sequence: sequence++ })
      expect((await stage.redeem([trade])).status).toBe('0x1')
      expect(await balance(who.wallet)).toBe(before[0]! - CAPS.tradeWei)
      expect(await balance(at.feeRecipient)).toBe(before[1]! + 12_345n)
      const bought = await balance(who.wallet, token)
      expect(bought).toBeGreaterThan(0n)

      await stage.send('wallet', { to: token, data: encodeErc20Approve(curve, bought) })
      const data = encodeCurveTrade({
        launchpad: 'pit',
        side: 'sell',
        amountIn: bought,
        amountOutMin: 1n,
        recipient: who.wallet,
        deadlineS: 1n << 40n,
      })
      const sell = { target: curve, valueWei: 0n, data }
      const sale = curveTrade(stage, roots, { execution: sell, feeWei: 777n, sequence: sequence++ })
      expect((await stage.redeem([sale])).status).toBe('0x1')
      expect(await balance(who.wallet, token)).toBe(0n)
      expect(await balance(at.feeRecipient)).toBe(before[1]! + 12_345n + 777n)
      expect(await stage.tryRedeem([sale])).toBe('IdEnforcer:id-already-used')
    }
  })
})

describe('with both keys stolen the chain still enforces', () => {
  let attempts: Record<OnChainBound, Attempts>
  beforeAll(async () => {
    await stage.approveBudget(BUDGET)
    const attack = await openAttack(stage, stage.grant())
    attempts = { ...forbiddenReach(attack), ...forbiddenAmounts(attack) }
  })

  test.each(Object.keys(ON_CHAIN_BOUNDS) as OnChainBound[])('%s', async (bound) => {
    const outcomes: Record<string, string> = {}
    for (const [what, , attempt] of attempts[bound]) outcomes[what] = await attempt()
    expect(outcomes).toEqual(Object.fromEntries(attempts[bound].map(([what, reason]) => [what, reason])))
    expect(attempts[bound].length).toBeGreaterThan(0)
  })

  test('while a call inside the bounds succeeds, up to each limit', async () => {
    const edge = stage.grant({ max_trades: 1, expiresS: stage.nowS() + 1, nowS: stage.nowS() + 60 })
    expect(await stage.tryFree(edge.root, sendEth(stage, CAPS.tradeWei))).toBe('works')
  })
})

describe('what the chain does not enforce', () => {
  beforeAll(() => stage.approveBudget(BUDGET))
  test.each(Object.keys(NOT_ENFORCED_ON_CHAIN) as NotEnforced[])('%s', async (name) => {
    await allowed(stage)[name]()
  })
})

describe('why it is built so', () => {
  beforeAll(() => stage.approveBudget(BUDGET))
  test('a root that may call the wallet or the manager escapes every cap, so none is created', async () => {
    const { who, place } = stage
    const { read } = stage.grant()
    const caps = { ...read.eth!, dayWei: 1n, tradeWei: 0n }
    const inner = { target: who.mallory, valueWei: 3n * ETH, data: '0x' as const }
    const ways: [Hex, Hex][] = [
      [who.wallet, encodeBatch([{ to: inner.target, valueWei: inner.valueWei, data: '0x' }])],
      [place.manager, encodeRedeem([{ delegations: [], execution: inner }])],
    ]
    for (const [target, data] of ways) {
      expect(() => buildRoot(place, { ...read, router: target })).toThrow('escapes its caps')
      const caveats = buildRoot(place, { ...read, eth: caps }).caveats.filter(
        ({ enforcer }) => enforcer !== place.enforcers.AllowedMethods,
      )
      const wrong = stage.sign('wallet', {
        delegate: who.cosigner,
        delegator: who.wallet,
        authority: ROOT_AUTHORITY,
        caveats: caveats.with(1, encodeCaveat(place, { enforcer: 'AllowedTargets', targets: [target] })),
        salt: 0n,
        signature: '0x',
      })
      const authority = delegationHash(stage.crypto, wrong)
      const leaf = stage.sign('cosigner', {
        ...wrong,
        delegate: who.executor,
        delegator: who.cosigner,
        authority,
        caveats: [],
      })
      const execution = { target, valueWei: 0n, data }
      expect(await stage.tryRedeem([{ delegations: [leaf, wrong], execution }])).toBe('works')
    }
  })

  test('a signature with v of 0 or 1 is refused by the contracts', async () => {
    const { root } = stage.grant()
    const short = (one: Delegation): Delegation => ({
      ...one,
      signature: `${one.signature.slice(0, -2) as Hex}${one.signature.endsWith('1b') ? '00' : '01'}`,
    })
    const execution = sendEth(stage, 1n)
    const [leaf, raw] = [stage.freeLeaf(root), short(root)]
    // OpenZeppelin's ECDSAInvalidSignature().
    for (const delegations of [
      [leaf, raw],
      [short(leaf), root],
    ])
      expect(await stage.tryRedeem([{ delegations, execution }])).toBe('0xf645eedf')
  })

  test('removing the code does not end a session: it returns with the code, so the root is disabled', async () => {
    const { who, place } = stage
    const { root } = stage.grant()
    const execution = sendEth(stage, 1n)
    expect(await stage.tryFree(root, execution)).toBe('works')
    await stage.send('wallet', { to: who.wallet, upgrade: 'wallet', delegator: `0x${'0'.repeat(40)}` })
    expect(await codeOf(who.wallet)).toBe('0x')
    expect(await stage.tryFree(root, execution)).toBe('no reason')
    await stage.send('wallet', { to: who.wallet, upgrade: 'wallet' })
    expect(await stage.tryFree(root, execution)).toBe('works')
    await stage.disable(root)
    expect(await stage.tryFree(root, execution)).toBe('CannotUseADisabledDelegation')
    // Only the owner can enable it again; Pit then still lists the session as revoked.
    await stage.send('wallet', { to: place.manager, data: encodeEnable(root) })
    expect(await stage.tryFree(root, execution)).toBe('works')
  })
})
