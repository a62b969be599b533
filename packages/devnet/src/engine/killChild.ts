import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import { deploySwapLoad } from './swapLoad.ts'
import type { Hex, ReceiptJson } from './types.ts'

/**
 * The process that the kill test kills: trades as fast as it can and prints every receipt it has read. Each
 * line is printed after the chain's response, so the chain must keep it.
 */
const [dir] = process.argv.slice(2)
if (!dir) throw new Error('which folder?')
const addresses = publicAccounts().map(({ address }) => address)
const chain = await openChain({ dataDir: dir, rotateAtKb: 1_500, keepStateBlocks: 8 })
const say = (line: string) => process.stdout.write(`${line}\n`)

chain.onBlock((block) => {
  for (const { hash } of block.transactions) {
    chain.request<ReceiptJson>('eth_getTransactionReceipt', [hash]).then(({ blockHash, blockNumber }) => {
      say(`receipt ${hash} ${blockHash} ${Number(blockNumber)}`)
    })
  }
})
// Every round deploys its own pool, so funds suffice.
for (const address of addresses) await chain.admin('hardhat_setBalance', [address, '0x21e19e0c9bab2400000'])
const load = await deploySwapLoad(chain, addresses)
chain.startTicking(10)
for (let round = 0; ; round++) {
  while (chain.stats().pooled > 2) await new Promise((resolve) => setTimeout(resolve, 2))
  const from = addresses[round % 10] as Hex
  await chain.sendOwned(load.swap(from, 10n ** 12n, addresses[(round * 7) % 10] as Hex))
  if (round % 50 === 0)
    await chain.admin('hardhat_setBalance', [`0x${'ee'.repeat(20)}`, `0x${(round + 1).toString(16)}`])
  if (round % 10 === 0) say(`rotations ${chain.stats().rotations}`)
}
