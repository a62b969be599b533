import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { UsageRefused } from '../client/exit.ts'
import { orderCommand } from './orderCommands.ts'

const terminal = {
  isInteractive: true,
  data: () => {},
  say: () => {},
  progress: () => () => {},
  confirm: async () => false,
  askSecret: async () => '',
}

/** Runs `pit order …` without an account: only usage errors come before that. */
function run(...args: string[]): Promise<unknown> {
  const order = orderCommand({ env: {}, terminal, nowMs: () => 0 })
  for (const one of [order, ...order.commands])
    one.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  return new Command('pit').addCommand(order).parseAsync(['order', ...args], { from: 'user' })
}
const PAIR = ['agt_1', 'ETH', 'USDG']

describe('pit order', () => {
  it.each([
    ['a bracket without an exit', ['bracket', ...PAIR, '--amount', '1']],
    ['a cancellation of nothing', ['cancel', 'agt_1']],
    ['a cancellation of all and of one', ['cancel', 'agt_1', `0x${'a'.repeat(64)}`, '--all']],
  ])('refuses %s', async (_, args) => {
    await expect(run(...args)).rejects.toBeInstanceOf(UsageRefused)
  })

  it.each([
    ['an order without an amount', ['limit', ...PAIR, '--price', '3000']],
    ['a limit without a price', ['limit', ...PAIR, '--amount', '1']],
    ['an amount with an exponent', ['limit', ...PAIR, '--amount', '1e3', '--price', '1']],
    ['a malformed order id', ['replace', 'agt_1', '0x12']],
    ['parts without an interval', ['twap', ...PAIR, '--amount', '1', '--parts', '3']],
  ])('refuses %s', async (_, args) => {
    await expect(run(...args)).rejects.toMatchObject({ name: 'CommanderError' })
  })
})
