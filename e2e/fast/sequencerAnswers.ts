import { setTimeout as sleep } from 'node:timers/promises'
import { describeInFull } from '@pit/platform/test/tier'
import { expect, it } from 'vitest'
import { receiptOf } from '../trading/trader.ts'
import type { FastWorld } from './fastWorld.ts'

export function sequencerAnswers(w: FastWorld): void {
  describeInFull('an answer of the sequencer', () => {
    const sequencer = (state: object) => w.world.devnet.rpc('devnet_sequencer', [state])

    it('refused: SUBMIT_REJECTED, and the same bytes may be sent again', async () => {
      const built = await w.trader.build('ETH/USDG')
      await sequencer({ mode: 'refuse' })
      const { status, body } = await w.trader.send(built.body)
      await sequencer({ mode: 'ok' })
      expect([status, body.error?.code]).toEqual([422, 'SUBMIT_REJECTED'])
      w.provoked.add('SUBMIT_REJECTED')
      expect((await w.trader.send(built.body)).body).toMatchObject({ relayed: true, repeat: false })
      await receiptOf(w.world.devnet, built.hash)
    })

    it('none: SEQUENCER_UNREACHABLE, and the chain shows the result later', async () => {
      const built = await w.trader.build('ETH/USDG')
      await sequencer({ mode: 'lossy' })
      const { status, body } = await w.trader.send(built.body)
      await sequencer({ mode: 'ok' })
      expect([status, body.error?.code]).toEqual([502, 'SEQUENCER_UNREACHABLE'])
      w.provoked.add('SEQUENCER_UNREACHABLE')
      await receiptOf(w.world.devnet, built.hash)
      expect((await w.trader.send(built.body)).body).toMatchObject({ tx_hash: built.hash, repeat: true })
      expect(await w.seen(built.hash)).toBe(1)
    })

    it('delayed: the same bytes get IN_FLIGHT meanwhile', async () => {
      const built = await w.trader.build('ETH/USDG')
      await sequencer({ mode: 'slow', delay_ms: 1_500 })
      const first = w.trader.send(built.body)
      while ((await w.seen(built.hash)) === 0) await sleep(20)
      const second = await w.trader.send(built.body)
      await sequencer({ mode: 'ok' })
      expect([second.status, second.body.error?.code]).toEqual([409, 'IN_FLIGHT'])
      w.provoked.add('IN_FLIGHT')
      expect((await first).body).toMatchObject({ relayed: true, repeat: false })
      await receiptOf(w.world.devnet, built.hash)
      expect(await w.seen(built.hash)).toBe(1)
    })

    it('nonce already used: NONCE, with the transaction on chain', async () => {
      const nonce = await w.trader.nonce()
      const built = await w.trader.build('ETH/USDG', { tx: { nonce }, body: { simulate: false } })
      await w.trader.sendOwn({ to: w.trader.wallet, nonce })
      const { status, body } = await w.trader.send(built.body)
      expect([status, body.error?.code]).toEqual([422, 'NONCE'])
      expect(body.error?.['chain']).toEqual({ spent: true, nonce: nonce + 1 })
      w.provoked.add('NONCE')
    })
  })
}
