import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { exchange } from './exchange.ts'

it('that cannot be made fails at once, and nothing of it fails later', async () => {
  const late: unknown[] = []
  const note = (error: unknown) => void late.push(error)
  process.on('uncaughtException', note)
  const ask = { method: 'GET', url: new URL('http://127.0.0.1:9/'), maxAnswerBytes: 10 } as const
  await expect(exchange({ ...ask, headers: { authorization: 'a\nb' }, timeoutMs: 20 })).rejects.toThrow(
    /authorization/,
  )
  await sleep(100)
  process.off('uncaughtException', note)
  expect(late).toEqual([])
})
