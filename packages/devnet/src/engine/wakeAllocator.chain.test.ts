import { expect, it } from 'vitest'
import { createProvider } from './provider.ts'
import { endThread } from './wakeAllocator.ts'

it('an engine responds while threads that loaded EDR end, and after', async () => {
  const engine = await createProvider({
    genesis: [],
    genesisTimeS: 1_700_000_000n,
    autoMine: false,
    blockGasLimit: 30_000_000n,
    baseFeeWei: 1_000_000_000n,
  })
  for (let ended = 1; ended <= 5; ended++) {
    const ending = endThread()
    await engine.request('hardhat_mine', ['0x64'])
    await ending
    expect(Number(await engine.request('eth_blockNumber'))).toBe(100 * ended)
  }
})
