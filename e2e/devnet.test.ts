import { fork } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import { killed } from './devnet/killed.ts'
import { oneDevnet } from './devnet/oneDevnet.ts'
import { children, cleanUp, newDir } from './devnet/running.ts'
import { seedDevnet } from './devnetSeed.ts'

// The devnet as users start it: process, ports and files.

afterAll(cleanUp)

oneDevnet()
killed()

it('reports to a supervisor, and ends with it', async () => {
  const dir = newDir()
  await seedDevnet(dir)
  const child = fork('dist/devnet.js', [], {
    env: { ...process.env, DEVNET_PORT: '0', DEVNET_VENDOR_PORT: '0', DATA_DIR: dir, MARKET: 'off' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.add(child)
  const reports: { type: string; text: string }[] = []
  await new Promise<void>((resolve, reject) => {
    child.on('message', (row: { type: string; text: string }) => {
      reports.push(row)
      if (row.type === 'ready') resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
  })
  expect(reports).toEqual([
    { type: 'stage', text: expect.stringMatching(/^chain reopened at block \d+$/) },
    { type: 'ready', text: expect.stringContaining('chain 4663 at http://127.0.0.1:') },
  ])
  child.removeAllListeners('exit')
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  child.disconnect()
  expect(await exited).toBe(0)
  children.delete(child)
})
