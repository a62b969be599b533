import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withDb } from '@pit/platform/test/withStore'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { NOW_MS, wallet } from '../test/modelsWorld.ts'
import { connectKey, disconnectKey } from './connect.ts'
import type { ModelDeps } from './deps.ts'
import { readKey } from './money/keys.ts'
import { createSeal } from './seal.ts'

const OWNER = wallet(7)
let gateway: Server
beforeAll(async () => {
  gateway = createServer((_, response) => void response.end('{}'))
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void gateway.close())

withDb('an owner’s model key', (db) => {
  const seal = createSeal(Buffer.alloc(32, 7), randomBytes)
  const open = () => {
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    return {
      db,
      seal,
      clock: { nowMs: () => NOW_MS },
      gateway: { url, poolKey: null },
    } as unknown as ModelDeps
  }
  let changes: string[] = []
  const noting = (name: string) => async () => void changes.push(name)
  const connect = (key: string, onChange = noting(key)) =>
    connectKey(open(), { wallet: OWNER, key, onChange })
  const storedKey = () => readKey(db, seal, OWNER)

  beforeEach(async () => {
    await db.query('delete from ai_keys')
    changes = []
  })

  it('is a change only if another key is connected, or one is disconnected', async () => {
    await connect('first-key')
    await connect('first-key')
    await connect('second-key')
    await disconnectKey(open(), { wallet: OWNER, onChange: noting('disconnected') })
    await disconnectKey(open(), { wallet: OWNER, onChange: noting('disconnected twice') })
    expect(changes).toEqual(['first-key', 'second-key', 'disconnected'])
  })

  it('stays as it was if the agents that it pays for cannot be changed', async () => {
    await connect('first-key')
    const fails = () => Promise.reject(new Error('the agents are locked'))
    await expect(connect('second-key', fails)).rejects.toThrow('locked')
    await expect(disconnectKey(open(), { wallet: OWNER, onChange: fails })).rejects.toThrow('locked')
    expect(await storedKey()).toMatchObject({ state: 'connected', key: 'first-key' })
  })
})
