import { StartRefused } from '@pit/platform/settings'
import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { joinFleet } from './joinFleet.ts'

/** Does not wait for other processes. */
const HURRIED = { nowMs: () => 0, sleep: async () => {} }
const FACTS = { PUBLIC_URL: 'https://pit.example', SEAL_KEY: 'aa' }

withDb('processes on one store', (db) => {
  const join = (name: string, facts: Record<string, string | null>) => {
    const said: string[] = []
    const joined = joinFleet({
      ...{ db, name, facts, clock: HURRIED, ending: new AbortController().signal },
      tell: (text) => void said.push(text),
    })
    return { joined, said }
  }

  it('with equal settings run side by side; one that differs names the setting and does not start', async () => {
    if (db.engine === 'pglite') return
    const first = await join('host 1', FACTS).joined
    const second = await join('host 2', FACTS).joined
    const { joined, said } = join('host 3', { ...FACTS, PUBLIC_URL: 'http://localhost:4664' })
    await expect(joined).rejects.toThrow(StartRefused)
    await expect(joined).rejects.toThrow('host 1 runs on the same store with a different PUBLIC_URL')
    expect(said).toHaveLength(1)
    // A worker has no PUBLIC_URL.
    const worker = await join('host 4', { SEAL_KEY: 'aa' }).joined
    await expect(join('host 5', { SEAL_KEY: 'bb' }).joined).rejects.toThrow('a different SEAL_KEY')
    await Promise.all([first.leave(), second.leave(), worker.leave()])
    await (await join('host 6', { SEAL_KEY: 'bb' }).joined).leave()
  })

  it('that were killed delay the others only briefly', async () => {
    if (db.engine === 'pglite') return
    await join('killed', FACTS).joined
    await db.query(`update processes set seen_at = clock_timestamp() - interval '16 seconds'`)
    const next = await join('next', { ...FACTS, SEAL_KEY: 'cc' }).joined
    // A restored store has lost its row: the next heartbeat adds it again.
    await db.query('delete from processes')
    await next.jobs.everywhere[0]!.run(new AbortController().signal)
    expect(await db.query('select name from processes')).toEqual([{ name: 'next' }])
    await next.leave()
    expect(await db.query('select name from processes')).toEqual([])
  })
})
