import { delegationManagerAbi, type Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { emptySessions, openSessionWorld, type SessionWorld, WHO } from '../test/sessionWorld.ts'
import { createLeafSettler } from './settleMined.ts'
import type { CosignedTrade } from './trade/types.ts'

const TX = `0x${'7e'.repeat(32)}` as Hex
const DELEGATION = delegationManagerAbi.find((one) => one.type === 'event')!.inputs[2]

withDb('leaves of mined trades', (db) => {
  let world: SessionWorld
  beforeEach(async () => {
    await emptySessions(db)
    world = openSessionWorld(db)
    world.settleWallet()
  })
  async function trade(controls?: object) {
    const session = await world.granted(controls && { controls })
    const traded = (await world.sessions.tradeInSession({
      sessionId: session.id,
      path: 'session',
      by: { keyId: 7, wallet: WHO.owner },
      tokenIn: 'ETH',
      tokenOut: 'USDG',
      notionalUsd: 5,
      ownerAttestsNonUs: false,
      fund: false,
      admit: async () => {},
    })) as CosignedTrade
    const log = {
      address: world.addresses.manager,
      topics: encodeEventTopics({
        abi: delegationManagerAbi,
        eventName: 'RedeemedDelegation',
        args: { rootDelegator: WHO.owner, redeemer: session.executor },
      }) as Hex[],
      data: encodeAbiParameters([DELEGATION], [traded.leaf as never]),
    }
    return { session, log }
  }
  const settlerOf = () => {
    const { settleLeaf } = world.signer
    const cosigner = { settleLeaf } as never
    return createLeafSettler({
      ...world.options,
      cosigner,
      addresses: () => ({ delegation: world.addresses }) as never,
    })
  }

  it('are named to the co-signer until it sees the transaction, also of own executors', async () => {
    const { session, log } = await trade({})
    const settler = settlerOf()
    world.signer.settles = () => ({ state: 'open', received: null, settled_at: null })
    let woken = 0
    settler.job.wakeOn!(() => woken++)
    settler.mined([{ sessionId: session.id, txHash: TX, logs: [{ ...log, address: WHO.stranger }, log] }])
    expect(woken).toBe(1)
    await settler.job.run({} as never)
    const request = { root_hash: session.rootHash, sequence: 1, tx_hash: TX }
    expect(world.signer.settled).toEqual([request])
    await settler.job.run({} as never)
    expect(world.signer.settled, 'not before its time').toHaveLength(1)
    world.signer.settles = () => ({ state: 'used', received: '5', settled_at: 1 })
    world.clock.aheadS += 1
    await settler.job.run({} as never)
    world.clock.aheadS += 60
    await settler.job.run({} as never)
    expect(world.signer.settled).toEqual([request, request])
  })

  it('are given up if the co-signer never sees it or does not answer', async () => {
    const { session, log } = await trade({})
    const settler = settlerOf()
    let calls = 0
    world.signer.settles = () => {
      calls++
      throw new Error('down')
    }
    settler.mined([{ sessionId: session.id, txHash: TX, logs: [log] }])
    for (let i = 0; i < 20; i++) {
      await settler.job.run({} as never)
      world.clock.aheadS += 100
    }
    expect(calls).toBe(9)
  })

  it('of sessions without controls are not', async () => {
    const { session, log } = await trade()
    const settler = settlerOf()
    settler.mined([{ sessionId: session.id, txHash: TX, logs: [log] }])
    await settler.job.run({} as never)
    expect(world.signer.settled).toEqual([])
  })
})
