import { afterEach, expect, test } from 'vitest'
import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import type { Chain } from './types.ts'

const [alice, bob] = publicAccounts(2)
const open: Chain[] = []
afterEach(async () => {
  for (const chain of open.splice(0)) await chain.close()
})

test('the shadow mines the same blocks and a simulation leaves nothing behind', async () => {
  const chain = await openChain()
  open.push(chain)
  for (let round = 0; round < 20; round++) {
    for (const account of [alice!, bob!]) {
      await chain.sendOwned({
        from: account.address,
        to: '0x00000000000000000000000000000000000000aa',
        value: 1n,
      })
    }
    if (round % 3 === 0) await chain.admin('hardhat_setBalance', [`0x${'bb'.repeat(20)}`, '0x1234'])
    const block = await chain.mine()
    expect(block.transactions).toHaveLength(2)
    await chain.onShadow(async (shadow, head) => {
      expect(head.hash).toBe(chain.head().hash)
      await shadow.request('hardhat_setBalance', [`0x${'cc'.repeat(20)}`, '0x1'])
      await shadow.request('evm_mine')
    })
  }
  await chain.onShadow(async () => {})
  expect(chain.stats()).toMatchObject({ blocks: 20, shadowMismatches: 0 })
})
