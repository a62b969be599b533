import { decodeExecute, type RouterCommand } from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import { type Hex, keccak256, parseTransaction, serializeTransaction, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { privateKeyOf } from './fastTrader.ts'
import { codesOf, type FastWorld } from './fastWorld.ts'

/** Refusals because of the call itself. */
export function refusedCalls(w: FastWorld): void {
  describe('refused before anything is relayed', () => {
    it('unreadable and badly encoded transactions', async () => {
      for (const raw_tx of ['0x', '0x80', '0xb8ff']) {
        expect(await w.refused('ETH/USDG', { body: { raw_tx } })).toMatchObject({
          code: 'BAD_REQUEST',
          field: 'raw_tx',
        })
      }
      expect(await w.refused('ETH/USDG', { body: { raw_tx: 'zz' } })).toMatchObject({ code: 'BAD_REQUEST' })
      const { body, hash } = await w.trader.build('ETH/USDG')
      const raw = body.raw_tx
      for (const bad of [
        `${raw}00`,
        raw.slice(0, -2),
        await withHighS(raw),
        await withAccessList(raw, w.trader),
      ]) {
        expect(await w.refusedBody({ ...body, raw_tx: bad }, hash)).toMatchObject({ code: 'TX_ENCODING' })
      }
    })

    it('other types, chains, targets, values and signers', async () => {
      const { body } = await w.trader.build('ETH/USDG')
      const {
        chainId: _,
        maxFeePerGas: __,
        maxPriorityFeePerGas: ___,
        type: ____,
        ...call
      } = parseTransaction(body.raw_tx) as never as {
        to: Hex
        data: Hex
        value: bigint
        gas: bigint
        nonce: number
      } & Record<string, unknown>
      const legacy = await privateKeyToAccount(w.trader.privateKey).signTransaction({
        to: call.to,
        data: call.data,
        value: call.value,
        gas: call.gas,
        nonce: call.nonce,
        type: 'legacy',
        gasPrice: 10n ** 9n,
        chainId: 4663,
      })
      expect(await w.refusedBody({ ...body, raw_tx: legacy })).toMatchObject({ code: 'TX_TYPE' })
      expect(await w.refused('ETH/USDG', { tx: { chainId: 1 } })).toMatchObject({ code: 'CHAIN_ID' })
      expect(await w.refused('ETH/USDG', { tx: { to: w.trader.wallet } })).toMatchObject({ code: 'ROUTER' })
      expect(await w.refused('ETH/USDG', { tx: { value: 1n } })).toMatchObject({ code: 'VALUE' })
      expect(await w.refused('ETH/USDG', { privateKey: privateKeyOf(4) })).toMatchObject({
        code: 'WALLET_MISMATCH',
      })
    })

    it('pairs, sizes and times', async () => {
      expect(await w.refused('ETH/USDG', { body: { token_out: 'cbBTC' } })).toMatchObject({
        code: 'FAST_PAIR',
      })
      expect(await w.refused('ETH/USDG', { body: { token_out: 'PARTNER' } })).toMatchObject({
        code: 'FAST_PAIR',
      })
      for (const usd of [0.9, 2_600]) {
        expect(await w.refused('ETH/USDG', { usd })).toMatchObject({ code: 'NOTIONAL' })
      }
      expect(await w.refused('ETH/NVDA', { usd: 1_100 })).toMatchObject({ code: 'ROUTE_CAP' })
      const nowS = Math.floor(Date.now() / 1000)
      for (const deadline of [nowS - 1, nowS + 90]) {
        expect(await w.refused('ETH/USDG', { deadline })).toMatchObject({ code: 'DEADLINE' })
      }
      const sized = await w.refused('ETH/USDG', { body: { amount_usd: 110 } })
      expect(sized).toMatchObject({ code: 'AMOUNT_USD' })
      expect(await w.refused('ETH/USDG', { body: { max_notional_usd: 50 } })).toMatchObject({
        code: 'CLIENT_CAP',
      })
    })

    it('gas, fee and minimum, each with the terms that would pass', async () => {
      const base = await w.trader.baseFee()
      for (const tx of [
        { gas: 90_000n },
        { gas: 1_100_000n },
        { maxFeePerGas: base - 1n },
        { maxFeePerGas: base * 11n },
      ]) {
        const error = await w.refused('ETH/USDG', { tx })
        expect(error).toMatchObject({
          code: 'GAS',
          terms: { base_fee_wei: expect.stringMatching(/^[1-9]\d*$/) },
        })
      }
      const fee = w.trader.terms().fee.bps
      const wrong = await w.refused('ETH/USDG', { feeBps: fee - 1 })
      expect(wrong).toMatchObject({ code: 'FEE_BPS', terms: { fee: { bps: fee } } })
      const hidden = await w.refused('USDG/ETH', { feeBps: fee - 1, body: { fee_bps: fee } })
      expect(codesOf(hidden)).toEqual(['FEE_BPS', 'NOT_AS_BUILT'])
      const shielded = await w.refused('ETH/USDG', { body: { shield: true } })
      expect(shielded).toMatchObject({ code: 'FEE_BPS', terms: { fee: { bps: fee + 10 } } })
      expect((await w.trader.readTerms('?shield=1')).fee).toMatchObject({ bps: fee + 10, tier_bps: fee })

      const low = await w.refused('ETH/USDG', { underBps: 500 })
      expect(low.code).toBe('MIN_OUT')
      const { floor } = low['terms'] as { floor: string }
      const atFloor = { minOut: BigInt(floor), body: { check_only: true } }
      expect((await w.trader.trade('ETH/USDG', atFloor)).status).toBe(200)
      expect(await w.refused('ETH/USDG', { ...atFloor, minOut: BigInt(floor) - 1n })).toMatchObject({
        code: 'MIN_OUT',
      })
    })

    it('permits that are not for exactly this trade', async () => {
      const nowS = Math.floor(Date.now() / 1000)
      const next = await w.trader.permitNonce(w.world.core('USDG'))
      for (const permitWith of [
        { amount: 5n },
        { expiration: nowS + 4_000 },
        { sig_deadline: nowS + 4_000 },
        { nonce: next + 1 },
        { key: privateKeyOf(4) },
      ]) {
        expect(codesOf(await w.refused('USDG/ETH', { permit: true, permitWith }))).toContain('PERMIT')
      }
      const permit = { amount: '5', expiration: nowS + 100, nonce: 0, sig_deadline: nowS + 100 }
      const riding = { ...permit, signature: `0x${'11'.repeat(64)}1b` }
      expect(codesOf(await w.refused('ETH/USDG', { body: { permit: riding } }))).toContain('PERMIT')
      expect(await w.refused('USDG/ETH', { permit: true, permitWith: { nonce: next + 1 } })).toMatchObject({
        code: 'PERMIT',
      })
    })

    it('calldata of another shape, with the differing field', async () => {
      const other = w.trader.wallet
      const cases: [string, string, (commands: RouterCommand[]) => RouterCommand[]][] = [
        ['ETH/USDG', 'FEE_RECIPIENT', edit('TRANSFER', { recipient: other })],
        ['ETH/USDG', 'FEE_TOKEN', edit('TRANSFER', { token: w.world.core('USDG') })],
        ['ETH/USDG', 'FEE_COUNT', (commands) => [...commands, commands[0]!]],
        ['ETH/USDG', 'FEE_COUNT', (commands) => commands.slice(1)],
        ['WETH/USDG', 'RECIPIENT', edit('V3_SWAP_EXACT_IN', { recipient: other })],
        ['USDG/ETH', 'RECIPIENT', edit('SWEEP', { recipient: other })],
        [
          'WETH/USDG',
          'ROUTE',
          edit('V3_SWAP_EXACT_IN', {
            path: { tokens: [w.world.core('WETH'), w.world.core('USDG')], fees: [3000] },
          }),
        ],
        ['USDG/ETH', 'COMMANDS', (commands) => [...commands, commands[commands.length - 1]!]],
        [
          'ETH/USDG',
          'FEE_SIDE',
          ([fee, ...rest]) => [
            ...rest,
            {
              command: 'PAY_PORTION',
              token: w.world.core('USDG'),
              recipient: (fee as { recipient: Hex }).recipient,
              bips: 25n,
            },
          ],
        ],
        ['WETH/USDG', 'AS_BUILT', edit('V3_SWAP_EXACT_IN', { amountOutMin: 7n })],
      ]
      for (const [pair, diff, change] of cases) {
        const error = await w.refused(pair, { tx: { data: (data) => recoded(data, change) } })
        expect(codesOf(error), diff).toContain('NOT_AS_BUILT')
        if (error.code === 'NOT_AS_BUILT') expect(error['diffs'], diff).toContain(diff)
        const failure = (error['failures'] as { code: string; value: string[] }[]).find(
          ({ code }) => code === 'NOT_AS_BUILT',
        )
        expect(failure?.value, `${pair} ${diff}`).toContain(diff)
      }
      const dirty = await w.refused('ETH/USDG', { tx: { data: (data) => `${data}00` } })
      expect(dirty).toMatchObject({ code: 'NOT_AS_BUILT', diffs: ['CALLDATA'] })
    })

    it('several faults: the first one is the answer, all are listed', async () => {
      const error = await w.refused('ETH/USDG', { deadline: 5, tx: { gas: 1n }, body: { amount_usd: 1 } })
      expect(error.code).toBe('DEADLINE')
      expect(codesOf(error)).toEqual(expect.arrayContaining(['DEADLINE', 'GAS', 'AMOUNT_USD']))
    })
  })
}

/** The other form of the same signature: valid on the curve, refused by a canonical parser. */
async function withHighS(raw: Hex): Promise<Hex> {
  const {
    r,
    s,
    yParity,
    v: _,
    ...tx
  } = parseTransaction(raw) as never as {
    r: Hex
    s: Hex
    yParity: number
    v: bigint
  }
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const high = toHex(order - BigInt(s), { size: 32 })
  const signature = { r, s: high, yParity: yParity === 0 ? 1 : 0 }
  const changed = serializeTransaction(tx as never, signature as never)
  if (keccak256(changed) === keccak256(raw)) throw new Error('nothing changed')
  return changed
}

async function withAccessList(raw: Hex, trader: { wallet: Hex; privateKey: Hex }): Promise<Hex> {
  const {
    r: _,
    s: __,
    yParity: ___,
    v: ____,
    ...tx
  } = parseTransaction(raw) as never as Record<string, unknown>
  const accessList = [{ address: trader.wallet, storageKeys: [] }]
  return privateKeyToAccount(trader.privateKey).signTransaction({ ...tx, accessList } as never)
}

/** The call with changed commands, in the router's encoding. */
function recoded(data: Hex, change: (commands: RouterCommand[]) => RouterCommand[]): Hex {
  const decoded = decodeExecute(data)
  if (!decoded.ok) throw new Error(decoded.why)
  return encodeExecute({ ...decoded.call, commands: change([...decoded.call.commands]) })
}
const edit =
  (name: RouterCommand['command'], fields: object) =>
  (commands: RouterCommand[]): RouterCommand[] =>
    commands.map((command) =>
      command.command === name ? ({ ...command, ...fields } as RouterCommand) : command,
    )
