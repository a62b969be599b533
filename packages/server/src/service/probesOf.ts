import { SANCTIONS_ALARM_S } from '@pit/doctor'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { Redis } from 'ioredis'
import type { Probe } from './health.ts'

const PING_TIMEOUT_MS = 1_500
const HEAD_MAX_AGE_S = 30

/** Health probes: without the store the service is down; the rest degrade it. */
export function probesOf({
  db,
  rpc,
  clock,
  profile,
  sanctions,
  market,
  redis,
  fleet,
  sequencer,
  checkSigner,
  checkAudit,
  checkGateway,
}: {
  db: Pick<Db, 'ping'>
  rpc: Pick<Rpc, 'request'>
  clock: Clock
  profile: Pick<ChainProfile, 'kind'>
  sanctions: { state(): { status: string; why?: string; takenAtS: number } }
  market: Pick<Market, 'head' | 'unreadMarks'>
  redis: Pick<Redis, 'ping'> | null
  fleet: { isClockOff(): boolean }
  sequencer: { check(): Promise<void> }
  /** Null if this server has no signer, audit provider or AI gateway. */
  checkSigner: (() => Promise<void>) | null
  checkAudit: (() => Promise<void>) | null
  checkGateway: (() => Promise<void>) | null
}): Probe[] {
  const ageOf = (timestampS: number) => clock.nowMs() / 1000 - timestampS
  return [
    { name: 'store', required: true, check: () => db.ping(PING_TIMEOUT_MS) },
    {
      name: 'chain',
      required: false,
      check: async () => {
        const block = await readOne(rpc, askHeader('latest'))
        if (block === null) throw new Error('the chain has no latest block')
        const ageS = ageOf(block.timestampS)
        if (ageS > HEAD_MAX_AGE_S) throw new Error(`the newest block is ${Math.round(ageS)} s old`)
      },
    },
    {
      name: 'sanctions',
      required: false,
      check: () => {
        const state = sanctions.state()
        if (state.status === 'degraded') throw new Error(state.why)
        const ageS = ageOf(state.takenAtS)
        if (profile.kind !== 'devnet' && ageS > SANCTIONS_ALARM_S)
          throw new Error(`the sanctions list was taken ${Math.floor(ageS / 3_600)} hours ago: update it`)
      },
    },
    {
      name: 'market',
      required: false,
      check: () => {
        const at = market.head()
        if (at === null) throw new Error('no block has been read yet')
        const ageS = ageOf(at.timestampS)
        if (ageS > HEAD_MAX_AGE_S) throw new Error(`the market is ${Math.round(ageS)} s behind`)
        if (market.unreadMarks() > 0) throw new Error(`${market.unreadMarks()} marks are unreadable`)
      },
    },
    {
      name: 'clock',
      required: false,
      check: () => {
        if (fleet.isClockOff()) throw new Error('the clock differs from the other processes’: set it')
      },
    },
    { name: 'sequencer', required: false, check: sequencer.check },
    ...(checkSigner ? [{ name: 'signer', required: false, check: checkSigner }] : []),
    ...(checkAudit ? [{ name: 'audit', required: false, check: checkAudit }] : []),
    ...(checkGateway ? [{ name: 'gateway', required: false, check: checkGateway }] : []),
    ...(redis ? [{ name: 'redis', required: false, check: async () => void (await redis.ping()) }] : []),
  ]
}
