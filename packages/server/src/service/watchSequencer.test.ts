import { type Rpc, RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { expect, it } from 'vitest'
import { watchSequencer } from './watchSequencer.ts'

const RAW = 'eth_sendRawTransaction'
function open() {
  const time = { nowMs: 1_000_000 }
  const state = { ping: 'answers', send: 'answers' }
  const ways: Record<string, (method: string) => unknown> = {
    answers: () => '0x1',
    refuses: (method) => {
      throw new RpcError(method, -32_601, 'takes eth_sendRawTransaction only', undefined)
    },
    silent: () => {
      throw new RpcUnreachable('no answer')
    },
  }
  const rpc = {
    request: async (method: string) => ways[method === RAW ? state.send : state.ping]!(method),
  } as unknown as Rpc
  const sequencer = watchSequencer(rpc, { nowMs: () => time.nowMs })
  const send = () => sequencer.request(RAW, ['0x02']).catch(() => {})
  return { sequencer, send, state, time }
}

it('is healthy if it answers, even if it supports one method only', async () => {
  const { sequencer, state, time } = open()
  await sequencer.check()
  state.ping = 'refuses'
  time.nowMs += 5_000
  await sequencer.check()
  state.ping = 'silent'
  await sequencer.check()
  time.nowMs += 5_000
  await expect(sequencer.check()).rejects.toThrow('no answer')
})

it('is impaired after an unanswered transaction, until another is answered or a minute has passed', async () => {
  const { sequencer, send, state, time } = open()
  state.send = 'silent'
  await send()
  time.nowMs += 5_000
  await expect(sequencer.check()).rejects.toThrow('no response to a transaction 5 s ago')
  state.send = 'refuses'
  await send()
  await sequencer.check()
  state.send = 'silent'
  await send()
  time.nowMs += 60_000
  await sequencer.check()
})
