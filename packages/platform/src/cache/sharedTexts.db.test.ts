import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withDb } from '../../test/withStore.ts'
import type { Db } from '../db/index.ts'
import { createSharedTexts } from './sharedTexts.ts'

const FOR_MS = 400
let names = 0

withDb('shared texts', (db) => {
  const warned: string[] = []
  const logger = { warn: (_details: object, text: string) => void warned.push(text) }
  /** Two processes on one store, and how often each read. */
  const open = (store: Db = db) => {
    const reads: string[] = []
    const name = `name ${++names}`
    const process = (which: string) => {
      const { load } = createSharedTexts({ db: store, logger: logger as never })
      return (takesMs = 0) =>
        load(name, FOR_MS, async () => {
          await sleep(takesMs)
          reads.push(which)
          return `${which} ${reads.length}`
        })
    }
    return { one: process('one'), other: process('other'), reads, name }
  }

  it('are read once for all processes until they expire; the embedded store has one process', async () => {
    const { one, other, reads } = open()
    expect(await one()).toMatchObject({ text: 'one 1', isOwn: true, leftMs: FOR_MS })
    const second = await other()
    if (db.engine === 'pglite') return expect(second).toMatchObject({ text: 'other 2', isOwn: true })
    expect(second).toMatchObject({ text: 'one 1', isOwn: false })
    expect(second.ageMs + second.leftMs).toBeCloseTo(FOR_MS)
    expect(second.leftMs).toBeLessThan(FOR_MS)
    await sleep(FOR_MS + 50)
    expect(await other()).toMatchObject({ text: 'other 2', isOwn: true })
    expect(await one()).toMatchObject({ text: 'other 2', isOwn: false })
    expect(reads).toEqual(['one', 'other'])
  })

  it('are the first one’s if two read at once', async () => {
    if (db.engine === 'pglite') return
    const { one, other, reads } = open()
    const [slow, quick] = await Promise.all([one(150), other(20)])
    expect(reads).toEqual(['other', 'one'])
    expect(quick).toMatchObject({ text: 'other 1', isOwn: true })
    expect(slow).toMatchObject({ text: 'other 1', isOwn: false })
  })

  it('are read again if the store’s clock was set back', async () => {
    if (db.engine === 'pglite') return
    const { one, other, name } = open()
    await one()
    await db.query(`update shared_texts set read_at = read_at + interval '1 hour' where name = $1`, [name])
    expect(await other()).toMatchObject({ text: 'other 2', isOwn: true })
    expect(await one()).toMatchObject({ text: 'other 2', isOwn: false })
  })

  it('are read by each process while the store fails or is slow, and read errors are reported', async () => {
    const broken: Db = { ...db, engine: 'postgres', query: () => Promise.reject(new Error('away')) }
    const { one, other } = open(broken)
    expect([await one(), await other()]).toMatchObject([{ text: 'one 1' }, { text: 'other 2' }])
    expect(warned.length).toBeGreaterThan(0)
    const slow: Db = { ...db, engine: 'postgres', query: () => new Promise(() => {}) }
    expect(await open(slow).one()).toMatchObject({ text: 'one 1', isOwn: true })
    const { load } = createSharedTexts({ db, logger: logger as never })
    await expect(load('unread', FOR_MS, () => Promise.reject(new Error('no node')))).rejects.toThrow(
      'no node',
    )
  })

  it('are deleted when they expire', async () => {
    if (db.engine === 'pglite') return
    const { one } = open()
    await one()
    const { jobs } = createSharedTexts({ db, logger: logger as never })
    const sweep = () => jobs.worker[0]!.run(new AbortController().signal)
    const count = async () =>
      (await db.query<{ n: number }>('select count(*)::int4 as n from shared_texts'))[0]!.n
    const before = await count()
    await sweep()
    expect(await count()).toBe(before)
    await db.query(`update shared_texts set read_at = read_at - interval '2 minutes'`)
    await sweep()
    expect(await count()).toBe(0)
  })
})
