import type { Address } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { NATIVE_TOKEN } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { addressOf, addTrade, mark, openTestAccount, START_MS, TOKENS } from '../test/openTestAccount.ts'

const START_S = START_MS / 1_000
const WALLET: Address = addressOf(0xc0001)
const OTHER: Address = addressOf(0xc0002)

withDb('the value of wallets over time', (db) => {
  beforeEach(() =>
    db.exec('truncate trades cascade; truncate wallet_samples, wallet_sample_cursor, history_points'),
  )
  function open() {
    const account = openTestAccount(db)
    const { marks, unread } = account.market
    marks.set(NATIVE_TOKEN, mark(NATIVE_TOKEN, '3000'))
    marks.set(TOKENS.USDG, mark(TOKENS.USDG, '1'))
    for (const token of Object.values(TOKENS)) account.node.tokens.set(token, 0n)
    account.node.ethWei = 10n ** 18n
    const job = account.jobs.worker.find(({ name }) => name === 'sample wallets')!
    const sampleAt = async (atS: number) => {
      account.clock.ms = (START_S + atS) * 1_000
      await job.run(new AbortController().signal)
    }
    const values = async (wallet = WALLET) =>
      (await account.valueHistory(wallet, 'day')).map(([atS, value]) => [atS - START_S, value / 1e6])
    return { ...account, marks, unread, sampleAt, values }
  }

  it('is recorded each minute after a trade, reading the chain only when balances may have changed', async () => {
    const { sampleAt, values, node, marks, close } = open()
    await addTrade(db, { wallet: WALLET })
    await addTrade(db, { wallet: OTHER, status: 'refused' })
    await sampleAt(60)
    const reads = node.requests.length
    expect(reads).toBeGreaterThan(0)
    marks.set(NATIVE_TOKEN, mark(NATIVE_TOKEN, '3100'))
    await sampleAt(120)
    // A second process in the same minute.
    await sampleAt(121)
    expect(node.requests.length).toBe(reads)
    // A deposit is seen within the hour.
    node.ethWei = 2n * 10n ** 18n
    await sampleAt(180)
    await sampleAt(60 + 3_601)
    expect(await values()).toEqual([
      [60, 3_000],
      [120, 3_100],
      [180, 3_100],
      [3_660, 6_200],
    ])
    expect(await values(OTHER)).toEqual([])
    await close()
  })

  it('is recorded less often for a wallet that rests', async () => {
    const { sampleAt, values, close } = open()
    await addTrade(db, { wallet: WALLET, atMs: START_MS - 2 * 3_600_000 })
    for (const atS of [60, 120, 240, 360, 420]) await sampleAt(atS)
    expect((await values()).map(([atS]) => atS)).toEqual([60, 360])
    await close()
  })

  it('is not recorded while a price or the node is missing', async () => {
    const { sampleAt, values, marks, unread, node, close } = open()
    await addTrade(db, { wallet: WALLET })
    node.trouble = 'silent'
    await expect(sampleAt(60)).rejects.toThrow()
    node.trouble = null
    marks.delete(NATIVE_TOKEN)
    unread.set(NATIVE_TOKEN, 'the feed reverts')
    await sampleAt(120)
    expect(await values()).toEqual([])
    marks.set(NATIVE_TOKEN, mark(NATIVE_TOKEN, '3000'))
    await sampleAt(180)
    expect(await values()).toEqual([[180, 3_000]])
    await close()
  })
})
